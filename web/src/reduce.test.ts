/** The screen is a function of what arrived: in any repetition, over reloads and new attachments (SSE-1, RUN-7). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from './events.js';
import { type Chat, calls, EMPTY, over, reduce, waiting, written } from './reduce.js';
import { message, run, session, staged } from './samples.js';

type Numbered = [number | undefined, RunEvent];

const done: RunEvent = {
  type: 'message_done',
  messageId: 'm2',
  status: 'complete',
  usage: { inputTokens: 1, outputTokens: 1, costMicroUsd: 1 },
  notice: null,
};
const say = (text: string, at: number, id: string): RunEvent => ({ type: 'token', message: id, at, text });
const STORY: Numbered[] = [
  [undefined, say('Busco ', 0, 'm1')],
  [undefined, say('a 😀', 6, 'm1')],
  [1, { type: 'tool_call_start', callId: 'c1', tool: 'patients.search', title: 'Buscar', args: { q: 'Ana' } }],
  [2, { type: 'tool_result', callId: 'c1', outcome: 'ok', result: {}, truncated: false, code: null, links: [] }],
  [3, { type: 'tool_call_start', callId: 'c2', tool: 'agenda.book', title: 'Reservar', args: {} }],
  [4, { type: 'tool_approval_required', call: staged() }],
  [
    5,
    {
      type: 'tool_result',
      callId: 'c2',
      outcome: 'ok',
      result: {},
      truncated: false,
      code: null,
      links: [{ kind: 'appointment', id: 'new', label: 'x', url: '/x' }],
    },
  ],
  [undefined, say('Hecho.', 0, 'm2')],
  [6, done],
];

function play(events: Numbered[], from: Chat = EMPTY): Chat {
  return events.reduce((chat, [id, event]) => reduce(chat, { type: 'event', run: 'r1', id, event }), from);
}

const asked = reduce(reduce(EMPTY, { type: 'sent', key: 'k', text: 'Agenda a Ana' }), {
  type: 'started',
  run: 'r1',
  key: 'k',
});

describe('a run', () => {
  it('is told in order', () => {
    const chat = play(STORY, asked);
    expect(chat.turns.map((turn) => [turn.role, turn.text, turn.calls.map((call) => call.outcome)])).toEqual([
      ['user', 'Agenda a Ana', []],
      ['assistant', 'Busco a 😀', ['ok', 'ok']],
      ['assistant', 'Hecho.', []],
    ]);
    expect(chat.run).toMatchObject({ status: 'complete', lastId: 6, ahead: [], gap: false });
    expect(calls(chat)[1]?.approval?.status).toBe('approved');
  });

  it('waits for a decision, and goes on after it', () => {
    const paused = play(STORY.slice(0, 6), asked);
    expect(paused.run?.status).toBe('awaiting_approval');
    expect(waiting(paused)?.id).toBe('c2');
    expect(waiting(play(STORY.slice(6), paused))).toBeUndefined();
  });

  it('looks the same however often its events are repeated', () => {
    const once = play(STORY, asked);
    fc.assert(
      fc.property(fc.array(fc.nat(STORY.length - 1), { maxLength: 20 }), (again) => {
        const events = STORY.flatMap((event, at) => [
          event,
          ...again.filter((n) => n <= at).map((n) => STORY[n] as Numbered),
        ]);
        const chat = play(events, asked);
        expect(chat.turns).toEqual(once.turns);
        expect(chat.run).toEqual(once.run);
      }),
    );
  });

  it('remembers the last id up to which nothing is missing', () => {
    const chat = play([STORY[2], STORY[4], STORY[5]] as Numbered[]);
    expect(chat.run).toMatchObject({ lastId: 1, ahead: [3, 4] });
    expect(play([STORY[3] as Numbered], chat).run).toMatchObject({ lastId: 4, ahead: [] });
  });

  it('says that a piece is missing instead of joining what does not fit', () => {
    const chat = play([
      [undefined, say('abc', 0, 'm1')],
      [undefined, say('xyz', 9, 'm1')],
    ]);
    expect(chat.run?.gap).toBe(true);
    expect(chat.turns[0]?.text).toBe('abc');
  });

  it('ignores events that it does not know', () => {
    const event = { type: 'something_new' } as unknown as RunEvent;
    expect(play([[undefined, event]], asked).turns).toEqual(asked.turns);
  });

  it('shows the notice also where no text ever came (RUN-3)', () => {
    const chat = play([[1, { ...done, messageId: 'm9', notice: 'no_answer' }]], asked);
    expect(chat.turns.at(-1)).toMatchObject({ id: 'm9', text: '', notice: 'no_answer' });
  });

  it.each([
    ['error', { type: 'error', code: 'AI_UNAVAILABLE', message: 'x' }],
    ['budget_exceeded', { type: 'budget_exceeded', scope: 'user', period: 'day', resetsAt: null }],
    ['aborted', { ...done, status: 'aborted' }],
    ['expired', { ...done, status: 'expired' }],
  ] as [string, RunEvent][])('that ends with %s leaves no card open', (status, event) => {
    const chat = play([...STORY.slice(0, 6), [5, event]], asked);
    expect(chat.run?.status).toBe(status);
    expect(over(chat.run?.status)).toBe(true);
    expect(waiting(chat)).toBeUndefined();
  });
});

describe('after a reload', () => {
  const loaded = reduce(EMPTY, {
    type: 'loaded',
    session: session(),
    messages: [
      message({ id: 'u', role: 'user', content: 'Agenda a Ana' }),
      message({ id: 'm1', content: 'Busco a 😀', toolCalls: [staged()] }),
    ],
    run: run({ status: 'awaiting_approval' }),
  });

  it('the pending card is there', () => {
    expect(waiting(loaded)?.id).toBe('c2');
    expect(loaded.run).toMatchObject({ id: 'r1', status: 'awaiting_approval', lastId: 0 });
  });

  it('attaching from the beginning changes nothing but what is new', () => {
    const again = play([[undefined, say('Busco a 😀', 0, 'm1')], ...STORY.slice(4, 6)], loaded);
    expect(again.turns).toEqual(loaded.turns);
    expect(again.run?.status).toBe('awaiting_approval');
  });

  it('a decided call is not opened again by an old event', () => {
    const decided = reduce(loaded, { type: 'call', call: { ...staged(), outcome: 'rejected' } });
    expect(waiting(play(STORY.slice(5, 6), decided))).toBeUndefined();
  });

  it('an ended run of the same conversation keeps what it said of its end', () => {
    const failed = play([[1, { type: 'error', code: 'X', message: 'y' }]], { ...asked, session: session() });
    const again = reduce(failed, { type: 'loaded', session: session(), messages: [], run: null });
    expect(again.run?.errorCode).toBe('X');
    expect(
      reduce(failed, { type: 'loaded', session: session({ id: 'other' }), messages: [], run: null }).run,
    ).toBeNull();
  });
});

describe('a stale card (APPR-4)', () => {
  const paused = play(STORY.slice(0, 6), asked);

  it('is replaced by the new one, and says so', () => {
    const fresh = staged({ digest: 'd2' });
    const chat = reduce(paused, { type: 'call', call: fresh, changed: true });
    expect(waiting(chat)).toMatchObject({ changed: true, approval: { digest: 'd2' } });
    const told = play(
      [
        [5, { type: 'tool_approval_expired', callId: 'c2', reason: 'stale' }],
        [6, { type: 'tool_approval_required', call: fresh }],
      ],
      paused,
    );
    expect(waiting(told)).toMatchObject({ changed: true, approval: { digest: 'd2' } });
    expect(told.run?.status).toBe('awaiting_approval');
  });

  it('that expired is no longer open', () => {
    const chat = play([[5, { type: 'tool_approval_expired', callId: 'c2', reason: 'expired' }]], paused);
    expect(waiting(chat)).toBeUndefined();
  });
});

describe('a message', () => {
  it('that did not arrive stays with its key, and can be given up', () => {
    const failed = reduce(asked, { type: 'unsent', key: 'k', keep: true });
    expect(failed.turns[0]?.sending).toBe('failed');
    const again = reduce(failed, { type: 'sent', key: 'k', text: 'Agenda a Ana' });
    expect(again.turns).toHaveLength(1);
    expect(reduce(again, { type: 'unsent', key: 'k', keep: false }).turns).toEqual([]);
  });
});

describe('what was written', () => {
  it('is told once: the rows of the card and the records of the result', () => {
    const paused = play(STORY.slice(0, 6), asked);
    const after = play(STORY.slice(6, 7), paused);
    expect(written(paused, after)).toEqual([
      { kind: 'patient', id: 'p1' },
      { kind: 'appointment', id: 'new' },
    ]);
    expect(written(after, play(STORY.slice(7), after))).toEqual([]);
  });

  it('is nothing for reads, refusals and what was loaded', () => {
    const before = play(STORY.slice(0, 3), asked);
    expect(written(before, play(STORY.slice(3, 4), before))).toEqual([]);
    const paused = play(STORY.slice(0, 6), asked);
    const refused = play(
      [
        [
          5,
          {
            type: 'tool_result',
            callId: 'c2',
            outcome: 'refused',
            result: null,
            truncated: false,
            code: 'X',
            links: [],
          },
        ],
      ],
      paused,
    );
    expect(written(paused, refused)).toEqual([]);
    expect(written(EMPTY, play(STORY, asked))).toEqual([]);
  });
});
