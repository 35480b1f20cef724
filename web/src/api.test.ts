// @vitest-environment jsdom
/** Requests as API-4 wants them: CSRF header, idempotency key, one refresh for all open calls, one more try. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Api, ApiError, type Credentials, cookie, newKey, Unreachable } from './api.js';

interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
}

const sent: Sent[] = [];
let answers: ((request: Sent) => Response | Promise<Response>)[] = [];
const signIn = vi.fn();

function api(credentials: Credentials = {}): Api {
  return new Api('/api', () => credentials, signIn);
}

function ok(body: unknown = {}, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json', ...headers } });
}

function refused(status: number, code: string, details = {}): Response {
  return new Response(JSON.stringify({ error: { code, message: 'no', details } }), { status });
}

beforeEach(() => {
  sent.length = 0;
  answers = [];
  signIn.mockReset();
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const request: Sent = {
      url,
      method: init.method ?? 'GET',
      headers: init.headers as Record<string, string>,
      body: init.body ? JSON.parse(init.body as string) : undefined,
    };
    sent.push(request);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer ? answer(request) : ok();
  });
});

describe('a request', () => {
  it('that changes something carries the CSRF header from the cookie; a read does not', async () => {
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie is what is under test
    document.cookie = 'csrf=a%20b';
    const spoken = api({ csrfCookie: 'csrf', csrfHeader: 'X-CSRF-Token' });
    await spoken.cancel('r 1');
    await spoken.me({ surface: 'clinic', lang: 'es' });
    expect(sent[0]).toMatchObject({ url: '/api/runs/r%201/cancel', method: 'POST', body: {} });
    expect(sent[0]?.headers).toMatchObject({ 'X-CSRF-Token': 'a b', 'Content-Type': 'application/json' });
    expect(sent[1]?.url).toBe('/api/me?surface=clinic&lang=es');
    expect(sent[1]?.headers).toEqual({ Accept: 'application/json' });
  });

  it('carries the headers of the host', async () => {
    await api({ headers: async () => ({ Authorization: 'Bearer x' }) }).me({});
    expect(sent[0]?.headers.Authorization).toBe('Bearer x');
  });

  it('with a message carries its key; an attachment the last event id', async () => {
    const { signal } = new AbortController();
    await api().send('s', 'hola', { screen: 'a', entities: [] }, 'key-1', signal);
    await api().events('r', 7, signal);
    await api().events('r', 0, signal);
    expect(sent[0]?.headers).toMatchObject({ 'Idempotency-Key': 'key-1', Accept: 'text/event-stream' });
    expect(sent[0]?.body).toEqual({ content: 'hola', context: { screen: 'a', entities: [] } });
    expect(sent[1]?.headers['Last-Event-ID']).toBe('7');
    expect(sent[2]?.headers).not.toHaveProperty('Last-Event-ID');
  });

  it('that is refused throws code, status and details', async () => {
    answers = [() => refused(409, 'AI_APPROVAL_STALE', { call: { id: 'c' } })];
    const error = await api()
      .run('r')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 409, code: 'AI_APPROVAL_STALE', details: { call: { id: 'c' } } });
  });

  it('that a proxy answers without JSON still throws a code', async () => {
    answers = [() => new Response('<html>', { status: 502 })];
    await expect(api().run('r')).rejects.toMatchObject({ status: 502, code: 'UNKNOWN' });
  });

  it('that nobody answers throws Unreachable', async () => {
    answers = [() => Promise.reject(new TypeError('network'))];
    await expect(api().run('r')).rejects.toBeInstanceOf(Unreachable);
  });

  it('reads all pages of messages', async () => {
    answers = [() => ok({ items: [{ id: 'a' }], total: 2 }), () => ok({ items: [{ id: 'b' }], total: 2 })];
    expect(await api().messages('s')).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect(sent.map(({ url }) => url.split('?')[1])).toEqual(['page=1&pageSize=200', 'page=2&pageSize=200']);
  });
});

describe('a 401 before the first byte', () => {
  it('refreshes once for all open calls, and each is tried once more', async () => {
    let signed = false;
    const refresh = vi.fn(async () => {
      signed = true;
    });
    answers = [() => (signed ? ok({ id: 'r' }) : refused(401, 'UNAUTHENTICATED'))];
    const spoken = api({ refresh });
    await Promise.all([spoken.run('a'), spoken.run('b'), spoken.run('c')]);
    expect(refresh).toHaveBeenCalledTimes(1);
    expect(sent).toHaveLength(6);
    expect(signIn).not.toHaveBeenCalled();
  });

  it('asks the page to sign in where the second try fails too, and tries no third time', async () => {
    answers = [() => refused(401, 'UNAUTHENTICATED')];
    await expect(api({ refresh: () => true }).run('a')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(sent).toHaveLength(2);
    expect(signIn).toHaveBeenCalledTimes(1);
  });

  it('is not tried again where the refresh fails or there is none', async () => {
    answers = [() => refused(401, 'UNAUTHENTICATED')];
    const fails = () => Promise.reject(new Error('no'));
    await expect(api({ refresh: fails }).run('a')).rejects.toBeInstanceOf(ApiError);
    await expect(api({ refresh: () => false }).run('a')).rejects.toBeInstanceOf(ApiError);
    await expect(api().run('a')).rejects.toBeInstanceOf(ApiError);
    expect(sent).toHaveLength(3);
    expect(signIn).toHaveBeenCalledTimes(3);
  });

  it('asks for new headers where the host gives headers', async () => {
    const tokens = ['old', 'new'];
    answers = [({ headers }) => (headers.Authorization === 'new' ? ok() : refused(401, 'UNAUTHENTICATED'))];
    await api({ headers: () => ({ Authorization: tokens.shift() ?? '' }) }).run('a');
    expect(sent).toHaveLength(2);
  });

  it('sends a message again under the same key', async () => {
    answers = [() => refused(401, 'UNAUTHENTICATED'), () => ok()];
    await api({ refresh: () => true }).send('s', 'x', undefined, 'k', new AbortController().signal);
    expect(sent.map(({ headers }) => headers['Idempotency-Key'])).toEqual(['k', 'k']);
  });
});

describe("the server's clock", () => {
  it('is what the best answer says; an answer that came late does not set it back', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12, 0, 0) });
    const at = (second: number) => () => ok({}, { date: new Date(Date.UTC(2026, 0, 1, 12, 1, second)).toUTCString() });
    const spoken = api();
    answers = [at(1), at(0), () => ok()];
    await spoken.run('a');
    await spoken.run('a');
    await spoken.run('a');
    expect(spoken.skew).toBe(61_000);
    vi.useRealTimers();
  });
});

it('a cookie is found by its whole name', () => {
  expect(cookie('csrf', 'xcsrf=1; csrf=a=b; csrf2=3')).toBe('a=b');
  expect(cookie('none', 'a=1')).toBe('');
});

it('keys do not repeat, also without a secure context', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const keys = new Set(Array.from({ length: 50 }, newKey));
  expect(keys.size).toBe(50);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
});
