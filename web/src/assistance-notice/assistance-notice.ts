/** What a person must always see: the disclaimer, what redaction does and can miss, and when no model answers (UI-5). */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Words } from '../i18n/words.js';
import { icon } from '../icons.js';
import { base } from '../theme.js';
import type { Me } from '../wire.js';

/** Draws the server's disclaimer word for word; it cannot be closed. */
@customElement('deputize-assistance-notice')
export class AssistanceNotice extends LitElement {
  @property({ attribute: false }) me!: Me;
  @property({ attribute: false }) say!: Words;
  /** A card waits and nothing can be sent: what is said about sending steps back; warnings stay. */
  @property({ type: Boolean }) brief = false;

  static override styles = [
    base,
    css`
      :host {
        display: block;
        font-size: 0.75rem;
        line-height: 1.4;
        color: var(--dp-muted);
      }
      p {
        display: flex;
        gap: 0.375rem;
        margin: 0;
      }
      p + p {
        margin-top: 0.25rem;
      }
      svg {
        margin-top: 0.0625rem;
      }
      .bare {
        color: var(--dp-warn);
      }
    `,
  ];

  protected override render(): TemplateResult {
    const { redaction, disclaimer, languageModel } = this.me;
    return html`
      ${disclaimer ? html`<p>${icon('info', 14)}<span>${disclaimer}</span></p>` : nothing}
      ${
        redaction && !(this.brief && redaction.on)
          ? html`<p class=${redaction.on ? '' : 'bare'}>
              ${icon(redaction.on ? 'shield' : 'alert', 14)}
              <span>${redaction.note || (redaction.on ? this.say.redacted : this.say.unredacted)}</span>
            </p>`
          : nothing
      }
      ${languageModel === false && !this.brief ? html`<p>${icon('spark', 14)}<span>${this.say.notModel}</span></p>` : nothing}
    `;
  }
}
