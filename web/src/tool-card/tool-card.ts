/** One call as a line (what, how it went) that opens into its arguments, result, and the change approved (UI-1). */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { changeList, changeStyles } from '../approval-card/change-list.js';
import type { Language, Words } from '../i18n/words.js';
import { type Icon, icon } from '../icons.js';
import { safeHref } from '../markdown.js';
import type { CallView } from '../reduce.js';
import { base } from '../theme.js';
import { type Reading, reading } from '../values.js';

const GOOD = new Set(['ok']);

/** Draws a call that no longer waits for this person. `live` while its run goes on. */
@customElement('deputize-tool-card')
export class ToolCard extends LitElement {
  @property({ attribute: false }) call!: CallView;
  @property({ attribute: false }) say!: Words;
  @property({ attribute: false }) language: Language = 'es';
  @property({ type: Boolean }) live = false;
  @state() private open = false;

  static override styles = [base, changeStyles, toolStyles()];

  /** Picture, word and tone of how the call stands. */
  private get standing(): [Icon, string, 'good' | 'bad' | 'quiet'] {
    const { outcome, approval } = this.call;
    const { say } = this;
    const statuses: Record<string, string> = say.statuses;
    if (outcome === 'ok') return ['check', approval ? say.outcomes.ok : '', 'good'];
    if (outcome === 'rejected' || outcome === 'expired') return ['cross', say.outcomes[outcome], 'quiet'];
    if (outcome) return ['alert', say.outcomes[outcome], 'bad'];
    if (approval?.status === 'expired') return ['cross', say.outcomes.expired, 'quiet'];
    if (approval && approval.status !== 'pending')
      return ['cross', statuses[approval.status] ?? approval.status, 'quiet'];
    if (approval) return ['clock', say.pending, 'quiet'];
    return this.live ? ['wait', say.running, 'quiet'] : ['cross', say.stopped, 'quiet'];
  }

  protected override render(): TemplateResult {
    const { call, say } = this;
    const [picture, word, tone] = this.standing;
    const title = call.approval?.preview.title || call.title || call.tool;
    return html`<div class="tool ${tone}">
      <button type="button" aria-expanded=${this.open} aria-controls="body" @click=${this.toggle}>
        <span class="state">${icon(picture, 16)}</span>
        <span class="title">${title}</span>
        ${word ? html`<span class="word">${word}</span>` : GOOD.has(call.outcome ?? '') ? html`<span class="unseen">${say.outcomes.ok}</span>` : nothing}
        <span class="turn ${this.open ? 'up' : ''}">${icon('chevron', 18)}</span>
      </button>
      <div id="body" ?hidden=${!this.open}>${this.open ? this.body() : nothing}</div>
    </div>`;
  }

  private body(): TemplateResult {
    const { call, say } = this;
    const links = (call.links ?? []).filter((link) => link.url && safeHref(link.url));
    const names = new Map((call.links ?? []).flatMap((link) => (link.id && link.label ? [[link.id, link.label]] : [])));
    const given: Reading = { say, lang: this.language, names };
    const bare = typeof call.args !== 'object' || call.args === null || Object.keys(call.args).length === 0;
    return html`
      ${call.approval ? html`<h3>${call.outcome === 'ok' ? say.shown : say.details}</h3>${changeList(call.approval.preview, say)}` : nothing}
      ${call.approval?.reason ? html`<p class="note">${call.approval.reason}</p>` : nothing}
      ${call.approval || bare ? nothing : html`<h3>${say.asked}</h3>${reading(call.args, given)}`}
      ${call.result === null || call.result === undefined ? nothing : html`<h3>${say.found}</h3>${reading(call.result, given)}`}
      ${call.truncated ? html`<p class="note">${say.truncated}</p>` : nothing}
      ${links.length > 0 ? html`<p class="links">${links.map((link) => html`<a href=${link.url ?? ''}>${link.label || link.kind}</a>`)}</p>` : nothing}
      ${call.code ? html`<p class="note"><code>${call.code}</code></p>` : nothing}
    `;
  }

  private toggle(): void {
    this.open = !this.open;
  }
}

function toolStyles() {
  return css`
    :host {
      display: block;
    }
    .tool {
      border: 1px solid var(--dp-line);
      border-radius: 10px;
      overflow: hidden;
      font-size: 0.875rem;
    }
    .tool > button {
      display: flex;
      align-items: center;
      gap: 0.5rem;
      width: 100%;
      min-height: 2.5rem;
      padding: 0.375rem 0.625rem;
      border-radius: 0;
      text-align: start;
      font-weight: 500;
    }
    .tool > button:hover {
      background: var(--dp-raised);
    }
    .tool > button:focus-visible {
      outline-offset: -2px;
      border-radius: 10px;
    }
    .state {
      color: var(--dp-muted);
    }
    .good .state {
      color: var(--dp-good);
    }
    .bad .state,
    .bad .word {
      color: var(--dp-danger);
    }
    .title {
      flex: 1;
      min-width: 0;
      overflow-wrap: anywhere;
    }
    .word {
      color: var(--dp-muted);
    }
    .good .word {
      color: var(--dp-good);
    }
    .turn {
      color: var(--dp-muted);
      transition: rotate 150ms ease;
    }
    .turn.up {
      rotate: 180deg;
    }
    #body {
      padding: 0.625rem 0.75rem 0.75rem;
      border-top: 1px solid var(--dp-line);
      background: var(--dp-raised);
    }
    h3 {
      margin: 0.75rem 0 0.25rem;
      font-size: 0.75rem;
      font-weight: 600;
      color: var(--dp-muted);
    }
    h3:first-child {
      margin-top: 0;
    }
    #body > dl,
    #body dl dl {
      margin: 0;
    }
    #body dl:not(.changes dl) > div {
      display: grid;
      grid-template-columns: minmax(6rem, 32%) 1fr;
      gap: 0.625rem;
      padding: 0.1875rem 0;
    }
    #body dl:not(.changes dl) > div.wide {
      grid-template-columns: 1fr;
      gap: 0.25rem;
    }
    .wide > dd {
      padding-inline-start: 0.625rem;
      border-inline-start: 2px solid var(--dp-line);
    }
    #body dt {
      color: var(--dp-muted);
    }
    #body dd {
      margin: 0;
      min-width: 0;
      overflow-wrap: anywhere;
    }
    #body ul {
      margin: 0;
      padding: 0;
      list-style: none;
    }
    #body li + li {
      margin-top: 0.375rem;
      padding-top: 0.375rem;
      border-top: 1px solid var(--dp-line);
    }
    .value {
      white-space: pre-wrap;
    }
    .rest,
    code {
      color: var(--dp-muted);
    }
    code {
      font-size: 0.75rem;
    }
    .note {
      margin: 0.5rem 0 0;
    }
    .links {
      display: flex;
      flex-wrap: wrap;
      gap: 0.25rem 0.75rem;
      margin: 0.625rem 0 0;
    }
  `;
}
