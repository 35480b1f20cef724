/** A conversation to be read: messages and calls as they were, nothing to decide or send. */
import { blocks, css, html, type Language, nothing, type TemplateResult, unsafeHTML, type Words } from '../shared.js';
import type { Message } from '../wire.js';
import type { PageWords } from './i18n/words.js';
import { when } from './parts.js';

export function transcript(
  messages: readonly Message[],
  say: Words,
  tell: PageWords,
  lang: Language,
  who = say.you,
): TemplateResult {
  if (messages.length === 0) return html`<p class="soft">${tell.noMessages}</p>`;
  return html`<ol class="talk">${messages.map((message) => turn(message, say, lang, who))}</ol>`;
}

function turn(message: Message, say: Words, lang: Language, who: string): TemplateResult {
  const mine = message.role === 'user';
  const notice = message.notice === 'no_answer' ? say.noAnswer : message.notice === 'cut' ? say.cutAnswer : '';
  return html`<li class=${message.role}>
    <p class="who fine soft">${mine ? who : say.assistant} · <time datetime=${message.createdAt}>${when(message.createdAt, lang)}</time></p>
    ${mine ? html`<p class="bubble">${message.content}</p>` : html`<div class="prose">${blocks(message.content).map((block) => html`<div>${unsafeHTML(block)}</div>`)}</div>`}
    ${message.toolCalls.map((call) => html`<deputize-tool-card .call=${call} .say=${say} .language=${lang}></deputize-tool-card>`)}
    ${notice ? html`<p class="strip">${notice}</p>` : nothing}
  </li>`;
}

export const transcriptStyles = css`
  .talk {
    display: grid;
    gap: 1.125rem;
    max-width: 52rem;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .talk > li {
    display: grid;
    gap: 0.375rem;
    min-width: 0;
  }
  .talk .user {
    justify-items: end;
  }
  .bubble {
    max-width: 88%;
    padding: 0.5rem 0.875rem;
    border-radius: 1rem 1rem 0.25rem 1rem;
    background: var(--dp-soft);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .prose {
    display: grid;
    gap: 0.625rem;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .prose > * {
    min-width: 0;
  }
  .prose :is(p, ul, ol, pre, table, blockquote) {
    margin: 0;
  }
  .prose :is(h3, h4, h5, h6) {
    margin: 0;
    font-size: 1rem;
  }
  .prose .wide {
    overflow-x: auto;
    scrollbar-width: thin;
  }
  .prose table {
    width: auto;
    overflow-wrap: break-word;
  }
  .prose :is(th, td) {
    padding: 0.3125rem 0.75rem 0.3125rem 0;
  }
  .prose thead th {
    background: none;
  }
`;
