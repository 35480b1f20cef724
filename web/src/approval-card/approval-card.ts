/** The card on which a person decides one proposed change (UI-2): the server's preview, the time left, the friction. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Api } from '../api.js';
import type { ApprovalDto, PreviewDto } from '../events.js';
import { type Language, problem, type Words } from '../i18n/words.js';
import { icon } from '../icons.js';
import type { CallView } from '../reduce.js';
import type { Problem } from '../run-controller.js';
import { base } from '../theme.js';
import type { Typed } from '../wire.js';
import { cardStyles } from './approval-card.styles.js';
import { changeList, changeStyles } from './change-list.js';

/** What the person did with the card; `decide` events carry it. */
export interface Verdict {
  approve: boolean;
  reason?: string;
  typed?: Typed;
}

/** Seconds as `9:05`, never below zero. */
export function clock(seconds: number): string {
  const left = Math.max(0, Math.floor(seconds));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
}

/**
 * Draws a pending call. Events: `decide` (detail: Verdict), `whole` (asks for the whole of a cut preview), `lapsed`
 * (the time is over), `edited` (detail: the call with its new card). Nothing here approves by itself: the server
 * compares what was typed. The editor is loaded when it is first wanted.
 */
@customElement('deputize-approval-card')
export class ApprovalCard extends LitElement {
  @property({ attribute: false }) call!: CallView;
  @property({ attribute: false }) say!: Words;
  /** Milliseconds by which the server's clock is ahead. */
  @property({ attribute: false }) skew = 0;
  @property({ attribute: false }) deciding: 'approve' | 'reject' | null = null;
  @property({ attribute: false }) problem: Problem | null = null;
  @property({ attribute: false }) language: Language = 'es';
  /** Speaks for the editor; without it nothing can be edited here. */
  @property({ attribute: false }) api: Api | undefined;
  @state() private confirm = '';
  @state() private destinations: Record<string, string> = {};
  @state() private rejecting = false;
  @state() private editing = false;
  @state() private minimised = false;
  @state() private left = Number.POSITIVE_INFINITY;
  @state() private fetching = false;
  private timer: ReturnType<typeof setInterval> | undefined;
  private digest = '';
  private edited = false;

