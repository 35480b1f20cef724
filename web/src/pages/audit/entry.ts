/** One entry of the chain drawn: its facts, what was shown against what was executed, the card, the rest of its call. */
import { changeList, html, icon, type Language, nothing, type TemplateResult, type Words } from '../../shared.js';
import type { PageWords } from '../i18n/words.js';
import { address, when } from '../parts.js';
import type { Detail, Entry } from './wire.js';

const TONES: Record<string, string> = { executed: 'good', applied: 'good', delivered: 'good', verified: 'good' };
const BAD = new Set(['failed', 'refused', 'blocked', 'invalid', 'unknown', 'effect']);

/** A kind in words, and its tone; kinds of the host stand as they are. */
export function kindWords(kind: string, tell: PageWords): string {
  const known: Record<string, string> = tell.kinds;
  return known[kind] ?? kind.replace(/_/g, ' ');
}

export function kindTag(kind: string, tell: PageWords): TemplateResult {
  const last = kind.split('_').at(-1) ?? '';
  const tone = TONES[last] ?? (BAD.has(last) ? 'bad' : last === 'rejected' || last === 'stale' ? 'warn' : '');
  return html`<span class="tag ${tone}">${kindWords(kind, tell)}</span>`;
}

export function actorName(entry: Entry, tell: PageWords): string {
  return entry.names[entry.actor] ?? (entry.actor === 'system' || entry.actor === '*' ? tell.theSystem : entry.actor);
}

const UUID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** What an entry is about in a few words: its tool, records or status, with no value. */
export function gist(entry: Entry): string {
  const said = entry.payload ?? {};
  const targets = Array.isArray(said.targets) ? said.targets.join(', ') : '';
  const parts = [said.tool, targets, said.status, said.code, said.finding, said.agent, said.name].filter(
    (part) => typeof part === 'string' && part !== '',
  );
  return [...new Set(parts)].slice(0, 3).join(' · ').replace(UUID, '$1…');
}

interface Around {
  say: Words;
  tell: PageWords;
  lang: Language;
  runUrl: string;
  show: (seq: number) => void;
  /** The person of whom it was asked to be erased, not yet confirmed. */
  asked: string;
  ask: (subject: string) => void;
  erase: (subject: string) => void;
}

export function entryView(entry: Detail, around: Around): TemplateResult {
  const { say, tell, lang, runUrl, show } = around;
  const owner = typeof entry.payload?.owner === 'string' ? entry.payload.owner : '';
  const run = entry.run ?? '';
  const facts: [string, unknown][] = [
    [tell.when, when(entry.at, lang)],
    [tell.who, actorName(entry, tell)],
    ...(owner && owner !== entry.actor ? [[tell.forWhom, entry.names[owner] ?? owner] as [string, unknown]] : []),
    ...(entry.toolTitle ? [[tell.tool, entry.toolTitle] as [string, unknown]] : []),
    ...(run
      ? [
          [tell.run, runUrl ? html`<a href=${address(runUrl, run)}>${run}</a>` : html`<code>${run}</code>`] as [
            string,
            unknown,
          ],
        ]
      : []),
    [tell.hash, html`<code>${entry.hash}</code>`],
    [tell.previousHash, html`<code>${entry.prev}</code>`],
  ];
  return html`
    <section class="panel">
      <div class="row ends"><h2 tabindex="-1">${tell.entry(entry.seq)}</h2>${kindTag(entry.kind, tell)}</div>
      <dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
    </section>
    ${entry.compared ? compared(entry, say, tell, lang) : nothing}
    <details class="panel" ?open=${!entry.compared}><summary>${tell.contents}</summary>
      ${entry.payload ? payload(entry.payload, entry.personal, around) : html`<p class="strip">${icon('info', 16)}<span>${tell.erased}</span></p>`}
    </details>
    ${
      entry.related.length > 1
        ? html`<section class="panel"><h3>${tell.sameCall}</h3><ol class="steps">${entry.related.map(
            (one) =>
              html`<li>${
                one.seq === entry.seq
                  ? html`<b>${tell.entry(one.seq)}</b>`
                  : html`<button type="button" class="link" @click=${() => show(one.seq)}>${tell.entry(one.seq)}</button>`
              } ${kindTag(one.kind, tell)} <span class="soft">${actorName(one, tell)} · ${when(one.at, lang)}</span></li>`,
          )}</ol></section>`
        : nothing
    }`;
}

function compared({ compared, card }: Detail, say: Words, tell: PageWords, lang: Language): TemplateResult {
  if (!compared) return html``;
  const tone = compared.match === null ? '' : compared.match ? 'good' : 'bad';
  const words = compared.match === null ? tell.notExecuted : compared.match ? tell.matches : tell.differs;
  return html`<section class="panel"><h3>${tell.shownAgainstExecuted}</h3>
    <p class="strip ${tone}">${icon(compared.match === false ? 'alert' : compared.match ? 'check' : 'info', 18)}<span>${words}</span></p>
    <dl class="facts">
      <dt>${tell.digestShown}</dt><dd><code>${compared.shown}</code></dd>
      <dt>${tell.digestExecuted}</dt><dd>${compared.executed ? html`<code>${compared.executed}</code>` : '—'}</dd>
      ${card?.decidedAt ? html`<dt>${tell.decided}</dt><dd>${tell.decidedBy(card.decidedByName ?? card.decidedBy ?? '—', when(card.decidedAt, lang))}</dd>` : nothing}
      ${card?.reason ? html`<dt>${tell.reason}</dt><dd>${card.reason}</dd>` : nothing}
    </dl>
    ${card ? html`<div class="frozen"><p class="legend">${card.preview.title}</p>${changeList(card.preview, say)}</div>` : html`<p class="soft">${tell.notRetained}</p>`}
  </section>`;
}

function payload(
  said: Record<string, unknown>,
  personal: Record<string, string | null>,
  around: Around,
): TemplateResult {
  const { tell } = around;
  const rows = Object.entries(said).filter(([, value]) => value !== null && value !== '');
  if (rows.length === 0) return html`<p class="soft">${tell.noContents}</p>`;
  return html`<dl class="facts">${rows.map(([name, value]) => {
    const sealed = name in personal;
    const clear = sealed ? (personal[name] ?? tell.subjectErased) : value;
    return html`<dt><code>${name}</code></dt><dd>${text(clear)}${sealed ? html` <span class="tag">${tell.sealed}</span>` : nothing}${sealed && personal[name] !== null ? erasing(subjectOf(value), around) : nothing}</dd>`;
  })}</dl>`;
}

function subjectOf(sealed: unknown): string {
  return String((sealed as { subject?: unknown } | null)?.subject ?? '');
}

function erasing(subject: string, { tell, asked, ask, erase }: Around): TemplateResult {
  if (asked !== subject)
    return html` <button type="button" class="link fine" @click=${() => ask(subject)}>${tell.erasePerson}</button>`;
  return html`<div class="strip bad" role="alert"><span>${tell.eraseAsk(subject)}</span>
    <button type="button" class="quiet small" @click=${() => erase(subject)}>${tell.eraseForGood}</button>
    <button type="button" class="quiet small" @click=${() => ask('')}>${tell.keep}</button></div>`;
}

function text(value: unknown): unknown {
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ') || '—';
  if (typeof value === 'object') return html`<code>${JSON.stringify(value)}</code>`;
  return String(value);
}
