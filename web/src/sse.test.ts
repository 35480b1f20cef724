/** The parser gives the same frames however the bytes are cut (SSE-1). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frame, FrameParser, frames } from './sse.js';

const TEXT =
  ': open\n\nid: 1\nevent: tool_call_start\ndata: {"a":"ñ\u2028é😀\u0085"}\n\nevent: token\ndata: {"at":0}\n\nevent: ping\ndata: {}\n';
const FRAMES: Frame[] = [
  { id: '1', event: 'tool_call_start', data: '{"a":"ñ\u2028é😀\u0085"}' },
  { event: 'token', data: '{"at":0}' },
  { event: 'ping', data: '{}' },
];

function body(bytes: Uint8Array, cuts: number[]): ReadableStreamDefaultReader<Uint8Array> {
  const edges = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 1; at < edges.length; at++) controller.enqueue(bytes.slice(edges[at - 1], edges[at]));
      controller.close();
    },
  }).getReader();
}

async function all(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Frame[]> {
  const found: Frame[] = [];
  for await (const batch of frames(reader)) found.push(...batch);
  return found;
}

describe('frames', () => {
  it.each(['\n', '\r\n', '\r'])('come out the same wherever the bytes are cut, lines ending with %j', async (end) => {
    const bytes = new TextEncoder().encode(TEXT.replaceAll('\n', end));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (cuts) => {
        expect(await all(body(bytes, cuts))).toEqual(FRAMES);
      }),
      { numRuns: 60 },
    );
  });

  it('come out the same byte by byte', async () => {
    const bytes = new TextEncoder().encode(TEXT.replaceAll('\n', '\r\n'));
    expect(await all(body(bytes, [...bytes.keys()]))).toEqual(FRAMES);
  });

  it('are what was encoded, whatever the text holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(500)), async (text, cuts) => {
        const data = JSON.stringify({ text });
        const found = await all(body(new TextEncoder().encode(`event: token\ndata: ${data}\n\n`), cuts));
        expect(found).toEqual([{ event: 'token', data }]);
      }),
      { numRuns: 100 },
    );
  });

  it('end with the stream also without a blank line', async () => {
    const bytes = new TextEncoder().encode('id: 7\nevent: error\ndata: {"code":"X"}');
    expect(await all(body(bytes, []))).toEqual([{ id: '7', event: 'error', data: '{"code":"X"}' }]);
  });

  it('do not inherit the id of the frame before', () => {
    const found = new FrameParser().push('id: 3\nevent: a\ndata: 1\n\nevent: token\ndata: 2\n\n');
    expect(found).toEqual([
      { id: '3', event: 'a', data: '1' },
      { event: 'token', data: '2' },
    ]);
  });

  it('join several data lines, and drop comments and frames without data', () => {
    const parser = new FrameParser();
    expect(parser.push('\uFEFF: hello\nevent: none\n\ndata: a\ndata:b\ndata\n\n')).toEqual([
      { event: 'message', data: 'a\nb\n' },
    ]);
    expect(parser.end()).toEqual([]);
  });
});
