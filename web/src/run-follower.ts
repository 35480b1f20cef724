/** Keeps what the screen shows in step with the server: loads it, attaches to runs and follows them, tells what changed. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { type Api, ApiError, Unreachable } from './api.js';
import { STREAM_ENDS, TERMINAL_EVENTS, type ToolCallDto } from './events.js';
import { type Following, follow, type Pause } from './follow.js';
import { type Action, type CallView, type Chat, EMPTY, over, reduce, waiting, written } from './reduce.js';
import type { Me, Run, ScreenContext, Session } from './wire.js';

/** The element around the controller. */
export interface Host extends ReactiveControllerHost {
  readonly api: Api;
  readonly surface: string;
  readonly query: Record<string, string>;
  readonly context: ScreenContext | undefined;
  changed(entities: { kind: string; id: string }[]): void;
}

/** Something to tell the person: an error's code, and the server's words for codes that have none here. */
export interface Problem {
  code: string;
  message?: string;
}

const DISABLED: Me = { enabled: false };

export class RunFollower implements ReactiveController {
  chat: Chat = EMPTY;
  me: Me | null = null;
  problem: Problem | null = null;
  /** What went wrong with the card that is open. */
  cardProblem: Problem | null = null;
  deciding: 'approve' | 'reject' | null = null;
  /** A message or retry is on its way and no run has answered yet. */
  starting = false;
  lost = false;
  /** The run was pieced together over several streams: once it is over, its record says what stood where. */
  private pieced = false;
  protected stream: AbortController | null = null;
  protected generation = 0;

  constructor(
    protected readonly host: Host,
    protected readonly pause?: Pause,
  ) {
    host.addController(this);
  }

  hostDisconnected(): void {
    this.generation += 1;
    this.stream?.abort();
    this.stream = null;
  }

  get drawn(): boolean {
    return this.me?.enabled === true && this.me.mayChat === true;
  }

  /** Whether a run is under way or waits; then nothing can be sent. */
  get busy(): boolean {
    return this.starting || (this.chat.run !== null && !over(this.chat.run.status));
  }

  get running(): boolean {
    return this.starting || this.chat.run?.status === 'running';
  }

  /** Milliseconds by which the server's clock is ahead. */
  get skew(): number {
    return this.host.api.skew;
  }

  get api(): Api {
    return this.host.api;
  }

  get waiting(): CallView | undefined {
    return waiting(this.chat);
  }

  /** Loads all that there is, and attaches to a run that is not over. Draws nothing where the server cannot be asked. */
  async start(): Promise<void> {
    this.generation += 1;
    const mine = this.generation;
    let me: Me;
    try {
      me = await this.host.api.me(this.host.query);
    } catch (error) {
      if (mine !== this.generation) return;
      const refused = error instanceof ApiError && [401, 403, 404].includes(error.status);
      if (refused || !this.me) this.me = DISABLED;
      this.host.requestUpdate();
      return;
    }
    if (mine !== this.generation) return;
    this.me = me;
    this.pieced = false;
    if (!this.drawn) this.stream?.abort();
    else await this.load(me, mine);
    this.host.requestUpdate();
  }

  /** Looks again, for what another tab or person may have done; leaves a stream that flows alone. */
  async refresh(): Promise<void> {
    if (this.running || this.deciding) return;
    await this.start();
  }

  /** The page is hidden: a pause needs no open stream, so that many tabs do not use up the connections. */
  hidden(): void {
    if (this.chat.run?.status === 'awaiting_approval' && !this.deciding) this.stream?.abort();
  }

  private async load(me: Me, mine: number): Promise<void> {
    const session = me.session ?? null;
    try {
      const messages = session ? await this.host.api.messages(session.id) : [];
      const run = me.run ?? (await this.unseen(session));
      if (mine !== this.generation || this.running || this.deciding) return;
      this.dispatch({ type: 'loaded', session, messages, run });
    } catch (error) {
      this.say(known(error));
      return;
    }
    const run = this.chat.run;
    if (run && !over(run.status) && document.visibilityState !== 'hidden') this.attach(run.id);
    else if (run?.status === 'running') this.attach(run.id);
  }

