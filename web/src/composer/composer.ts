/** Where a message is written: Enter sends, Shift + Enter breaks the line, a counter near the limit, stop while running. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { Words } from '../i18n/words.js';
import { icon } from '../icons.js';
import { length } from '../text.js';
import { base } from '../theme.js';

/** Characters that a message may have. */
export const LIMIT = 4000;
const NEAR = 3600;

/** Draws the field. Events: `submit-text` (detail: the text), `stop`, `drop-context`. */
@customElement('deputize-composer')
export class Composer extends LitElement {
  @property({ attribute: false }) say!: Words;
  /** A run is not over: nothing can be sent. */
  @property({ type: Boolean }) busy = false;
  /** A run is being driven: it can be stopped. */
  @property({ type: Boolean }) running = false;
  /** A card waits for a decision. */
  @property({ type: Boolean }) waiting = false;
  /** What of the page goes with a message, in words; null for nothing. */
  @property({ attribute: false }) context: string | null = null;
  @state() private text = '';
  @query('textarea') private field!: HTMLTextAreaElement;

  static override styles = [base, composerStyles()];

  override focus(): void {
    this.updateComplete.then(() => this.field.focus());
  }

  /** Puts words into the field, for the person to change or send. */
  write(text: string): void {
    this.text = text;
    this.focus();
  }

  private get size(): number {
    return length(this.text.trim());
  }

  private get ready(): boolean {
    return !this.busy && this.size > 0 && this.size <= LIMIT;
  }

  private send(event?: Event): void {
    event?.preventDefault();
    if (!this.ready) return;
    const detail = this.text.trim();
    this.text = '';
    this.dispatchEvent(new CustomEvent<string>('submit-text', { detail }));
    this.field.focus();
  }

  private key(event: KeyboardEvent): void {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229) this.send(event);
  }

  private stop(): void {
    this.dispatchEvent(new CustomEvent('stop'));
    this.field.focus();
  }

  protected override render(): TemplateResult {
    const { say } = this;
    const left = LIMIT - this.size;
    const near = this.size >= NEAR;
    return html`<form @submit=${this.send}>
      ${
        this.context
          ? html`<div class="context">
              ${icon('page', 14)}<span>${this.context}</span>
              <button type="button" class="icon" title=${say.dropContext} aria-label=${say.dropContext}
                @click=${() => this.dispatchEvent(new CustomEvent('drop-context'))}>${icon('close', 14)}</button>
            </div>`
          : nothing
      }
      <div class="row">
        <label class="unseen" for="text">${say.message}</label>
        <textarea id="text" rows="1" .value=${this.text} placeholder=${this.waiting ? say.placeholderWaiting : say.placeholder}
          aria-describedby="hint ${near ? 'count' : ''}" aria-invalid=${left < 0} enterkeyhint="send"
          @keydown=${this.key}
          @input=${() => {
            this.text = this.field.value;
          }}></textarea>
        ${
          this.running
            ? html`<button type="button" class="round stop" title=${say.stop} aria-label=${say.stop} @click=${this.stop}>${icon('stop')}</button>`
            : html`<button type="submit" class="round primary" title=${say.send} aria-label=${say.send} ?disabled=${!this.ready}>${icon('send')}</button>`
        }
      </div>
      <span class="unseen" id="hint">${say.hint}</span>
      <span class="count ${left < 0 ? 'over' : ''}" id="count" ?hidden=${!near} aria-live="polite">${say.left(left)}</span>
    </form>`;
  }
}

function composerStyles() {
  return css`
    :host {
      display: block;
    }
    form {
      padding: 0.375rem;
      border: 1px solid var(--dp-edge);
      border-radius: 1.125rem;
      background: var(--dp-surface);
      transition: border-color 120ms ease;
    }
    form:focus-within {
      border-color: var(--dp-accent);
      box-shadow: 0 0 0 1px var(--dp-accent);
    }
    .row {
      display: flex;
      align-items: end;
      gap: 0.375rem;
    }
    textarea {
      flex: 1;
      min-width: 0;
      field-sizing: content;
      min-height: 2.5rem;
      max-height: 11rem;
      padding: 0.5rem 0.625rem;
      border: 0;
      background: none;
      resize: none;
      line-height: 1.5;
      scrollbar-width: thin;
    }
    textarea:focus-visible {
      outline: none;
    }
    textarea::placeholder {
      color: var(--dp-muted);
      opacity: 1;
    }
    .round {
      display: grid;
      place-items: center;
      width: 2.5rem;
      height: 2.5rem;
      padding: 0;
      border-radius: 50%;
      flex: none;
    }
    .round:disabled {
      opacity: 1;
      background: var(--dp-raised);
      color: var(--dp-muted);
    }
    .stop {
      border: 1px solid var(--dp-edge);
    }
    .stop svg {
      fill: currentColor;
    }
    .context {
      display: inline-flex;
      align-items: center;
      gap: 0.375rem;
      max-width: 100%;
      margin: 0 0 0.125rem 0.25rem;
      padding-inline-start: 0.5rem;
      border-radius: 999px;
      font-size: 0.8125rem;
      color: var(--dp-muted);
      background: var(--dp-raised);
    }
    .context span {
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    .context .icon {
      width: 1.75rem;
      height: 1.75rem;
      min-height: 0;
      border-radius: 50%;
    }
    .count {
      display: block;
      padding: 0 0.625rem 0.25rem;
      font-size: 0.75rem;
      color: var(--dp-muted);
    }
    .count.over {
      color: var(--dp-danger);
      font-weight: 600;
    }
  `;
}
