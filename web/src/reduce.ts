/** What the screen shows as a pure function of what arrived: loaded records, a person's deeds, a run's events. */
import {
  type Outcome,
  type RunEvent,
  type RunStatus,
  TERMINAL_STATUSES,
  type ToolCallDto,
  type ToolCallStart,
  type ToolResult,
} from './events.js';
import { length, splice } from './text.js';
import type { Message, Run, Session } from './wire.js';

/** A call as shown; `changed` where the card was replaced by a newer one under the person's eyes. */
export interface CallView extends ToolCallDto {
  changed?: boolean;
}

/** One message of the conversation; `size` counts characters (code points), not UTF-16 units. */
export interface Turn {
  id: string;
  runId: string | null;
  role: 'user' | 'assistant';
  text: string;
  size: number;
  calls: CallView[];
  notice: string | null;
  sending?: 'sending' | 'failed';
}

export interface RunView {
  id: string;
  status: RunStatus;
  errorCode: string | null;
  errorMessage: string | null;
  resetsAt: string | null;
  /** All durable events up to this id have been applied. */
  lastId: number;
  /** Ids that came early. */
  ahead: readonly number[];
  /** A piece of text is missing: the run must be attached anew. */
  gap: boolean;
}

export interface Chat {
  session: Session | null;
  turns: readonly Turn[];
  run: RunView | null;
}

export type Action =
  | { type: 'loaded'; session: Session | null; messages: readonly Message[]; run: Run | null }
  | { type: 'session'; session: Session }
  | { type: 'sent'; key: string; text: string }
  | { type: 'unsent'; key: string; keep: boolean }
  | { type: 'started'; run: string; key?: string }
  | { type: 'event'; run: string; id?: number; event: RunEvent }
  | { type: 'call'; call: ToolCallDto; changed?: boolean }
  | { type: 'run'; run: Run };

export const EMPTY: Chat = { session: null, turns: [], run: null };

const SETTLED: Partial<Record<Outcome, string>> = {
  ok: 'approved',
  failed: 'approved',
  refused: 'approved',
  unknown_effect: 'approved',
  rejected: 'rejected',
  expired: 'expired',
};

/** Whether nothing more will come of it. */
export function over(status: RunStatus | undefined): boolean {
  return status === undefined || TERMINAL_STATUSES.includes(status);
}

/** Whether the call waits for a decision. */
export function pending(call: ToolCallDto): boolean {
  return !call.outcome && call.approval?.status === 'pending';
}

/** All calls shown, oldest first. */
export function calls(chat: Chat): CallView[] {
  return chat.turns.flatMap((turn) => turn.calls);
}

/** The call that waits for a decision; there is one at most (RUN-4). */
export function waiting(chat: Chat): CallView | undefined {
  return calls(chat).findLast(pending);
}

/** The next state. Unknown events change nothing; a durable event counts once, however often it arrives. */
export function reduce(chat: Chat, action: Action): Chat {
  switch (action.type) {
    case 'loaded':
      return loaded(chat, action.session, action.messages, action.run);
    case 'session':
      return { ...chat, session: action.session };
    case 'sent': {
      const turns = chat.turns.filter((turn) => turn.id !== action.key);
      const turn: Turn = { ...blank(action.key, 'user', null), text: action.text, sending: 'sending' };
      return { ...chat, turns: [...turns, turn] };
    }
    case 'unsent': {
      const turns = chat.turns.flatMap((turn): Turn[] => {
        if (turn.id !== action.key) return [turn];
        return action.keep ? [{ ...turn, sending: 'failed' }] : [];
      });
      return { ...chat, turns };
    }
    case 'started':
      return started(chat, action.run, action.key);
    case 'event':
      return numbered(chat, action.run, action.id, action.event);
    case 'call':
      return upsert(chat, { ...action.call, changed: action.changed ?? false });
    case 'run':
      return fromRun(chat, action.run);
  }
}

