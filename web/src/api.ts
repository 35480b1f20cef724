/** Speaks HTTP with the router: JSON and streams, CSRF header, sign-in refreshed once for all open calls (API-4). */

import type { ToolCallDto } from './events.js';
import type { Decision, Me, Message, Page, Run as RunDto, ScreenContext, Session } from './wire.js';

/** How the host signs its people in. All of it may be absent: then same-origin cookies do. */
export interface Credentials {
  /** Extra headers for each request, a bearer token for example. */
  headers?: () => Record<string, string> | Promise<Record<string, string>>;
  /** Renews the sign-in; asked once for all open calls after a 401. False or a throw means that it cannot. */
  refresh?: () => unknown;
  csrfCookie?: string;
  csrfHeader?: string;
}

/** An answer that was not a success: `{error: {code, message, details}}`. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** The request never got an answer. */
export class Unreachable extends Error {}

export interface Options {
  method?: 'GET' | 'POST' | 'PATCH';
  body?: unknown;
  accept?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

/** The value of a cookie that scripts may read, or the empty string. */
export function cookie(name: string, all: string = document.cookie): string {
  for (const part of all.split(';')) {
    const [key, ...value] = part.trim().split('=');
    if (key === name) return decodeURIComponent(value.join('='));
  }
  return '';
}

/** A key for one deed; also where the page is not served securely. */
export function newKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export class Api {
  /** Milliseconds by which the server's clock is ahead of this one, as far as answers tell. */
  skew = 0;
  private heard = false;
  private renewal: Promise<boolean> | null = null;

  constructor(
    readonly base: string,
    private readonly credentials: () => Credentials,
    private readonly signIn: () => void,
  ) {}

  me(query: Record<string, string>): Promise<Me> {
    return this.json<Me>(`/me?${new URLSearchParams(query)}`);
  }

  open(surface: string, context: ScreenContext | undefined): Promise<Session> {
    return this.json('/sessions', { method: 'POST', body: context ? { surface, context } : { surface } });
  }

  async messages(session: string): Promise<Message[]> {
    const found: Message[] = [];
    for (let page = 1; ; page++) {
      const part = await this.json<Page<Message>>(
        `/sessions/${encodeURIComponent(session)}/messages?page=${page}&pageSize=200`,
      );
      found.push(...part.items);
      if (part.items.length === 0 || found.length >= part.total) return found;
    }
  }

  send(session: string, content: string, context: ScreenContext | undefined, key: string, signal: AbortSignal) {
    return this.request(`/sessions/${encodeURIComponent(session)}/messages`, {
      method: 'POST',
      body: context ? { content, context } : { content },
      accept: STREAM_TYPE,
      headers: { 'Idempotency-Key': key },
      signal,
    });
  }

  events(run: string, lastId: number, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = lastId > 0 ? { 'Last-Event-ID': String(lastId) } : {};
    return this.request(`/runs/${encodeURIComponent(run)}/events`, { accept: STREAM_TYPE, headers, signal });
  }

  run(id: string): Promise<RunDto> {
    return this.json(`/runs/${encodeURIComponent(id)}`);
  }

  cancel(run: string): Promise<RunDto> {
    return this.json(`/runs/${encodeURIComponent(run)}/cancel`, { method: 'POST', body: {} });
  }

  retry(run: string, signal: AbortSignal): Promise<Response> {
    return this.request(`/runs/${encodeURIComponent(run)}/retry`, {
      method: 'POST',
      body: {},
      accept: STREAM_TYPE,
      signal,
    });
  }

  call(id: string): Promise<ToolCallDto> {
    return this.json(`/tool-calls/${encodeURIComponent(id)}`);
  }

  decide(id: string, decision: Decision, signal: AbortSignal): Promise<Response> {
    return this.request(`/tool-calls/${encodeURIComponent(id)}/decide`, {
      method: 'POST',
      body: decision,
      accept: STREAM_TYPE,
      signal,
    });
  }

  async json<T>(path: string, options: Options = {}): Promise<T> {
    const response = await this.request(path, options);
    try {
      return (await response.json()) as T;
    } catch {
      throw new Unreachable('the answer broke off');
    }
  }

  /** One request. Throws ApiError for an answer that is no success, Unreachable for none, AbortError when aborted. */
  async request(path: string, options: Options = {}): Promise<Response> {
    let response = await this.once(path, options);
    if (response.status === 401) {
      if (await this.renew()) response = await this.once(path, options);
      if (response.status === 401) this.signIn();
    }
    if (response.ok) return response;
    throw await problem(response);
  }

  private async once(path: string, options: Options): Promise<Response> {
    const { headers, csrfCookie, csrfHeader } = this.credentials();
    const method = options.method ?? 'GET';
    const sent: Record<string, string> = { Accept: options.accept ?? JSON_TYPE, ...options.headers };
    if (options.body !== undefined) sent['Content-Type'] = JSON_TYPE;
    if (method !== 'GET' && csrfCookie && csrfHeader) sent[csrfHeader] = cookie(csrfCookie);
    if (headers) Object.assign(sent, await headers());
    try {
      const response = await fetch(this.base + path, {
        method,
        headers: sent,
        credentials: 'same-origin',
        cache: 'no-store',
        redirect: 'error',
        body: options.body === undefined ? null : JSON.stringify(options.body),
        signal: options.signal ?? null,
      });
      const date = Date.parse(response.headers.get('date') ?? '');
      if (!Number.isNaN(date)) this.tune(date - Date.now());
      return response;
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new Unreachable(error instanceof Error ? error.message : '');
    }
  }

  /** The header has whole seconds and comes late: of near values the greatest is the best; a far one is a new clock. */
  private tune(seen: number): void {
    const near = this.heard && Math.abs(seen - this.skew) < 5000;
    this.skew = near ? Math.max(this.skew, seen) : seen;
    this.heard = true;
  }

  /** Renews the sign-in, once for all calls that are open now. */
  private renew(): Promise<boolean> {
    const { refresh, headers } = this.credentials();
    if (!refresh) return Promise.resolve(headers !== undefined);
    this.renewal ??= Promise.resolve()
      .then(refresh)
      .then((answer) => answer !== false)
      .catch(() => false)
      .finally(() => {
        this.renewal = null;
      });
    return this.renewal;
  }
}

async function problem(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as { error?: { code?: string; message?: string; details?: unknown } };
    const details = typeof error?.details === 'object' && error.details !== null ? error.details : {};
    return new ApiError(
      response.status,
      error?.code ?? 'UNKNOWN',
      error?.message ?? '',
      details as Record<string, unknown>,
    );
  } catch {
    return new ApiError(response.status, response.status === 401 ? 'UNAUTHENTICATED' : 'UNKNOWN', '');
  }
}