  /** A run of this conversation that was open here and has ended elsewhere. */
  private async unseen(session: Session | null): Promise<Run | null> {
    const { run } = this.chat;
    const gone = run && !over(run.status) && session && session.id === this.chat.session?.id;
    return gone ? this.host.api.run(run.id) : null;
  }

  protected attach(run: string): void {
    this.open((signal) => this.host.api.events(run, this.lastId(run), signal), run).catch((error) => {
      const { code } = known(error);
      if (code !== 'STOPPED' && code !== 'NOT_FOUND') this.say({ code });
    });
  }

  /** Loads all anew and keeps the messages of these keys, which did not arrive. */
  protected async reload(keys: string[]): Promise<void> {
    const kept = this.chat.turns.filter((turn) => keys.includes(turn.id));
    const { problem } = this;
    this.starting = false;
    await this.start();
    this.chat = { ...this.chat, turns: [...this.chat.turns, ...kept] };
    this.say(problem);
  }

  protected say(problem: Problem | null): void {
    this.problem = problem;
    this.host.requestUpdate();
  }

  private lastId(run: string): number {
    return this.chat.run?.id === run ? this.chat.run.lastId : 0;
  }

  protected dispatch(action: Action): void {
    const before = this.chat;
    this.chat = reduce(before, action);
    if (this.chat === before) return;
    const entities = written(before, this.chat);
    if (entities.length > 0) this.host.changed(entities);
    this.host.requestUpdate();
  }

  /** Opens a stream and follows its run to the end, over lost connections. Throws what the opening throws. */
  protected async open(first: (signal: AbortSignal) => Promise<Response>, run?: string, opened?: () => void) {
    this.stream?.abort();
    const control = new AbortController();
    this.stream = control;
    const response = await first(control.signal);
    const id = response.headers.get('X-Run-Id') ?? run;
    if (!id) throw new Unreachable('no run');
    if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
      this.dispatch({ type: 'call', call: (await response.json()) as ToolCallDto });
      opened?.();
      return this.attach(id);
    }
    const attached = run !== undefined && opened === undefined;
    if (attached) this.pieced = true;
    if (!attached) this.dispatch({ type: 'started', run: id });
    this.starting = false;
    opened?.();
    try {
      await follow(this.following(id, response, control.signal, attached));
      if (!control.signal.aborted) await this.ended(id);
    } catch (error) {
      this.say(known(error));
      await this.reload([]);
    }
  }

  private following(id: string, response: Response, signal: AbortSignal, attached: boolean): Following {
    return {
      response,
      signal,
      again: () => this.host.api.events(id, this.lastId(id), signal),
      event: (number, event) => {
        this.dispatch({ type: 'event', run: id, id: number, event });
        return TERMINAL_EVENTS.includes(event.type) || (!attached && STREAM_ENDS.includes(event.type));
      },
      gap: () => this.chat.run?.gap === true,
      settled: async () => {
        this.dispatch({ type: 'run', run: await this.host.api.run(id) });
        return over(this.chat.run?.status);
      },
      lost: (lost) => {
        this.lost = lost;
        this.pieced = true;
        if (!lost && this.chat.run?.gap) this.chat = { ...this.chat, run: { ...this.chat.run, gap: false } };
        this.host.requestUpdate();
      },
      pause: this.pause,
    };
  }

  private async ended(run: string): Promise<void> {
    if (this.chat.run?.id !== run) return;
    if (!over(this.chat.run.status)) {
      if (this.chat.run.status === 'awaiting_approval' && document.visibilityState !== 'hidden') this.attach(run);
      return;
    }
    if (this.pieced) await this.start();
    else await this.renewMe().catch(() => undefined);
  }

  /** What the server says about the surface now: banner, totals, names in the context. */
  protected async renewMe(): Promise<void> {
    const me = await this.host.api.me(this.host.query);
    this.me = me;
    if (me.session && me.session.id === this.chat.session?.id) this.dispatch({ type: 'session', session: me.session });
    this.host.requestUpdate();
  }
}

/** An error in words that the screen has; what is no answer of a server is thrown on. */
export function known(error: unknown): Problem {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  if (error instanceof Unreachable) return { code: 'UNREACHABLE' };
  if (error instanceof DOMException && error.name === 'AbortError') return { code: 'STOPPED' };
  throw error;
}
