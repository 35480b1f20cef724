/** Reads server-sent events from a byte stream, however the bytes are cut. */

/** One frame: its name, its data, and its id where it had one of its own. */
export interface Frame {
  event: string;
  data: string;
  id?: string;
}

/**
 * Splits text into frames. Lines end with LF, CRLF or CR and with nothing else (U+2028 is data). A frame ends with a
 * blank line, or with the end of the stream.
 */
export class FrameParser {
  private line = '';
  private event = '';
  private data: string[] = [];
  private id: string | undefined;
  private afterCr = false;
  private first = true;

  /** The frames that this piece completes. */
  push(piece: string): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    let text = piece;
    if (this.first && text.length > 0) {
      this.first = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code !== 10 && code !== 13) {
        this.afterCr = false;
        continue;
      }
      if (code === 10 && this.afterCr) {
        this.afterCr = false;
        from = at + 1;
        continue;
      }
      this.afterCr = code === 13;
      this.take(this.line + text.slice(from, at), frames);
      this.line = '';
      from = at + 1;
    }
    this.line += text.slice(from);
    return frames;
  }

  /** The frame that the end of the stream completes, if any. */
  end(): Frame[] {
    const frames: Frame[] = [];
    if (this.line !== '') this.take(this.line, frames);
    this.line = '';
    this.take('', frames);
    return frames;
  }

  private take(line: string, frames: Frame[]): void {
    if (line === '') {
      if (this.data.length > 0) {
        const frame: Frame = { event: this.event || 'message', data: this.data.join('\n') };
        if (this.id !== undefined) frame.id = this.id;
        frames.push(frame);
      }
      this.event = '';
      this.data = [];
      this.id = undefined;
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (name === 'event') this.event = value;
    else if (name === 'data') this.data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.id = value;
  }
}

/** All frames of a body, in batches as they arrive. Throws what the stream throws; ends when the body ends. */
export async function* frames(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Frame[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parser = new FrameParser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    yield parser.push(decoder.decode(value, { stream: true }));
  }
  const rest = parser.push(decoder.decode());
  yield [...rest, ...parser.end()];
}
