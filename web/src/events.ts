/** The run's events and their parts; generated from core/event.py by scripts/generate_events.py. */

/** One proposal; `by` is `actor` or the permission that the second person needs. */
export interface ApprovalDto {
  status: string;
  digest: string;
  preview: PreviewDto;
  expiresAt: string;
  by: string;
  decidedBy: string | null;
  reason: string | null;
  mayDecide: boolean;
}

export interface BudgetExceededEvent {
  type: 'budget_exceeded';
  scope: string;
  period: string;
  resetsAt: string | null;
}

/** A row on the card. */
export interface ChangeDto {
  op: 'insert' | 'update' | 'delete';
  kind: string;
  caption: string;
  id: string | null;
  label: string | null;
  url: string | null;
  fields: FieldChangeDto[];
}

export interface ErrorEvent {
  type: 'error';
  code: string;
  message: string;
}

/** A field on the card; `before` and `after` are the words to show, null where there is nothing. */
export interface FieldChangeDto {
  name: string;
  caption: string;
  before: string | null;
  after: string | null;
  marks: string[];
}

/** What must be typed before approving: the phrase as shown, and the destinations' field names. */
export interface FrictionDto {
  confirm: string | null;
  destinations: string[];
}

/** `notice` is `no_answer` or `cut` where the answer is not what it seems; faces say so visibly. */
export interface MessageDone {
  type: 'message_done';
  messageId: string;
  status: 'complete' | 'expired' | 'aborted';
  usage: UsageDto;
  notice: string | null;
}

/** What became of a call (TOOL-11). */
export type Outcome =
  | 'ok'
  | 'refused'
  | 'invalid'
  | 'blocked'
  | 'failed'
  | 'rejected'
  | 'expired'
  | 'stale'
  | 'unknown_effect';

/** Something that would leave the house. */
export interface OutgoingDto {
  channel: string;
  caption: string;
  fields: FieldChangeDto[];
}

export interface Ping {
  type: 'ping';
}

/** The card as the server worded it, escaped nowhere: faces must treat every string as plain text. */
export interface PreviewDto {
  title: string;
  effect: string;
  changes: ChangeDto[];
  outgoing: OutgoingDto[];
  friction: FrictionDto;
  rows: number;
  hidden: string[];
  cut: boolean;
}

/** A piece of the answer: which message, at which offset in characters, the text. */
export interface Token {
  type: 'token';
  message: string;
  at: number;
  text: string;
}

/** `reason` is `expired`, `cancelled` or `stale`. */
export interface ToolApprovalExpired {
  type: 'tool_approval_expired';
  callId: string;
  reason: string;
}

export interface ToolApprovalRequired {
  type: 'tool_approval_required';
  call: ToolCallDto;
}

/** A call as people see it; `args` and `result` are in clear, `title` in the reader's language. */
export interface ToolCallDto {
  id: string;
  runId: string;
  tool: string;
  title: string;
  effect: string;
  args: unknown;
  outcome: Outcome | null;
  code: string | null;
  result: unknown;
  truncated: boolean;
  latencyMs: number | null;
  createdAt: string;
  stagedVersion: string | null;
  executedVersion: string | null;
  approval: ApprovalDto | null;
  links: Record<string, string>[];
}

export interface ToolCallStart {
  type: 'tool_call_start';
  callId: string;
  tool: string;
  title: string;
  args: unknown;
}

export interface ToolResult {
  type: 'tool_result';
  callId: string;
  outcome: Outcome;
  result: unknown;
  truncated: boolean;
  code: string | null;
  links: Record<string, string>[];
}

/** Tokens and integer micro-dollars. */
export interface UsageDto {
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
}

/** All that a run can emit. */
export type RunEvent =
  | Token
  | ToolCallStart
  | ToolResult
  | ToolApprovalRequired
  | ToolApprovalExpired
  | BudgetExceededEvent
  | MessageDone
  | ErrorEvent
  | Ping;

/** The states of a run. */
export type RunStatus =
  | 'running'
  | 'awaiting_approval'
  | 'complete'
  | 'error'
  | 'budget_exceeded'
  | 'aborted'
  | 'expired';

/** States that a run never leaves. */
export const TERMINAL_STATUSES: readonly string[] = ['complete', 'error', 'budget_exceeded', 'aborted', 'expired'];

/** Exactly one of these ends a run. */
export const TERMINAL_EVENTS: readonly string[] = ['budget_exceeded', 'error', 'message_done'];

/** Exactly one of these ends the stream of a message or decision. */
export const STREAM_ENDS: readonly string[] = ['budget_exceeded', 'error', 'message_done', 'tool_approval_required'];
