/**
 * A stand-in for the router, to look at the element without a server of ours: `node dev/mock-server.mjs [port]`.
 * It speaks docs/reference/wire.md from memory only. Words in a message choose the script: see `scripts.mjs`.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { plan, words } from './scripts.mjs';

const STATIC = new URL('../../src/deputize/surfaces/http/static/', import.meta.url);
const PAGE = new URL('./index.html', import.meta.url);
const OVER = ['complete', 'error', 'budget_exceeded', 'aborted', 'expired'];
const ENDS = ['message_done', 'budget_exceeded', 'error'];

/** One person's server: `options` are the query of `POST /mock` (ttl in ms, piece delay in ms, and switches). */
export class Mock {
  options = {
    ttl: 600_000,
    delay: 25,
    languageModel: true,
    banner: null,
    enabled: true,
    mayChat: true,
    drop: 0,
    unauthorized: 0,
  };
  sessions = [];
  messages = [];
  runs = [];
  requests = [];

  get session() {
    return this.sessions.find((one) => one.status === 'active') ?? null;
  }

  get run() {
    return this.runs.findLast((one) => one.sessionId === this.session?.id && !OVER.includes(one.status)) ?? null;
  }

  me(lang) {
    const { enabled, mayChat, languageModel, banner } = this.options;
    if (!enabled || !mayChat) return { enabled: false };
    const say = words(lang);
    return {
      enabled,
      mayChat,
      locale: lang,
      surface: 'clinic',
      title: say.title,
      disclaimer: say.disclaimer,
      languageModel,
      provider: languageModel ? 'openai' : 'offline',
      redaction: { on: true, note: say.redaction },
      banner: banner ? say.banner : null,
      suggestions: say.suggestions,
      session: this.session,
      run: this.run ? this.shown(this.run) : null,
    };
  }

  shown({ events, listeners, steps, abort, ...run }) {
    return run;
  }

