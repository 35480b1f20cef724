/** The conversation: messages, streamed answers, tool lines, the card to decide, sources, and how the run ended. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import type { ApprovalCard, Verdict } from '../approval-card/approval-card.js';
import { type Language, moment, problem, type Words } from '../i18n/words.js';
import { icon } from '../icons.js';
import { blocks, safeHref } from '../markdown.js';
import { type CallView, type Chat, calls, over, pending, type Turn } from '../reduce.js';
import type { RunController } from '../run-controller.js';
import { base } from '../theme.js';
import { announceable } from './announce.js';
import { listStyles } from './message-list.styles.js';

const NEAR = 80;
const MARGIN = 12;
const SOURCES = 4;

/** Draws `chat`; deeds go straight to `control`. Events: `prompt` (detail: the words of a suggestion), `renew`. */
@customElement('deputize-message-list')
export class MessageList extends LitElement {
  @property({ attribute: false }) control!: RunController;
  @property({ attribute: false }) chat!: Chat;
  @property({ attribute: false }) say!: Words;
  @property({ attribute: false }) language: Language = 'es';
  /** Changes whenever the controller does, so that the list is drawn anew. */
  @property({ attribute: false }) pulse: unknown;
  @state() private away = false;
  @state() private spoken: { n: number; words: string }[] = [];
  @query('.scroll') private scroller!: HTMLElement;
  @query('.content') private content!: HTMLElement;
  private said = { id: '', upto: 0 };
  /** Where the list stood last: only who scrolls up has left the end, growing content has not. */
  private top = 0;
  /** The person has decided the card; the focus must not get lost with it. */
  private decided = false;
  /** The person works in the list: what opens under their hand must not move. */
  private held = false;
  private readonly growth = new ResizeObserver(() => {
    if (!this.away && !this.held) this.toEnd();
  });

