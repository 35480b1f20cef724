/** The controller against the stand-in over real HTTP: runs, pauses, lost connections, decisions, reloads. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Mock, serve } from '../dev/mock-server.mjs';
import { Api } from './api.js';
import { calls } from './reduce.js';
import { type Host, RunController } from './run-controller.js';

let mock: Mock;
let server: Server;
const opened: RunController[] = [];

function open(): { control: RunController; changes: unknown[] } {
  const changes: unknown[] = [];
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  const host: Host = {
    api: new Api(address, () => ({}), vi.fn()),
    surface: 'clinic',
    query: { surface: 'clinic', lang: 'en' },
    context: { screen: 'patient', entities: [{ kind: 'patient', id: 'a' }] },
    changed: (entities) => changes.push(entities),
    addController: () => undefined,
    removeController: () => undefined,
    requestUpdate: () => undefined,
    updateComplete: Promise.resolve(true),
  };
  const control = new RunController(host, () => Promise.resolve());
  opened.push(control);
  return { control, changes };
}

async function started() {
  const one = open();
  await one.control.start();
  return one;
}

/** Sends and comes back when the card is there. */
async function paused(text: string) {
  const one = await started();
  one.control.send(text);
  await vi.waitFor(() => expect(one.control.waiting).toBeDefined());
  const card = one.control.waiting;
  if (!card?.approval) throw new Error('no card');
  return { ...one, card, approval: card.approval };
}

function said(control: RunController): string {
  return control.chat.turns.map((turn) => turn.text).join('|');
}

function asked(path: RegExp): { headers: Record<string, string>; body: string }[] {
  return mock.requests.filter((one) => path.test(`${one.method} ${one.path}`));
}

beforeEach(async () => {
  vi.stubGlobal('document', { visibilityState: 'visible', cookie: '' });
  mock = new Mock();
  mock.options.delay = 0;
  server = await serve(0, mock);
});