  open(context) {
    if (this.run) throw problem(409, 'AI_APPROVAL_PENDING');
    for (const one of this.sessions) one.status = 'archived';
    const now = new Date().toISOString();
    const session = {
      id: randomUUID(),
      userId: 'ana',
      surface: 'clinic',
      title: null,
      status: 'active',
      context: this.named(context),
      totals: { messages: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
      createdAt: now,
      updatedAt: now,
    };
    this.sessions.push(session);
    return session;
  }

  named(context) {
    const label = { patient: 'María García López' };
    return {
      screen: context?.screen ?? null,
      entities: (context?.entities ?? []).map((one) => ({
        ...one,
        label: label[one.kind] ?? one.id,
        url: `/patients/${one.id}`,
      })),
    };
  }

  /** A run over a script; it pauses where the script stages a call and goes on when that is decided. */
  async drive(run) {
    while (run.steps.length > 0 && !OVER.includes(run.status)) {
      const step = run.steps[0];
      if (step.wait) await sleep(step.wait);
      if (run.abort) return;
      if (step.text !== undefined) {
        await this.write(run, step);
        if (run.abort) return;
      } else if (step.call) {
        this.emit(run, 'tool_call_start', {
          callId: step.call.id,
          tool: step.call.tool,
          title: step.call.title,
          args: step.call.args,
        });
        this.at(run).toolCalls.push(step.call);
        await sleep(this.options.delay * 12);
        if (run.abort) return;
        Object.assign(step.call, {
          outcome: step.outcome ?? 'ok',
          code: step.code ?? null,
          result: step.result,
          links: step.links ?? [],
        });
        this.emit(run, 'tool_result', {
          callId: step.call.id,
          outcome: step.call.outcome,
          result: step.result,
          truncated: step.truncated ?? false,
          code: step.code ?? null,
          links: step.links ?? [],
        });
      } else if (step.stage) {
        step.stage.approval.expiresAt = new Date(Date.now() + this.options.ttl).toISOString();
        this.at(run).toolCalls.push(step.stage);
        run.status = 'awaiting_approval';
        this.emit(run, 'tool_call_start', {
          callId: step.stage.id,
          tool: step.stage.tool,
          title: step.stage.title,
          args: step.stage.args,
        });
        this.emit(run, 'tool_approval_required', { call: this.card(step.stage) });
        run.steps.shift();
        return;
      } else if (step.end) {
        this.finish(run, step.end, step.data);
      }
      run.steps.shift();
    }
    if (!OVER.includes(run.status) && run.status === 'running') this.finish(run, 'complete', {});
  }

  finish(run, status, data) {
    run.status = status;
    run.finishedAt = new Date().toISOString();
    const { id } = this.at(run);
    const usage = { inputTokens: 900, outputTokens: 120, costMicroUsd: 210 };
    if (data?.notice) this.at(run).notice = data.notice;
    if (status === 'error') {
      run.errorCode = data.code;
      this.emit(run, 'error', data);
    } else if (status === 'budget_exceeded') this.emit(run, 'budget_exceeded', data);
    else this.emit(run, 'message_done', { messageId: id, status, usage, notice: data?.notice ?? null });
  }

  /** The assistant message that the run is writing. */
  at(run) {
    let last = this.messages.at(-1);
    if (last?.role !== 'assistant' || last.runId !== run.id || run.fresh) {
      last = {
        id: randomUUID(),
        runId: run.id,
        sessionId: run.sessionId,
        role: 'assistant',
        content: '',
        notice: null,
        toolCalls: [],
        createdAt: new Date().toISOString(),
      };
      this.messages.push(last);
      run.fresh = false;
    }
    return last;
  }

  async write(run, step) {
    run.fresh = this.messages.at(-1)?.role === 'assistant' && this.messages.at(-1).runId === run.id;
    const message = this.at(run);
    for (const piece of step.text.match(/[\s\S]{1,6}/gu)) {
      const at = [...message.content].length;
      message.content += piece;
      this.emit(run, 'token', { message: message.id, at, text: piece });
      await sleep(step.slow ?? this.options.delay);
      if (run.abort) return;
    }
  }

  emit(run, event, data) {
    const frame = { event, data };
    if (event !== 'token') {
      frame.id = run.events.length + 1;
      run.events.push(frame);
    }
    for (const listener of [...run.listeners]) listener(frame);
  }

  /** The card as events carry it: a cut preview shows its first rows only. */
  card(call) {
    const { preview } = call.approval;
    if (!preview.cut) return call;
    return { ...call, approval: { ...call.approval, preview: { ...preview, changes: preview.changes.slice(0, 2) } } };
  }

  call(id) {
    const call = this.messages.flatMap((message) => message.toolCalls).find((one) => one.id === id);
    if (!call) throw problem(404, 'NOT_FOUND');
    return call;
  }

  decide(id, { approve, digest, reason, typed }) {
    const call = this.call(id);
    const run = this.runs.find((one) => one.id === call.runId);
    const { approval } = call;
    if (approval.status !== 'pending')
      throw problem(
        approval.status === 'expired' ? 410 : 409,
        approval.status === 'expired' ? 'AI_APPROVAL_EXPIRED' : 'AI_APPROVAL_RESOLVED',
      );
    if (Date.parse(approval.expiresAt) <= Date.now()) {
      this.expire(run, call);
      throw problem(410, 'AI_APPROVAL_EXPIRED');
    }
    if (digest !== approval.digest) throw problem(409, 'AI_APPROVAL_STALE', { call });
    const { friction } = approval.preview;
    if (approve && friction.confirm && typed?.confirm !== friction.confirm)
      throw problem(422, 'AI_CONFIRMATION_MISMATCH');
    for (const name of approve ? friction.destinations : []) {
      if (typed?.destinations?.[name]?.trim().toLowerCase() !== call.args[name])
        throw problem(422, 'AI_CONFIRMATION_MISMATCH');
    }
    if (approve && call.staleOnce) {
      call.staleOnce(call);
      delete call.staleOnce;
      this.emit(run, 'tool_approval_expired', { callId: call.id, reason: 'stale' });
      this.emit(run, 'tool_approval_required', { call: this.card(call) });
      throw problem(409, 'AI_APPROVAL_STALE', { call: this.card(call) });
    }
    Object.assign(approval, { status: approve ? 'approved' : 'rejected', decidedBy: 'ana', reason: reason ?? null });
    call.outcome = approve ? 'ok' : 'rejected';
    call.result = approve ? call.would : null;
    call.links = approve ? (call.wouldLinks ?? []) : [];
    run.status = 'running';
    if (!approve) run.steps = [{ text: words(call.lang).rejected }];
    return {
      run,
      go: () => {
        this.emit(run, 'tool_result', {
          callId: id,
          outcome: call.outcome,
          result: call.result,
          truncated: false,
          code: null,
          links: call.links,
        });
        this.drive(run);
      },
    };
  }

  expire(run, call) {
    call.approval.status = 'expired';
    call.outcome = 'expired';
    run.status = 'expired';
    this.emit(run, 'tool_approval_expired', { callId: call.id, reason: 'expired' });
    this.finish(run, 'expired', {});
  }

  cancel(run) {
    if (OVER.includes(run.status)) throw problem(409, 'AI_RUN_NOT_ACTIVE');
    run.abort = true;
    for (const message of this.messages) {
      for (const call of message.toolCalls)
        if (call.runId === run.id && call.approval?.status === 'pending') {
          Object.assign(call, { outcome: 'expired' });
          call.approval.status = 'withdrawn';
          this.emit(run, 'tool_approval_expired', { callId: call.id, reason: 'cancelled' });
        }
    }
    this.finish(run, 'aborted', {});
    return run;
  }

  start(session, content, lang, retryOf = null) {
    const run = {
      id: randomUUID(),
      sessionId: session.id,
      userId: 'ana',
      surface: 'clinic',
      mode: 'copilot',
      status: 'running',
      model: 'mock',
      provider: 'mock',
      inputTokens: 0,
      outputTokens: 0,
      costMicroUsd: 0,
      retryOf,
      errorCode: null,
      startedAt: new Date().toISOString(),
      finishedAt: null,
      events: [],
      listeners: new Set(),
      abort: false,
      steps: [],
    };
    run.steps = plan(content, lang, run.id, retryOf !== null);
    this.runs.push(run);
    return run;
  }
}

function problem(status, code, details = {}) {
  return Object.assign(new Error(code), { status, body: { error: { code, message: code, details } } });
}

function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Sends frames from after `lastId` on; ends with the run, or at a pause unless `through`. */
function stream(mock, response, run, lastId, through, go) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache', 'X-Run-Id': run.id });
  response.write(': open\n\n');
  const send = (frame) => {
    const id = frame.id === undefined ? '' : `id: ${frame.id}\n`;
    response.write(`${id}event: ${frame.event}\ndata: ${JSON.stringify(frame.data)}\n\n`);
    if (ENDS.includes(frame.event) || (!through && frame.event === 'tool_approval_required')) {
      run.listeners.delete(send);
      response.end();
    } else if (mock.options.drop > 0 && frame.event === 'token') {
      mock.options.drop -= 1;
      if (mock.options.drop === 0) response.destroy();
    }
  };
  response.on('close', () => run.listeners.delete(send));
  for (const message of through ? mock.messages : []) {
    if (message.runId === run.id && message.role === 'assistant' && message.content) {
      send({ event: 'token', data: { message: message.id, at: 0, text: message.content } });
    }
  }
  for (const frame of run.events) if (frame.id > lastId && !response.writableEnded) send(frame);
  if (response.writableEnded) return;
  run.listeners.add(send);
  go?.();
}

