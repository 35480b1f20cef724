/** The wire's other shapes: what requests answer, as docs/reference/wire.md has them. */
import type { RunStatus, ToolCallDto } from './events.js';

/** A record on the page; the server loads it under the person's own permission. */
export interface EntityRef {
  kind: string;
  id: string;
}

/** Where the person is; sent with a conversation and with each message. */
export interface ScreenContext {
  screen: string;
  entities: EntityRef[];
}

/** A record that the server found and named. */
export interface NamedEntity extends EntityRef {
  label?: string | null;
  url?: string | null;
}

export interface Session {
  id: string;
  userId: string;
  surface: string;
  title: string | null;
  status: 'active' | 'archived' | 'expired';
  context: { screen?: string | null; entities?: NamedEntity[] } | null;
  totals: { messages: number; inputTokens: number; outputTokens: number; costMicroUsd: number };
  createdAt: string;
  updatedAt: string;
}

export interface Message {
  id: string;
  runId: string | null;
  role: 'user' | 'assistant';
  content: string;
  notice: 'no_answer' | 'cut' | null;
  toolCalls: ToolCallDto[];
  createdAt: string;
}

export interface Run {
  id: string;
  sessionId: string;
  userId: string;
  surface: string;
  mode: 'copilot' | 'autonomous';
  status: RunStatus;
  model: string;
  provider: string;
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
  retryOf: string | null;
  errorCode: string | null;
  startedAt: string;
  finishedAt: string | null;
  messages?: Message[];
  toolCalls?: ToolCallDto[];
}

export interface Suggestion {
  label: string;
  prompt: string;
}

/** All that the element needs to draw itself. */
export interface Me {
  enabled: boolean;
  mayChat?: boolean;
  locale?: string;
  surface?: string;
  title?: string;
  disclaimer?: string;
  languageModel?: boolean;
  provider?: string;
  redaction?: { on: boolean; note?: string | null } | null;
  banner?: string | null;
  suggestions?: Suggestion[];
  session?: Session | null;
  run?: Run | null;
}

export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  pageSize: number;
}

/** What was typed on the card; the server compares it with the frozen values. */
export interface Typed {
  confirm?: string;
  destinations?: Record<string, string>;
}

export interface Decision {
  approve: boolean;
  digest: string;
  reason?: string;
  typed?: Typed;
}