afterEach(async () => {
  for (const control of opened.splice(0)) control.hostDisconnected();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('starting', () => {
  it('draws nothing where the copilot is off or the person may not chat', async () => {
    mock.options.enabled = false;
    expect((await started()).control.drawn).toBe(false);
    expect(asked(/sessions/)).toEqual([]);
  });

  it('draws nothing where the server refuses', async () => {
    mock.options.unauthorized = 1;
    expect((await started()).control.drawn).toBe(false);
  });
});

describe('a message', () => {
  it('opens a conversation with its context, streams, and settles', async () => {
    const { control, changes } = await started();
    await control.send('agenda');
    expect(said(control)).toContain('8 appointments');
    expect(control.chat.run?.status).toBe('complete');
    expect(control.busy).toBe(false);
    expect(JSON.parse(asked(/POST .*sessions$/)[0]?.body ?? '')).toEqual({
      surface: 'clinic',
      context: { screen: 'patient', entities: [{ kind: 'patient', id: 'a' }] },
    });
    expect(control.chat.session?.context?.entities?.[0]?.label).toBe('María García López');
    expect(changes).toEqual([]);
  });

  it.each(['', '   ', 'x'.repeat(4001)])('of a length that is not allowed is not sent (%#)', async (text) => {
    const { control } = await started();
    expect(await control.send(text)).toBe(false);
    expect(asked(/messages/)).toEqual([]);
  });

  it('is not sent while a run is not over (RUN-10)', async () => {
    const { control } = await paused('book');
    expect(await control.send('more')).toBe(false);
    expect(asked(/POST .*messages/)).toHaveLength(1);
  });

  it('that the server refuses stays, and goes again under the same key', async () => {
    const { control } = await started();
    await control.send('rate');
    const turn = control.chat.turns[0];
    expect(turn?.sending).toBe('failed');
    expect(control.problem?.code).toBe('AI_RATE_LIMITED');
    await control.resend(turn?.id ?? '');
    const keys = asked(/POST .*messages/).map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([turn?.id, turn?.id]);
    expect(control.chat.turns).toHaveLength(1);
    control.discard(turn?.id ?? '');
    expect(control.chat.turns).toEqual([]);
  });

  it('that had arrived already attaches to its run (RUN-11)', async () => {
    const { control } = await started();
    await control.send('agenda');
    const key = mock.messages[0]?.key ?? '';
    await control.start();
    control.chat = { ...control.chat, turns: [], run: null };
    control.chat = {
      ...control.chat,
      turns: [
        { id: key, runId: null, role: 'user', text: 'agenda', size: 6, calls: [], notice: null, sending: 'failed' },
      ],
    };
    await control.resend(key);
    await vi.waitFor(() => expect(control.chat.run?.status).toBe('complete'));
    expect(said(control)).toContain('8 appointments');
    expect(mock.runs).toHaveLength(1);
  });
});

describe('a lost connection', () => {
  it('is taken up after the last event, and nothing is missed or doubled', async () => {
    const { control } = await started();
    mock.options.drop = 9;
    await control.send('agenda');
    const whole = mock.messages.filter((one) => one.role === 'assistant').map((one) => one.content);
    expect(
      control.chat.turns
        .filter((turn) => turn.role === 'assistant')
        .map((turn) => turn.text)
        .join(''),
    ).toBe(whole.join(''));
    expect(asked(/GET .*events/)[0]?.headers['last-event-id']).toBe('2');
    expect(calls(control.chat)).toHaveLength(1);
    expect(control.lost).toBe(false);
    expect(control.chat.run?.status).toBe('complete');
  });
});

describe('a card', () => {
  it('that is approved runs on in the same breath and tells what changed', async () => {
    const { control, card, changes } = await paused('book');
    await control.decide(card, true);
    expect(said(control)).toContain('Done:');
    expect(calls(control.chat).at(-1)).toMatchObject({ outcome: 'ok', approval: { status: 'approved' } });
    expect(changes).toEqual([[{ kind: 'appointment', id: '0190a1b2-0000-7000-8000-0000000000c1' }]]);
    expect(JSON.parse(asked(/decide/)[0]?.body ?? '')).toEqual({ approve: true, digest: card.approval?.digest });
  });

  it('is sent once, however often it is clicked', async () => {
    const { control, card } = await paused('book');
    await Promise.all([control.decide(card, true), control.decide(card, true), control.decide(card, false)]);
    expect(asked(/decide/)).toHaveLength(1);
  });

  it('that is rejected carries the reason and changes nothing', async () => {
    const { control, card, changes } = await paused('book');
    await control.decide(card, false, { reason: 'wrong day' });
    expect(calls(control.chat).at(-1)?.outcome).toBe('rejected');
    expect(JSON.parse(asked(/decide/)[0]?.body ?? '')).toMatchObject({ approve: false, reason: 'wrong day' });
    expect(changes).toEqual([]);
    expect(control.busy).toBe(false);
  });

  it('whose confirmation does not fit stays open and says so (APPR-8)', async () => {
    const { control, card } = await paused('cancel');
    await control.decide(card, true, { typed: { confirm: 'no' } });
    expect(control.cardProblem?.code).toBe('AI_CONFIRMATION_MISMATCH');
    expect(control.waiting?.id).toBe(card.id);
    await control.decide(card, true, { typed: { confirm: 'María García López' } });
    expect(calls(control.chat).at(-1)?.outcome).toBe('ok');
  });

  it('that is stale shows the new one; only that one can be approved (APPR-4)', async () => {
    const { control, card, approval } = await paused('stale');
    await control.decide(card, true);
    const fresh = control.waiting;
    expect(fresh).toMatchObject({ id: card.id, changed: true });
    expect(fresh?.approval?.digest).not.toBe(approval.digest);
    if (fresh) await control.decide(fresh, true);
    expect(calls(control.chat).at(-1)?.outcome).toBe('ok');
  });

  it('that has expired says so, and the run is over', async () => {
    mock.options.ttl = -1;
    const { control, card } = await paused('book');
    await control.decide(card, true);
    await vi.waitFor(() => expect(control.chat.run?.status).toBe('expired'));
    expect(control.problem?.code).toBe('AI_APPROVAL_EXPIRED');
    expect(control.busy).toBe(false);
  });

  it('that was decided in another tab is closed here, and its end is shown', async () => {
    const { control, card } = await paused('book');
    const other = await started();
    expect(other.control.waiting?.id).toBe(card.id);
    if (other.control.waiting) await other.control.decide(other.control.waiting, true);
    await vi.waitFor(() => expect(control.chat.run?.status).toBe('complete'));
    expect(said(control)).toContain('Done:');
    await control.decide(card, false);
    expect(control.problem?.code).toBe('AI_APPROVAL_RESOLVED');
  });

  it('that was decided while the page was hidden is seen on return', async () => {
    const { control, card, changes } = await paused('book');
    vi.stubGlobal('document', { visibilityState: 'hidden', cookie: '' });
    control.hidden();
    const other = await started();
    if (other.control.waiting) await other.control.decide(other.control.waiting, true);
    vi.stubGlobal('document', { visibilityState: 'visible', cookie: '' });
    await control.refresh();
    expect(control.waiting).toBeUndefined();
    expect(calls(control.chat).find((call) => call.id === card.id)?.outcome).toBe('ok');
    expect(changes).toHaveLength(1);
    expect(control.busy).toBe(false);
  });

  it('that was cut is fetched whole before it can be approved', async () => {
    const { control, card } = await paused('put off');
    expect(card.approval?.preview).toMatchObject({ cut: true, changes: { length: 2 } });
    await control.whole(card.id);
    expect(control.waiting?.approval?.preview).toMatchObject({ cut: false, changes: { length: 6 } });
  });
});

describe('a reload', () => {
  it('brings back the messages and the pending card, which still can be approved', async () => {
    const { card } = await paused('book');
    const { control } = await started();
    expect(said(control)).toContain('I am looking');
    expect(control.waiting?.id).toBe(card.id);
    if (control.waiting) await control.decide(control.waiting, true);
    expect(control.chat.run?.status).toBe('complete');
  });

  it('attaches to a run that is being driven', async () => {
    mock.options.delay = 2;
    const first = await started();
    first.control.send('agenda');
    await vi.waitFor(() => expect(said(first.control)).toContain('There'));
    first.control.hostDisconnected();
    const { control } = await started();
    expect(control.running).toBe(true);
    await vi.waitFor(() => expect(control.chat.run?.status).toBe('complete'), { timeout: 5000 });
    expect(said(control)).toContain('confirm the appointments that are open');
    expect(calls(control.chat)).toHaveLength(1);
  });
});

describe('stop, retry, new', () => {
  it('stop ends the run where it is', async () => {
    const { control } = await started();
    control.send('slow');
    await vi.waitFor(() => expect(said(control)).toContain('Palabra'));
    await control.cancel();
    await vi.waitFor(() => expect(control.chat.run?.status).toBe('aborted'));
    expect(control.busy).toBe(false);
  });

  it('retry opens a new run after an error', async () => {
    const { control } = await started();
    await control.send('error');
    expect(control.chat.run).toMatchObject({ status: 'error', errorCode: 'AI_UNAVAILABLE' });
    await control.retry();
    expect(control.chat.run?.status).toBe('complete');
    expect(mock.runs).toHaveLength(2);
  });

  it('a new conversation is refused while a card waits, unless it is withdrawn', async () => {
    const { control } = await paused('book');
    await control.renew();
    expect(control.problem?.code).toBe('AI_APPROVAL_PENDING');
    expect(control.waiting).toBeDefined();
    await control.renew(true);
    expect(control.chat.turns).toEqual([]);
    expect(mock.sessions.map((one) => one.status)).toEqual(['archived', 'active']);
    expect(mock.runs[0]?.status).toBe('aborted');
    await control.send('agenda');
    expect(said(control)).toMatch(/^agenda\|/);
    expect(calls(control.chat)).toHaveLength(1);
  });
});