function routes(mock, request, response, url, body) {
  const lang = url.searchParams.get('lang') ?? mock.lang ?? 'es';
  const path = url.pathname
    .replace(/^\/api/, '')
    .split('/')
    .slice(1);
  const json = (value, status = 200) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  const list = (items) => json({ items, total: items.length, page: 1, pageSize: 200 });
  const [kind, id, deed] = path;
  if (kind === 'me') {
    mock.lang = lang;
    return json(mock.me(lang));
  }
  if (kind === 'sessions' && !id)
    return request.method === 'POST' ? json(mock.open(body.context), 201) : list(mock.sessions);
  if (kind === 'sessions' && deed === 'messages' && request.method === 'GET')
    return list(mock.messages.filter((one) => one.sessionId === id));
  if (kind === 'sessions' && deed === 'messages') {
    if (mock.run) throw problem(409, 'AI_APPROVAL_PENDING');
    const session = mock.sessions.find((one) => one.id === id && one.status === 'active');
    if (!session) throw problem(404, 'NOT_FOUND');
    const key = request.headers['idempotency-key'];
    const known = mock.messages.find((one) => one.key === key);
    if (known) throw problem(409, 'AI_MESSAGE_DUPLICATE', { runId: known.runId });
    if (/rate|deprisa/i.test(body.content)) throw problem(429, 'AI_RATE_LIMITED');
    const run = mock.start(session, body.content, mock.lang);
    if (body.context) session.context = mock.named(body.context);
    session.title ??= body.content.slice(0, 60);
    mock.messages.push({
      id: randomUUID(),
      key,
      runId: run.id,
      sessionId: id,
      role: 'user',
      content: body.content,
      notice: null,
      toolCalls: [],
      createdAt: run.startedAt,
    });
    return stream(mock, response, run, 0, false, () => mock.drive(run));
  }
  if (kind === 'tool-calls') {
    if (!deed) {
      const call = mock.call(id);
      return json({
        ...call,
        approval: call.approval && { ...call.approval, preview: { ...call.approval.preview, cut: false } },
      });
    }
    const { run, go } = mock.decide(id, body);
    return stream(mock, response, run, run.events.length, false, go);
  }
  if (kind === 'runs') {
    const run = mock.runs.find((one) => one.id === id);
    if (!run) throw problem(404, 'NOT_FOUND');
    if (deed === 'events') return stream(mock, response, run, Number(request.headers['last-event-id'] ?? 0), true);
    if (deed === 'cancel') return json(mock.shown(mock.cancel(run)));
    if (deed === 'retry') {
      const session = mock.sessions.find((one) => one.id === run.sessionId);
      const content = mock.messages.find((one) => one.runId === run.id && one.role === 'user')?.content ?? '';
      const next = mock.start(session, content, mock.lang, run.id);
      return stream(mock, response, next, 0, false, () => mock.drive(next));
    }
    return json(mock.shown(run));
  }
  throw problem(404, 'NOT_FOUND');
}

