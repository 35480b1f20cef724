/** The form on a card by which a person changes the plain values of a proposal; the server makes a new card of it (APPR-7). */
import {
  type Api,
  ApiError,
  base,
  type CallView,
  customElement,
  html,
  icon,
  known,
  type Language,
  LitElement,
  nothing,
  type Problem,
  type PropertyValues,
  problem,
  property,
  state,
  type TemplateResult,
  type Words,
} from '../shared.js';
import { editorStyles } from './argument-editor.styles.js';
import { type Field, given, plain, shown } from './fields.js';
import { type EditWords, words } from './words.js';

/** Draws the fields of `call`. Events: `back` (nothing was changed), `edited` (detail: the call with its new card). */
@customElement('deputize-argument-editor')
export class ArgumentEditor extends LitElement {
  @property({ attribute: false }) call!: CallView;
  @property({ attribute: false }) say!: Words;
  @property({ attribute: false }) language: Language = 'es';
  @property({ attribute: false }) api!: Api;
  @state() private fields: Field[] | null = null;
  @state() private values: Record<string, string> = {};
  @state() private sending = false;
  @state() private trouble: Problem | null = null;
  @state() private wrong: readonly string[] = [];

  static override styles = [base, editorStyles];

  private get tell(): EditWords {
    return words(this.language);
  }

  protected override async firstUpdated(): Promise<void> {
    try {
      const { items } = await this.api.json<{ items: Field[] }>(`${this.path}/fields`);
      this.values = Object.fromEntries(items.map((field) => [field.name, shown(field)]));
      this.fields = items;
    } catch (error) {
      this.trouble = known(error);
      this.fields = [];
    }
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('input, textarea, select, button')?.focus();
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('trouble') && this.trouble && this.fields?.length)
      this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true], [type=submit]')?.focus();
  }

  private get path(): string {
    return `/tool-calls/${encodeURIComponent(this.call.id)}`;
  }

  /** The fields that now say something else. */
  private get changed(): Field[] {
    return (this.fields ?? []).filter((field) => (this.values[field.name] ?? '') !== shown(field));
  }

  private async save(event: Event): Promise<void> {
    event.preventDefault();
    const missing = this.changed.filter((field) => !field.optional && (this.values[field.name] ?? '').trim() === '');
    this.wrong = missing.map((field) => field.name);
    this.trouble = missing.length > 0 ? { code: '', message: this.tell.needed } : null;
    if (this.sending || missing.length > 0 || this.changed.length === 0) return;
    this.sending = true;
    const before = (this.call.args ?? {}) as Record<string, unknown>;
    const args = { ...before };
    for (const field of this.changed) args[field.name] = given(field, this.values[field.name] ?? '');
    try {
      const call = await this.api.json<CallView>(`${this.path}/edit`, {
        method: 'POST',
        body: { digest: this.call.approval?.digest, arguments: args },
      });
      this.done(call);
    } catch (error) {
      this.refused(error);
    }
    this.sending = false;
  }

  /** What the server refuses stands at its fields; a card that has changed meanwhile takes the place of this one. */
  private refused(error: unknown): void {
    if (error instanceof ApiError) {
      const fresh = error.details.call as CallView | undefined;
      if (error.code === 'AI_APPROVAL_STALE' && fresh?.approval) {
        this.done({ ...fresh, changed: true });
        return;
      }
      const names = error.details.fields;
      this.wrong = Array.isArray(names) ? names.map((name) => String(name).split('.')[0] ?? '') : [];
    }
    this.trouble = known(error);
  }

  private done(detail: CallView): void {
    this.dispatchEvent(new CustomEvent<CallView>('edited', { detail }));
  }

  private leave(): void {
    this.dispatchEvent(new CustomEvent('back'));
  }

  protected override render(): TemplateResult {
    const { fields, say, tell } = this;
    if (!fields) return html`<p class="hint" role="status">${say.loading}</p>`;
    return html`<form @submit=${this.save} novalidate aria-busy=${this.sending}>
      <p class="hint">${fields.length > 0 ? tell.hint : tell.none}</p>
      ${fields.map((field) => this.field(field))}
      ${
        this.trouble
          ? html`<p class="strip" id="wrong" role="alert">${icon('alert', 16)}<span>${problem(say, this.trouble.code, this.trouble.message)}</span></p>`
          : nothing
      }
      <div class="deeds">
        ${
          fields.length > 0
            ? html`<button type="submit" class="primary" ?disabled=${this.sending || this.changed.length === 0}>${this.sending ? tell.saving : tell.save}</button>`
            : nothing
        }
        <button type="button" class="quiet" ?disabled=${this.sending} @click=${this.leave}>${say.back}</button>
      </div>
    </form>`;
  }

  private field(field: Field): TemplateResult {
    const id = `f-${field.name}`;
    const different = this.changed.includes(field);
    return html`<div class="field">
      <label for=${id}>${field.caption}${different ? html` <span class="new">${this.tell.changed}</span>` : nothing}</label>
      ${this.control(field, id)}
      ${different ? html`<p class="was">${this.tell.was}: ${plain(field, this.say, this.language)}</p>` : nothing}
    </div>`;
  }

  private control(field: Field, id: string): TemplateResult {
    const value = this.values[field.name] ?? '';
    const wrong = this.wrong.includes(field.name);
    const told = wrong ? 'wrong' : nothing;
    const take = (event: Event) => {
      this.values = { ...this.values, [field.name]: (event.target as HTMLInputElement).value };
    };
    if (field.kind === 'choice' || field.kind === 'boolean') {
      const options =
        field.kind === 'choice'
          ? (field.options ?? []).map((one) => [one.value, one.caption])
          : [
              ['true', this.say.yes],
              ['false', this.say.no],
            ];
      return html`<select id=${id} aria-invalid=${wrong} aria-describedby=${told} @change=${take}>
        ${field.optional || value === '' ? html`<option value="" ?selected=${value === ''}>—</option>` : nothing}
        ${options.map(([own, caption]) => html`<option value=${own ?? ''} ?selected=${own === value}>${caption}</option>`)}
      </select>`;
    }
    const most = field.maxLength ?? nothing;
    if (field.kind === 'long')
      return html`<textarea id=${id} rows="3" maxlength=${most} .value=${value} aria-invalid=${wrong} aria-describedby=${told} @input=${take}></textarea>`;
    const types = {
      moment: 'datetime-local',
      date: 'date',
      time: 'time',
      integer: 'number',
      number: 'number',
      text: 'text',
    };
    return html`<input id=${id} type=${types[field.kind]} .value=${value} maxlength=${most}
      min=${field.minimum ?? nothing} max=${field.maximum ?? nothing} step=${field.kind === 'number' ? 'any' : nothing}
      autocomplete="off" aria-invalid=${wrong} aria-describedby=${told} @input=${take} />`;
  }
}
