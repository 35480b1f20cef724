/** A lost or silent connection is taken up again; a refusal for good is not (SSE-1). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, Unreachable } from './api.js';
import type { RunEvent } from './events.js';
import { backoff, type Following, follow, SILENCE_MS } from './follow.js';

const PING = 'event: ping\ndata: {}\n\n';
const DONE = 'id: 1\nevent: message_done\ndata: {"status":"complete"}\n\n';

function stream(text: string, ends = true): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      if (ends) controller.close();
    },
  });
  return new Response(body);
}

function following(more: Partial<Following>): Following & { seen: string[]; waits: number[]; lostness: boolean[] } {
  const [seen, waits, lostness]: [string[], number[], boolean[]] = [[], [], []];
  return {
    seen,
    waits,
    lostness,
    response: stream(PING),
    signal: new AbortController().signal,
    again: () => Promise.resolve(stream(DONE)),
    event: (_, event: RunEvent) => {
      seen.push(event.type);
      return event.type === 'message_done';
    },
    gap: () => false,
    settled: () => Promise.resolve(false),
    lost: (lost) => lostness.push(lost),
    pause: async (milliseconds) => {
      waits.push(milliseconds);
    },
    ...more,
  };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('follow', () => {
  it('comes back at the event that ends the run', async () => {
    const run = following({ response: stream(PING + DONE + PING, false) });
    await follow(run);
    expect(run.seen).toEqual(['ping', 'message_done']);
    expect(run.lostness).toEqual([]);
  });

  it('counts no piece of text among the events that have an id of their own', async () => {
    const ids: (number | undefined)[] = [];
    const token = 'id: 0\nevent: token\ndata: {"message":"m","at":0,"text":"a"}\n\n';
    await follow(
      following({
        response: stream(token + DONE),
        event: (id, event: RunEvent) => {
          ids.push(id);
          return event.type === 'message_done';
        },
      }),
    );
    expect(ids).toEqual([undefined, 1]);
  });

  it('attaches anew after a stream that ended early, and again while nobody answers', async () => {
    const answers: (() => Promise<Response>)[] = [
      () => Promise.reject(new Unreachable('')),
      () => Promise.reject(new ApiError(503, 'AI_UNAVAILABLE', '')),
      () => Promise.resolve(stream(DONE)),
    ];
    const run = following({ again: () => answers.shift()?.() ?? Promise.reject(new Error('too often')) });
    await follow(run);
    expect(run.waits).toEqual([250, 500, 1000]);
    expect(run.lostness).toEqual([true, true, true, false]);
  });

  it('gives up where the server refuses for good', async () => {
    const run = following({ again: () => Promise.reject(new ApiError(404, 'NOT_FOUND', '')) });
    await expect(follow(run)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(run.lostness.at(-1)).toBe(false);
  });

  it('takes a silent connection for a lost one', async () => {
    const run = following({ response: stream(PING, false) });
    const whole = follow(run);
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
    expect(run.lostness).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await whole;
    expect(run.seen).toEqual(['ping', 'message_done']);
  });

  it('attaches anew where a piece is missing', async () => {
    let missing = true;
    const run = following({
      response: stream(PING, false),
      gap: () => missing,
      again: () => {
        missing = false;
        return Promise.resolve(stream(DONE));
      },
    });
    await follow(run);
    expect(run.seen).toEqual(['ping', 'message_done']);
  });

  it('ends where attached streams say nothing because the run is over', async () => {
    const settled = vi.fn(() => Promise.resolve(true));
    const run = following({ again: () => Promise.resolve(stream(': open\n\n')), settled });
    await follow(run);
    expect(settled).toHaveBeenCalledTimes(1);
    expect(run.lostness.at(-1)).toBe(false);
  });

  it('stops when aborted, also while it waits', async () => {
    const control = new AbortController();
    const again = vi.fn();
    const run = following({ signal: control.signal, again, pause: async () => control.abort() });
    await follow(run);
    expect(again).not.toHaveBeenCalled();
  });

  it('lets an error of our own out instead of connecting for ever', async () => {
    const event = () => {
      throw new RangeError('ours');
    };
    await expect(follow(following({ event }))).rejects.toBeInstanceOf(RangeError);
  });

  it('waits longer each time, never more than 15 s', () => {
    expect([1, 2, 3, 7, 50].map(backoff)).toEqual([250, 500, 1000, 15_000, 15_000]);
  });
});
