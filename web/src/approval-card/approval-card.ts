/** The card on which a person decides one proposed change (UI-2): the server's preview, the time left, the friction. */
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Api } from '../api.js';
import type { PreviewDto } from '../events.js';
import { type Language, problem, type Words } from '../i18n/words.js';
import { icon } from '../icons.js';
import type { CallView } from '../reduce.js';
import type { Problem } from '../run-controller.js';
import { base } from '../theme.js';
import type { Typed } from '../wire.js';
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

  static override styles = [base, changeStyles, cardStyles()];

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
      ${approval.mayDecide === false ? nothing : this.editing ? this.editor() : this.rejecting ? this.refusal() : this.verdict(preview, danger)}
      <footer>
        <span class="time ${this.left <= 60 ? 'soon' : ''}" role="timer" aria-live="off">
          ${icon('clock', 16)}${this.left <= 0 ? this.say.expiredCard : this.say.expiresIn(clock(this.left))}
        </span>
        ${
          this.api && approval.mayDecide !== false && !this.editing
            ? html`<button type="button" class="plain edit" ?disabled=${this.deciding !== null || this.left <= 0} @click=${this.edit}>${this.say.edit}</button>`
            : nothing
        }
        <button type="button" class="plain" @click=${this.fold}>${this.say.minimise}</button>
      </footer>
      <span class="unseen" role="status">${this.left <= 60 && this.left > 0 ? this.say.expiresSoon : ''}</span>
    </section>`;
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

  private verdict(preview: PreviewDto, danger: boolean): TemplateResult {
    const wrong = this.problem?.code === 'AI_CONFIRMATION_MISMATCH';
    return html`<form @submit=${this.approve} novalidate>
      ${(preview.friction?.destinations ?? []).map((name) => this.destination(preview, name, wrong))}
      ${preview.friction?.confirm ? this.phrase(preview.friction.confirm, wrong) : nothing} ${this.trouble()}
      <div class="deeds">
        <button type="submit" class="primary ${danger ? 'danger' : ''}" ?disabled=${!this.ready}>
          ${this.deciding === 'approve' ? this.say.approving : this.say.approve}
        </button>
        <button type="button" class="quiet" ?disabled=${this.deciding !== null || this.left <= 0} @click=${this.hesitate}>
          ${this.deciding === 'reject' ? this.say.rejecting : this.say.reject}
        </button>
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
    return html`<label for="confirm">${this.say.confirmType(phrase)}</label>
      <input id="confirm" .value=${this.confirm} autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-invalid=${wrong} aria-describedby=${wrong ? 'wrong' : nothing}
        @input=${(event: InputEvent) => {
          this.confirm = (event.target as HTMLInputElement).value;
        }} />`;
  }

  private destination(preview: PreviewDto, name: string, wrong: boolean): TemplateResult {
    const all = [...preview.outgoing, ...preview.changes].flatMap((part) => part.fields);
    const words = all.find((field) => field.name === name)?.caption ?? name;
    const id = `to-${name}`;
    return html`<label for=${id}>${this.say.destinationType(words)}</label>
      <p class="hint" id="${id}-why">${this.say.destinationWhy}</p>
      <input id=${id} .value=${this.destinations[name] ?? ''} autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-invalid=${wrong} aria-describedby="${id}-why${wrong ? ' wrong' : ''}"
        @input=${(event: InputEvent) => {
          this.destinations = { ...this.destinations, [name]: (event.target as HTMLInputElement).value };
        }} />`;
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
    field?.closest('form')?.scrollIntoView?.({ block: 'nearest' });
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
    this.renderRoot.querySelector<HTMLElement>('#title')?.focus();
  }
}

function cardStyles() {
  return css`
    :host {
      display: block;
    }
    .card {
      display: grid;
      gap: 0.875rem;
      padding: 1rem;
      border: 1px solid var(--dp-line);
      border-radius: var(--dp-radius);
      background: var(--dp-raised);
      box-shadow: inset 3px 0 0 var(--dp-accent);
    }
    .card.danger {
      box-shadow: inset 3px 0 0 var(--dp-danger);
    }
    .over {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 0.375rem;
      font-size: 0.8125rem;
      font-weight: 600;
      color: var(--dp-accent);
    }
    .danger .over,
    .danger .tag {
      color: var(--dp-danger);
    }
    .tag {
      padding: 0.0625rem 0.5rem;
      border-radius: 999px;
      font-size: 0.75rem;
      background: var(--dp-danger-soft);
    }
    h3 {
      margin: 0.25rem 0 0;
      font-size: 1.0625rem;
      line-height: 1.35;
      font-weight: 650;
    }
    h3:focus {
      outline: none;
    }
    .strip {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 0.375rem 0.5rem;
      margin: 0;
      padding: 0.5rem 0.75rem;
      border-radius: 8px;
      font-size: 0.875rem;
      color: var(--dp-warn);
      background: var(--dp-warn-soft);
    }
    .strip span {
      flex: 1 1 12rem;
    }
    .strip button {
      color: var(--dp-text);
      background: var(--dp-surface);
    }
    .strip.bad {
      color: var(--dp-danger);
      background: var(--dp-danger-soft);
    }
    form {
      display: grid;
      gap: 0.375rem;
    }
    label {
      font-size: 0.875rem;
      font-weight: 600;
    }
    .hint {
      margin: 0;
      font-size: 0.8125rem;
      color: var(--dp-muted);
    }
    input,
    textarea {
      width: 100%;
      min-height: 2.5rem;
      padding: 0.4375rem 0.625rem;
      margin-bottom: 0.375rem;
      border: 1px solid var(--dp-edge);
      border-radius: 8px;
      background: var(--dp-surface);
    }
    textarea {
      resize: vertical;
    }
    input[aria-invalid='true'] {
      border-color: var(--dp-danger);
    }
    .deeds {
      display: flex;
      gap: 0.5rem;
      margin-top: 0.125rem;
    }
    .deeds button {
      flex: 1 1 0;
    }
    footer {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      justify-content: space-between;
      gap: 0 0.25rem;
      margin-bottom: -0.375rem;
      font-size: 0.8125rem;
      color: var(--dp-muted);
    }
    .time {
      margin-inline-end: auto;
      display: inline-flex;
      align-items: center;
      gap: 0.375rem;
      font-variant-numeric: tabular-nums;
    }
    .time.soon {
      color: var(--dp-warn);
      font-weight: 600;
    }
    .folded {
      grid-template-columns: 1fr auto;
      align-items: center;
      gap: 0 0.75rem;
    }
    .folded button {
      grid-area: 1 / 2 / 3 / 3;
    }
  `;
}
