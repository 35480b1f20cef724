/** What a person does in the conversation: send, stop, retry, decide, start anew. */
import { ApiError, newKey } from './api.js';
import type { ToolCallDto } from './events.js';
import { type CallView, EMPTY, over } from './reduce.js';
import { known, RunFollower } from './run-follower.js';
import type { Run, Session, Typed } from './wire.js';

export type { Host, Problem } from './run-follower.js';

const RENEWALS = 6;

export class RunController extends RunFollower {
  async send(text: string): Promise<boolean> {
    const content = text.trim();
    if (content === '' || [...content].length > 4000 || this.busy) return false;
    await this.submit(newKey(), content);
    return true;
  }

  /** Sends a message again that did not arrive, with the same key, so that it cannot arrive twice. */
  async resend(key: string): Promise<void> {
    const turn = this.chat.turns.find((known) => known.id === key);
    if (turn && !this.busy) await this.submit(key, turn.text);
  }

  discard(key: string): void {
    this.dispatch({ type: 'unsent', key, keep: false });
    this.say(null);
  }

  async retry(): Promise<void> {
    const run = this.chat.run;
    if (!run || this.busy) return;
    this.begin();
    await this.attempt(() => this.open((signal) => this.host.api.retry(run.id, signal)));
    this.starting = false;
    this.host.requestUpdate();
  }

  async cancel(): Promise<void> {
    const run = this.chat.run;
    if (this.starting || !run) {
      this.stream?.abort();
      return;
    }
    await this.attempt(async () => this.settle(await this.host.api.cancel(run.id)));
  }

  /** Decides the card. What the server refuses is told on the card, which stays open. */
  async decide(call: CallView, approve: boolean, more: { reason?: string; typed?: Typed } = {}): Promise<void> {
    if (this.deciding || !call.approval) return;
    const { digest } = call.approval;
    this.generation += 1;
    this.deciding = approve ? 'approve' : 'reject';
    this.cardProblem = null;
    this.host.requestUpdate();
    try {
      await this.open(
        (signal) => this.host.api.decide(call.id, { approve, digest, ...more }, signal),
        call.runId,
        () => {
          this.deciding = null;
        },
      );
    } catch (error) {
      this.deciding = null;
      await this.undecided(call, error);
    }
    this.deciding = null;
    this.host.requestUpdate();
  }

  /** The card as the person has changed it, or as it now stands. */
  edited(call: CallView): void {
    this.cardProblem = null;
    this.dispatch({ type: 'call', call, changed: call.changed });
    this.host.requestUpdate();
  }

  /** The whole of a card that was cut. */
  async whole(id: string): Promise<void> {
    try {
      const call = await this.host.api.call(id);
      this.dispatch({ type: 'call', call: wholly(call) });
    } catch (error) {
      this.cardProblem = known(error);
    }
    this.host.requestUpdate();
  }

  /** A new conversation; what is under way is withdrawn first if the person said so. */
  async renew(withdraw = false): Promise<void> {
    const run = this.chat.run;
    try {
      if (withdraw && run && !over(run.status)) {
        this.stream?.abort();
        await this.host.api.cancel(run.id);
      }
      const session = await this.opened(withdraw ? RENEWALS : 0);
      this.stream?.abort();
      this.generation += 1;
      this.chat = { ...EMPTY, session };
      this.cardProblem = null;
      this.say(null);
      await this.attempt(() => this.renewMe());
    } catch (error) {
      this.say(known(error));
      await this.reload([]);
    }
  }

  /** A new conversation; asked for again, so many times, while the run withdrawn is not over yet. */
  private async opened(times: number): Promise<Session> {
    const { api, surface, context } = this.host;
    for (let left = times; ; left--) {
      try {
        return await api.open(surface, context);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'AI_APPROVAL_PENDING' || left === 0) throw error;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    }
  }

  private async submit(key: string, text: string): Promise<void> {
    this.begin();
    this.dispatch({ type: 'sent', key, text });
    try {
      let session = this.chat.session;
      if (session?.status !== 'active') {
        session = await this.host.api.open(this.host.surface, this.host.context);
        this.dispatch({ type: 'session', session });
      }
      const { id } = session;
      await this.open(
        (signal) => this.host.api.send(id, text, this.host.context, key, signal),
        undefined,
        () => {
          const run = this.chat.run;
          if (run) this.dispatch({ type: 'started', run: run.id, key });
        },
      );
    } catch (error) {
      this.starting = false;
      await this.unsent(key, error);
    }
    this.starting = false;
    this.host.requestUpdate();
  }

  private async unsent(key: string, error: unknown): Promise<void> {
    if (error instanceof ApiError && error.code === 'AI_MESSAGE_DUPLICATE') {
      const run = error.details.runId ?? error.details.run;
      if (typeof run === 'string') {
        this.dispatch({ type: 'started', run, key });
        this.attach(run);
        return;
      }
    }
    this.dispatch({ type: 'unsent', key, keep: true });
    this.say(known(error));
    if (error instanceof ApiError && error.code === 'AI_APPROVAL_PENDING') await this.reload([key]);
  }

  private async undecided(call: CallView, error: unknown): Promise<void> {
    this.cardProblem = known(error);
    if (error instanceof ApiError) {
      const fresh = error.details.call as ToolCallDto | undefined;
      if (error.code === 'AI_APPROVAL_STALE' && fresh?.approval) {
        this.cardProblem = null;
        this.dispatch({ type: 'call', call: fresh, changed: true });
      } else if ([404, 409, 410].includes(error.status)) {
        this.say(this.cardProblem);
        this.cardProblem = null;
        await this.reload([]);
        return;
      }
    }
    if (this.chat.run?.id === call.runId && !over(this.chat.run.status)) this.attach(call.runId);
  }

  private settle(run: Run): void {
    this.dispatch({ type: 'run', run });
    if (over(run.status)) this.renewMe().catch(() => undefined);
  }

  private begin(): void {
    this.generation += 1;
    this.starting = true;
    this.problem = null;
    this.cardProblem = null;
    this.host.requestUpdate();
  }

  private async attempt(deed: () => Promise<unknown>): Promise<void> {
    try {
      await deed();
    } catch (error) {
      this.say(known(error));
    }
    this.host.requestUpdate();
  }
}

/** A call fetched on its own is served whole. */
function wholly(call: ToolCallDto): ToolCallDto {
  if (!call.approval) return call;
  return { ...call, approval: { ...call.approval, preview: { ...call.approval.preview, cut: false } } };
}
