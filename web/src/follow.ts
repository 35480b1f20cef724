/** Follows one run's stream to its end, over lost and silent connections. */
import { ApiError } from './api.js';
import type { RunEvent } from './events.js';
import { type Frame, frames } from './sse.js';

/** Waits so many milliseconds, or until aborted. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export interface Following {
  response: Response;
  signal: AbortSignal;
  /** Attaches anew after the last event that was applied. */
  again: () => Promise<Response>;
  /** Takes an event; true where it ends the stream. */
  event: (id: number | undefined, event: RunEvent) => boolean;
  /** Whether a piece is missing, so that the stream must be attached anew. */
  gap: () => boolean;
  /** Asked where an attached stream said nothing at all: true where the run is over and nothing is left to hear. */
  settled: () => Promise<boolean>;
  /** Told when the connection is lost, and when it is back. */
  lost: (lost: boolean) => void;
  pause?: Pause;
}

/** Keep-alives come every 15 s; three that fail to come are a lost connection. */
export const SILENCE_MS = 45_000;
const LONGEST_MS = 15_000;

/** Comes back when the stream has ended or was aborted. Throws ApiError where attaching anew is refused for good. */
export async function follow(run: Following): Promise<void> {
  let body = run.response.body;
  let failures = 0;
  while (!run.signal.aborted) {
    const heard = body ? await pump(run, body) : 'nothing';
    if (heard === 'end' || run.signal.aborted) return;
    failures = heard === 'something' ? 1 : failures + 1;
    run.lost(true);
    await (run.pause ?? sleep)(backoff(failures), run.signal);
    if (run.signal.aborted) return;
    try {
      if (heard === 'nothing' && body && failures > 1 && (await run.settled())) return run.lost(false);
      body = (await run.again()).body;
      run.lost(false);
    } catch (error) {
      body = null;
      if (run.signal.aborted) return;
      if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) continue;
      run.lost(false);
      throw error;
    }
  }
}

/** A quarter of a second first (a run waits 3 s for its reader), then longer, never more than 15 s. */
export function backoff(failures: number): number {
  return Math.min(250 * 2 ** Math.min(failures - 1, 10), LONGEST_MS);
}

type Heard = 'end' | 'something' | 'nothing';

async function pump(run: Following, body: ReadableStream<Uint8Array>): Promise<Heard> {
  let heard: Heard = 'nothing';
  const reader = body.getReader();
  const source = frames(reader);
  try {
    for (;;) {
      const batch = await within(next(source), SILENCE_MS);
      if (batch === null) return heard;
      for (const frame of batch) {
        const event = decoded(frame);
        if (!event) continue;
        heard = 'something';
        const own = frame.id !== undefined && event.type !== 'token';
        if (run.event(own ? Number(frame.id) : undefined, event)) return 'end';
      }
      if (run.gap()) return heard;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** The next batch; null where the stream has ended or broken. */
async function next(source: AsyncGenerator<Frame[]>): Promise<Frame[] | null> {
  try {
    const { done, value } = await source.next();
    return done ? null : value;
  } catch {
    return null;
  }
}

/** The event of a frame; null for a frame that is not JSON of an object. */
function decoded(frame: Frame): RunEvent | null {
  try {
    const data: unknown = JSON.parse(frame.data);
    return typeof data === 'object' && data !== null ? ({ ...data, type: frame.event } as RunEvent) : null;
  } catch {
    return null;
  }
}

async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