/** Records that a step forward has really changed: `{kind, id}` of calls that were open before and are done now. */
export function written(before: Chat, after: Chat): { kind: string; id: string }[] {
  const open = new Set(
    calls(before)
      .filter((call) => !call.outcome)
      .map((call) => call.id),
  );
  const found = new Map<string, { kind: string; id: string }>();
  for (const call of calls(after)) {
    if (call.outcome !== 'ok' || !call.approval || !open.has(call.id)) continue;
    const rows = [...call.approval.preview.changes, ...call.links];
    for (const { kind, id } of rows) if (kind && id) found.set(`${kind}/${id}`, { kind, id });
  }
  return [...found.values()];
}

function blank(id: string, role: Turn['role'], runId: string | null): Turn {
  return { id, runId, role, text: '', size: 0, calls: [], notice: null };
}

function loaded(chat: Chat, session: Session | null, messages: readonly Message[], run: Run | null): Chat {
  const known = new Map(calls(chat).map((call) => [call.id, call]));
  const turns = messages.map(
    (message): Turn => ({
      ...blank(message.id, message.role, message.runId),
      text: message.content,
      size: length(message.content),
      notice: message.notice,
      calls: (message.toolCalls ?? []).map((call) => {
        const changed = known.get(call.id)?.changed;
        return changed && pending(call) ? { ...filled(call), changed } : filled(call);
      }),
    }),
  );
  const next: Chat = { session, turns, run: chat.run };
  if (run) return fromRun(next, run);
  const same = session !== null && session.id === chat.session?.id;
  return { ...next, run: same && over(chat.run?.status) ? chat.run : null };
}

function filled(call: ToolCallDto): CallView {
  return {
    ...call,
    links: call.links ?? [],
    outcome: call.outcome ?? null,
    approval: call.approval ?? null,
    changed: (call as CallView).changed ?? false,
  };
}

function view(id: string, status: RunStatus): RunView {
  return { id, status, errorCode: null, errorMessage: null, resetsAt: null, lastId: 0, ahead: [], gap: false };
}

function fromRun(chat: Chat, run: Run): Chat {
  const old = chat.run?.id === run.id ? chat.run : view(run.id, run.status);
  let next: Chat = { ...chat, run: { ...old, status: run.status, errorCode: run.errorCode ?? old.errorCode } };
  for (const call of run.toolCalls ?? []) next = upsert(next, call);
  return over(run.status) ? closed(next, run.id) : next;
}

function started(chat: Chat, run: string, key?: string): Chat {
  const turns = chat.turns.map((turn): Turn => {
    if (turn.id !== key) return turn;
    const { sending: _, ...rest } = turn;
    return { ...rest, runId: run };
  });
  const old = chat.run?.id === run ? chat.run : view(run, 'running');
  return { ...chat, turns, run: { ...old, status: 'running', gap: false } };
}

function numbered(chat: Chat, run: string, id: number | undefined, event: RunEvent): Chat {
  const old = chat.run?.id === run ? chat.run : view(run, 'running');
  if (id === undefined) return apply({ ...chat, run: old }, old, event);
  if (id <= old.lastId || old.ahead.includes(id)) return chat;
  const ahead = new Set([...old.ahead, id]);
  let lastId = old.lastId;
  while (ahead.delete(lastId + 1)) lastId += 1;
  const next = { ...old, lastId, ahead: [...ahead] };
  return apply({ ...chat, run: next }, next, event);
}

function apply(chat: Chat, run: RunView, event: RunEvent): Chat {
  switch (event.type) {
    case 'token':
      return token(chat, run, event.message, event.at, event.text);
    case 'tool_call_start':
      return upsert(moved(chat, run, 'running'), start(chat, run, event));
    case 'tool_result':
      return result(chat, run, event);
    case 'tool_approval_required': {
      const known = calls(chat).find((call) => call.id === event.call.id);
      if (known?.outcome) return chat;
      return upsert(moved(chat, run, 'awaiting_approval'), { ...event.call, changed: known?.changed ?? false });
    }
    case 'tool_approval_expired':
      return expired(chat, event.callId, event.reason);
    case 'budget_exceeded':
      return closed({ ...chat, run: { ...run, status: 'budget_exceeded', resetsAt: event.resetsAt ?? null } }, run.id);
    case 'error':
      return closed(
        { ...chat, run: { ...run, status: 'error', errorCode: event.code, errorMessage: event.message } },
        run.id,
      );
    case 'message_done': {
      const noted = event.notice ? notice(chat, run, event.messageId, event.notice) : chat;
      return closed({ ...noted, run: { ...run, status: event.status } }, run.id);
    }
    default:
      return chat;
  }
}