/** Serves the mock, the built module and a page to look at; resolves to the server once it listens. */
export function serve(port = 0, mock = new Mock()) {
  const files = { '/deputize.js': [new URL('deputize.js', STATIC), 'text/javascript'] };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://loopback');
    let text = '';
    for await (const chunk of request) text += chunk;
    try {
      if (url.pathname === '/mock') {
        Object.assign(mock.options, JSON.parse(text || '{}'));
        response.end(JSON.stringify(mock.requests.splice(0)));
      } else if (url.pathname.startsWith('/api/')) {
        mock.requests.push({ method: request.method, path: url.pathname, headers: request.headers, body: text });
        if (mock.options.unauthorized > 0) {
          mock.options.unauthorized -= 1;
          throw problem(401, 'UNAUTHENTICATED');
        }
        routes(mock, request, response, url, text ? JSON.parse(text) : {});
      } else {
        const [file, type] = files[url.pathname] ?? [PAGE, 'text/html; charset=utf-8'];
        response.writeHead(200, { 'Content-Type': type, 'Set-Cookie': 'csrf=mock-csrf; SameSite=Lax; Path=/' });
        response.end(readFileSync(file));
      }
    } catch (error) {
      if (!error.status) throw error;
      response.writeHead(error.status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(error.body));
    }
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serve(Number(process.argv[2] ?? 4173));
  process.stdout.write(`listening on ${server.address().port}\n`);
}