  static override styles = [base, listStyles];

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('chat')) return;
    this.held = false;
    this.announce(changed.get('chat'));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.growth.disconnect();
  }

  protected override firstUpdated(): void {
    this.growth.observe(this.content);
    this.growth.observe(this.scroller);
  }

  protected override updated(changed: PropertyValues<this>): void {
    const old = changed.get('chat');
    if (!old) return;
    const asked = this.chat.turns.at(-1);
    if (asked?.role === 'user' && asked.id !== old.turns.at(-1)?.id) this.toEnd();
    const card = calls(this.chat).findLast(pending)?.approval?.digest;
    if (card && card !== calls(old).findLast(pending)?.approval?.digest) this.present();
    else if (!card && this.decided) {
      this.decided = false;
      this.scroller.focus({ preventScroll: true });
    }
  }

  /** A new card is shown from its head on, however long it is. */
  private async present(): Promise<void> {
    const card = this.renderRoot.querySelector<ApprovalCard>('deputize-approval-card');
    await card?.updateComplete;
    if (!card || card.offsetHeight < this.scroller.clientHeight - NEAR / 2) return this.toEnd();
    this.held = true;
    this.bring(card);
  }

  /** Scrolls this list alone; `scrollIntoView` would move the page under the drawer too. */
  private bring(card: HTMLElement): void {
    const gap = card.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top;
    this.scroller.scrollTop += gap - MARGIN;
  }

  private toEnd(): void {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.away = false;
  }

  private hold(): void {
    this.held = true;
  }

  private scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    if (scrollHeight - scrollTop - clientHeight <= NEAR) this.away = false;
    else if (scrollTop < this.top) this.away = true;
    this.top = scrollTop;
  }

  /** Goes to the card that waits and opens it. */
  async review(): Promise<void> {
    await this.updateComplete;
    const card = this.renderRoot.querySelector<ApprovalCard>('deputize-approval-card');
    await card?.unfold();
    if (card) this.bring(card);
  }

  private announce(before: Chat | undefined): void {
    const turn = this.chat.turns.at(-1);
    const live = !over(this.chat.run?.status);
    const wasLive = before !== undefined && !over(before.run?.status);
    if (turn?.role === 'assistant' && (live || wasLive)) {
      if (this.said.id !== turn.id) this.said = { id: turn.id, upto: 0 };
      const { say, upto } = announceable(turn.text, this.said.upto, !live || turn.calls.length > 0);
      this.said.upto = upto;
      if (say) this.speak(say);
    } else if (turn && !live) this.said = { id: turn.id, upto: turn.text.length };
    const card = calls(this.chat).findLast(pending);
    const old = before && calls(before).findLast(pending);
    if (card?.approval && card.approval.digest !== old?.approval?.digest) {
      this.speak(`${this.say.pendingTitle}: ${card.approval.preview.title}`);
    }
  }

  private speak(words: string): void {
    this.spoken = [...this.spoken.slice(-4), { n: (this.spoken.at(-1)?.n ?? 0) + 1, words }];
  }

  protected override render(): TemplateResult {
    const { chat, say } = this;
    const empty = chat.turns.length === 0;
    const last = chat.turns.at(-1);
    return html`
      <div class="scroll" tabindex="0" role="region" aria-label=${say.conversation} @scroll=${this.scrolled} @pointerdown=${this.hold} @keydown=${this.hold}>
        <div class="content">
        ${empty ? this.welcome() : nothing}
        <ol class=${empty ? 'none' : ''}>
          ${repeat(
            chat.turns,
            (turn) => turn.id,
            (turn) => this.turn(turn, turn === last),
          )}
        </ol>
        ${this.progress(last)} ${this.ending()}
        </div>
      </div>
      ${this.away ? html`<button type="button" class="latest" @click=${this.toEnd}>${icon('down', 16)} ${say.latest}</button>` : nothing}
      <div class="unseen" role="log" aria-live="polite" aria-relevant="additions">
        ${repeat(
          this.spoken,
          ({ n }) => n,
          ({ words }) => html`<p>${words}</p>`,
        )}
      </div>
    `;
  }

  private welcome(): TemplateResult {
    const { say, control } = this;
    const chips = control.me?.suggestions ?? [];
    return html`<div class="welcome">
      <span class="mark">${icon('spark', 28)}</span>
      <h3>${say.hello}</h3>
      <p>${say.helloMore}</p>
      ${
        chips.length > 0
          ? html`<ul class="chips" aria-label=${say.suggestions}>
              ${chips.map((chip) => html`<li><button type="button" class="quiet" @click=${() => this.suggest(chip.prompt)}>${chip.label}</button></li>`)}
            </ul>`
          : nothing
      }
    </div>`;
  }

  private suggest(prompt: string): void {
    this.dispatchEvent(new CustomEvent<string>('prompt', { detail: prompt }));
  }

  private turn(turn: Turn, last: boolean): TemplateResult | typeof nothing {
    if (turn.role === 'user') return this.asked(turn);
    const live = last && this.control.running;
    const nothingYet = turn.text === '' && turn.calls.length === 0 && !turn.notice;
    if (nothingYet) return nothing;
    const finished = last ? !this.control.busy : this.endsRun(turn);
    return html`<li class="assistant">
      <span class="unseen">${this.say.assistant}: </span>
      ${turn.text ? html`<div class="prose">${blocks(turn.text, live).map((block) => html`<div>${unsafeHTML(block)}</div>`)}</div>` : nothing}
      ${repeat(
        turn.calls,
        (call) => call.id,
        (call) => this.call(call),
      )}
      ${turn.notice === 'no_answer' ? this.note(this.say.noAnswer) : turn.notice === 'cut' ? this.note(this.say.cutAnswer) : nothing}
      ${finished ? this.sources(turn) : nothing}
    </li>`;
  }

  /** Whether the next message belongs to another run. */
  private endsRun(turn: Turn): boolean {
    const next = this.chat.turns[this.chat.turns.indexOf(turn) + 1];
    return next !== undefined && next.runId !== turn.runId;
  }

  private asked(turn: Turn): TemplateResult {
    const { say, control } = this;
    return html`<li class="user ${turn.sending ?? ''}">
      <div class="bubble"><span class="unseen">${say.you}: </span>${turn.text}</div>
      ${
        turn.sending === 'failed'
          ? html`<div class="unsent">
              <span>${icon('alert', 16)} ${say.notSent}</span>
              <button type="button" class="plain" ?disabled=${control.busy} @click=${() => control.resend(turn.id)}>${say.tryAgain}</button>
              <button type="button" class="plain" @click=${() => control.discard(turn.id)}>${say.discard}</button>
            </div>`
          : nothing
      }
    </li>`;
  }

  private call(call: CallView): TemplateResult {
    const { control, say } = this;
    const live = this.chat.run?.id === call.runId && !over(this.chat.run?.status);
    if (pending(call) && live) {
      return html`<deputize-approval-card
        .call=${call} .say=${say} .skew=${control.skew} .deciding=${control.deciding} .problem=${control.cardProblem}
        @decide=${({ detail: { approve, ...more } }: CustomEvent<Verdict>) => this.decide(call, approve, more)}
        .api=${control.api} .language=${this.language}
        @whole=${() => control.whole(call.id)}
        @edited=${({ detail }: CustomEvent<CallView>) => control.edited(detail)}
        @lapsed=${() => control.refresh()}
      ></deputize-approval-card>`;
    }
    return html`<deputize-tool-card .call=${call} .say=${say} .language=${this.language} ?live=${live}></deputize-tool-card>`;
  }

  private decide(call: CallView, approve: boolean, more: Omit<Verdict, 'approve'>): void {
    this.decided = true;
    this.control.decide(call, approve, more);
  }

  /** Records that this run's answer rests on, each once, as links to the host's pages. */
  private sources(turn: Turn): TemplateResult | typeof nothing {
    if (!turn.text && turn.calls.length === 0) return nothing;
    const found = new Map<string, { url: string; label: string }>();
    for (const other of this.chat.turns) {
      if (other.runId !== turn.runId || other.role === 'user') continue;
      for (const { kind, id, label, url } of other.calls.flatMap((call) =>
        call.outcome === 'ok' ? (call.links ?? []) : [],
      )) {
        if (url && safeHref(url)) found.set(`${kind}/${id}`, { url, label: label || kind || url });
      }
    }
    if (found.size === 0) return nothing;
    const shown = [...found.values()].slice(0, SOURCES);
    const rest = found.size - shown.length;
    return html`<p class="sources">
      <span>${this.say.sources}</span>
      ${shown.map(({ url, label }) => html`<a href=${url}>${icon('page', 14)}${label}</a>`)}
      ${rest > 0 ? html`<span>${this.say.more(rest)}</span>` : nothing}
    </p>`;
  }

  private note(words: string): TemplateResult {
    return html`<p class="note">${icon('alert', 16)}<span>${words}</span></p>`;
  }

  private progress(last: Turn | undefined): TemplateResult | typeof nothing {
    const { control, say } = this;
    if (control.lost)
      return html`<p class="progress" role="status">${icon('wait', 16)}<span>${say.reconnecting}</span></p>`;
    const speaking = last?.role === 'assistant' && last.text !== '' && last.calls.length === 0;
    if (!control.running || control.deciding || speaking) return nothing;
    if (last?.calls.some((call) => !call.outcome)) return nothing;
    return html`<p class="progress"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span><span class="unseen">${say.thinking}</span></p>`;
  }

  /** How the last run ended where it did not end well, and what else went wrong. */
  private ending(): TemplateResult | typeof nothing {
    const { control, say, chat } = this;
    const run = chat.run;
    const trouble = control.problem ? this.trouble(control.problem.code, control.problem.message) : nothing;
    if (control.busy || !run) return trouble;
    const retry = html`<button type="button" class="plain" @click=${() => control.retry()}>${say.tryAgain}</button>`;
    if (run.status === 'error') {
      const why = run.errorCode || run.errorMessage ? problem(say, run.errorCode, run.errorMessage) : '';
      return html`<div class="ending bad" role="alert">${icon('alert', 18)}<span><b>${say.runError}</b> ${why}</span>${retry}</div>${trouble}`;
    }
    if (run.status === 'budget_exceeded') {
      const when = run.resetsAt ? ` ${say.resets(moment(this.language, run.resetsAt))}` : '';
      return html`<div class="ending warn" role="status">${icon('alert', 18)}<span>${say.runBudget}${when}</span></div>${trouble}`;
    }
    if (run.status === 'aborted')
      return html`<div class="ending" role="status">${icon('stop', 18)}<span>${say.stopped}</span>${retry}</div>${trouble}`;
    if (run.status === 'expired')
      return html`<div class="ending warn" role="status">${icon('clock', 18)}<span>${say.runExpired}</span></div>${trouble}`;
    return trouble;
  }

  private trouble(code: string, message: string | undefined): TemplateResult {
    const { say } = this;
    const words = code === 'STOPPED' ? say.stopped : code === 'UNREACHABLE' ? say.offline : problem(say, code, message);
    const fresh = code === 'AI_SESSION_FULL';
    return html`<div class="ending bad" role="alert">
      ${icon('alert', 18)}<span>${words}</span>
      ${fresh ? html`<button type="button" class="plain" @click=${() => this.dispatchEvent(new CustomEvent('renew'))}>${say.newConversation}</button>` : nothing}
    </div>`;
  }
}