  static override styles = [base, changeStyles, cardStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    this.timer = setInterval(() => this.tick(), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  protected override willUpdate(): void {
    const { approval } = this.call;
    if (approval && approval.digest !== this.digest) {
      this.digest = approval.digest;
      this.confirm = '';
      this.destinations = {};
      this.minimised = false;
      this.fetching = false;
      this.editing = false;
    }
    if (approval && !approval.preview.cut) this.fetching = false;
    if (this.problem) this.fetching = false;
    this.left = this.seconds();
  }

  /** What was refused, or has changed, is where the person goes on: the button that they pressed was disabled. */
  protected override updated(changed: PropertyValues<this>): void {
    const find = (selector: string) => this.renderRoot.querySelector<HTMLElement>(selector);
    if (changed.has('problem') && this.problem) (find('[aria-invalid=true]') ?? find('.deeds button'))?.focus();
    const before = changed.get('call');
    const other = before?.approval && before.approval.digest !== this.digest;
    if (other && (this.call.changed || this.edited)) find('#title')?.focus();
    if (other) this.edited = false;
  }

  private seconds(): number {
    const until = Date.parse(this.call.approval?.expiresAt ?? '');
    return Number.isNaN(until) ? Number.POSITIVE_INFINITY : (until - Date.now() - this.skew) / 1000;
  }

  private tick(): void {
    const before = this.left;
    this.left = this.seconds();
    if (before > 0 && this.left <= 0) this.dispatchEvent(new CustomEvent('lapsed'));
  }

  private get ready(): boolean {
    const preview = this.call.approval?.preview;
    if (!preview || preview.cut || this.left <= 0 || this.deciding) return false;
    if (preview.friction?.confirm && this.confirm.trim() === '') return false;
    return (preview.friction?.destinations ?? []).every((name) => (this.destinations[name] ?? '').trim() !== '');
  }

  private approve(event: Event): void {
    event.preventDefault();
    if (!this.ready) return;
    const friction = this.call.approval?.preview.friction;
    const typed: Typed = {};
    if (friction?.confirm) typed.confirm = this.confirm;
    if (friction && friction.destinations.length > 0) typed.destinations = { ...this.destinations };
    this.decide(Object.keys(typed).length > 0 ? { approve: true, typed } : { approve: true });
  }

  private reject(event: Event): void {
    event.preventDefault();
    const reason = this.renderRoot.querySelector<HTMLTextAreaElement>('#reason')?.value.trim();
    this.decide(reason ? { approve: false, reason } : { approve: false });
  }

  private decide(detail: Verdict): void {
    this.dispatchEvent(new CustomEvent<Verdict>('decide', { detail }));
  }

  protected override render(): TemplateResult | typeof nothing {
    const { approval } = this.call;
    if (!approval) return nothing;
    const { preview } = approval;
    const danger = preview.effect.includes('destructive');
    if (this.minimised) return this.folded(preview);
    return html`<section class="card ${danger ? 'danger' : ''}" aria-labelledby="title" aria-busy=${this.deciding !== null}>
      <header>
        <div class="over">
          ${icon(danger ? 'alert' : 'shield', 16)}
          <span>${approval.mayDecide === false ? this.say.approvalOther : this.say.approvalNeeded}</span>
          ${danger ? html`<span class="tag">${this.say.destructive}</span>` : nothing}
        </div>
        <h3 id="title" tabindex="-1">${preview.title}</h3>
      </header>
      ${this.call.changed ? html`<p class="strip" role="status">${icon('alert', 16)}<span>${this.say.staleCard}</span></p>` : nothing}
      ${changeList(preview, this.say)} ${preview.cut ? this.more(preview) : nothing}
      ${approval.mayDecide !== false && this.editing ? this.editor() : nothing}
      ${
        approval.mayDecide === false || this.editing || this.rejecting
          ? html`<div class="bar">${this.rejecting && !this.editing ? this.refusal() : nothing}${this.foot(approval)}</div>`
          : this.verdict(approval, danger)
      }
      <span class="unseen" role="status">${this.left <= 60 && this.left > 0 ? this.say.expiresSoon : ''}</span>
    </section>`;
  }

  /** The time left, and what else can be done with the card. */
  private foot(approval: ApprovalDto): TemplateResult {
    return html`<footer>
        <span class="time ${this.left <= 60 ? 'soon' : ''}" role="timer" aria-live="off">
          ${icon('clock', 16)}${this.left <= 0 ? this.say.expiredCard : this.say.expiresIn(clock(this.left))}
        </span>
        ${
          this.api && approval.mayDecide !== false && !this.editing
            ? html`<button type="button" class="plain edit" ?disabled=${this.deciding !== null || this.left <= 0} @click=${this.edit}>${this.say.edit}</button>`
            : nothing
        }
        <button type="button" class="plain" @click=${this.fold}>${this.say.minimise}</button>
      </footer>`;
  }

  private folded(preview: PreviewDto): TemplateResult {
    return html`<section class="card folded">
      <span class="over">${icon('clock', 16)}<span>${this.say.pending} · ${clock(this.left)}</span></span>
      <b>${preview.title}</b>
      <button type="button" class="quiet" @click=${this.unfold}>${this.say.review}</button>
    </section>`;
  }

  private more(preview: PreviewDto): TemplateResult {
    return html`<div class="strip">
      ${icon('info', 16)}<span>${this.say.cutWhy}</span>
      <button type="button" class="quiet" ?disabled=${this.fetching} @click=${this.ask}>
        ${this.fetching ? this.say.loading : this.say.showAll(preview.rows)}
      </button>
    </div>`;
  }

  private verdict(approval: ApprovalDto, danger: boolean): TemplateResult {
    const { preview } = approval;
    const wrong = this.problem?.code === 'AI_CONFIRMATION_MISMATCH';
    return html`<form class="verdict" @submit=${this.approve} novalidate>
      ${(preview.friction?.destinations ?? []).map((name) => this.destination(preview, name, wrong))}
      ${preview.friction?.confirm ? this.phrase(preview.friction.confirm, wrong) : nothing}
      <div class="bar">
      ${this.trouble()}
      <div class="deeds">
        <button type="submit" class="primary ${danger ? 'danger' : ''}" ?disabled=${!this.ready}>
          ${this.deciding === 'approve' ? this.say.approving : this.say.approve}
        </button>
        <button type="button" class="quiet" ?disabled=${this.deciding !== null || this.left <= 0} @click=${this.hesitate}>
          ${this.deciding === 'reject' ? this.say.rejecting : this.say.reject}
        </button>
      </div>
      ${this.foot(approval)}
      </div>
    </form>`;
  }

  private trouble(): TemplateResult | typeof nothing {
    if (!this.problem) return nothing;
    return html`<p class="strip bad" id="wrong" role="alert">
      ${icon('alert', 16)}<span>${problem(this.say, this.problem.code, this.problem.message)}</span>
    </p>`;
  }

  private phrase(phrase: string, wrong: boolean): TemplateResult {
    return html`<div class="typed"><label for="confirm">${this.say.confirmType(phrase)}</label>
      <input id="confirm" .value=${this.confirm} autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-invalid=${wrong} aria-describedby=${wrong ? 'wrong' : nothing}
        @input=${(event: InputEvent) => {
          this.confirm = (event.target as HTMLInputElement).value;
        }} /></div>`;
  }

  private destination(preview: PreviewDto, name: string, wrong: boolean): TemplateResult {
    const all = [...preview.outgoing, ...preview.changes].flatMap((part) => part.fields);
    const words = all.find((field) => field.name === name)?.caption ?? name;
    const id = `to-${name}`;
    return html`<div class="typed"><label for=${id}>${this.say.destinationType(words)}</label>
      <p class="hint" id="${id}-why">${this.say.destinationWhy}</p>
      <input id=${id} .value=${this.destinations[name] ?? ''} autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-invalid=${wrong} aria-describedby="${id}-why${wrong ? ' wrong' : ''}"
        @input=${(event: InputEvent) => {
          this.destinations = { ...this.destinations, [name]: (event.target as HTMLInputElement).value };
        }} /></div>`;
  }

  private refusal(): TemplateResult {
    return html`<form @submit=${this.reject}>
      <label for="reason">${this.say.rejectWhy}</label>
      <textarea id="reason" rows="2" maxlength="500"></textarea>
      ${this.trouble()}
      <div class="deeds">
        <button type="submit" class="primary" ?disabled=${this.deciding !== null}>
          ${this.deciding === 'reject' ? this.say.rejecting : this.say.rejectConfirm}
        </button>
        <button type="button" class="quiet" ?disabled=${this.deciding !== null} @click=${this.relent}>${this.say.back}</button>
      </div>
    </form>`;
  }

  private editor(): TemplateResult {
    return html`<deputize-argument-editor .call=${this.call} .say=${this.say} .language=${this.language} .api=${this.api}
      @back=${this.unedit} @edited=${this.replaced}></deputize-argument-editor>`;
  }

  private async edit(): Promise<void> {
    await import('../argument-editor/argument-editor.js');
    this.editing = true;
  }

  private async unedit(): Promise<void> {
    this.editing = false;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('.edit')?.focus();
  }

  private replaced({ detail }: CustomEvent<CallView>): void {
    this.edited = true;
    this.dispatchEvent(new CustomEvent('edited', { detail }));
  }

  private async hesitate(): Promise<void> {
    this.rejecting = true;
    await this.updateComplete;
    const field = this.renderRoot.querySelector<HTMLElement>('#reason');
    field?.focus();
  }

  private relent(): void {
    this.rejecting = false;
  }

  private ask(): void {
    this.fetching = true;
    this.dispatchEvent(new CustomEvent('whole'));
  }

  private async fold(): Promise<void> {
    this.minimised = true;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('button')?.focus();
  }

  /** Opens a card that was left for later and goes to its title. */
  async unfold(): Promise<void> {
    this.minimised = false;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('#title')?.focus({ preventScroll: true });
  }
}