function moved(chat: Chat, run: RunView, status: RunStatus): Chat {
  return over(run.status) ? chat : { ...chat, run: { ...run, status } };
}

/** A run has ended: what still waited for a decision waits no longer. */
function closed(chat: Chat, run: string): Chat {
  const turns = chat.turns.map((turn) => {
    if (!turn.calls.some((call) => call.runId === run && pending(call))) return turn;
    return {
      ...turn,
      calls: turn.calls.map((call) =>
        call.runId === run && pending(call) && call.approval
          ? { ...call, approval: { ...call.approval, status: 'expired' } }
          : call,
      ),
    };
  });
  return { ...chat, turns };
}

function token(chat: Chat, run: RunView, message: string, at: number, text: string): Chat {
  const index = chat.turns.findIndex((turn) => turn.id === message);
  const old = chat.turns[index] ?? blank(message, 'assistant', run.id);
  if (at > old.size) return { ...chat, run: { ...run, gap: true } };
  const [whole, size] = splice(old.text, old.size, at, text);
  if (whole === old.text && index >= 0) return chat;
  const turn: Turn = { ...old, text: whole, size };
  if (index < 0) return { ...chat, turns: [...chat.turns, turn] };
  return { ...chat, turns: chat.turns.with(index, turn) };
}

function start(chat: Chat, run: RunView, event: ToolCallStart): CallView {
  const known = calls(chat).find((call) => call.id === event.callId);
  const fresh: CallView = {
    id: event.callId,
    runId: run.id,
    tool: event.tool,
    title: event.title,
    effect: '',
    args: event.args,
    outcome: null,
    code: null,
    result: null,
    truncated: false,
    latencyMs: null,
    createdAt: '',
    stagedVersion: null,
    executedVersion: null,
    approval: null,
    links: [],
  };
  return known ? { ...known, title: event.title || known.title, args: event.args ?? known.args } : fresh;
}

function result(chat: Chat, run: RunView, event: ToolResult): Chat {
  const known = calls(chat).find((call) => call.id === event.callId);
  if (!known) return chat;
  const status = SETTLED[event.outcome];
  const approval = known.approval;
  const settled = approval && approval.status === 'pending' && status ? { ...approval, status } : approval;
  return upsert(moved(chat, run, 'running'), {
    ...known,
    outcome: event.outcome,
    code: event.code ?? null,
    result: event.result ?? null,
    truncated: event.truncated ?? false,
    links: event.links ?? [],
    approval: settled,
    changed: false,
  });
}

function expired(chat: Chat, id: string, reason: string): Chat {
  const known = calls(chat).find((call) => call.id === id);
  if (!known?.approval || known.outcome) return chat;
  if (reason === 'stale') return upsert(chat, { ...known, changed: true });
  return upsert(chat, { ...known, approval: { ...known.approval, status: 'expired' } });
}

function notice(chat: Chat, run: RunView, message: string, word: string): Chat {
  const known = chat.turns.some((turn) => turn.id === message);
  const turns = known ? chat.turns : [...chat.turns, blank(message, 'assistant', run.id)];
  return { ...chat, turns: turns.map((turn) => (turn.id === message ? { ...turn, notice: word } : turn)) };
}

/** Puts a call where it already stands, or after what its run has said last. */
function upsert(chat: Chat, call: CallView): Chat {
  const put = filled(call);
  const at = chat.turns.findIndex((turn) => turn.calls.some((known) => known.id === put.id));
  const host = at >= 0 ? at : chat.turns.length - 1;
  const turn = chat.turns[host];
  if (at >= 0 && turn) {
    const list = turn.calls.map((known) => (known.id === put.id ? put : known));
    return { ...chat, turns: chat.turns.with(host, { ...turn, calls: list }) };
  }
  if (turn && turn.role === 'assistant' && turn.runId === put.runId) {
    return { ...chat, turns: chat.turns.with(host, { ...turn, calls: [...turn.calls, put] }) };
  }
  const own: Turn = { ...blank(`calls:${put.id}`, 'assistant', put.runId), calls: [put] };
  return { ...chat, turns: [...chat.turns, own] };
}
