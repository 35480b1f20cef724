/** Small things that several pages draw: a pager, an empty state, a status, money, a link to another page. */
import { html, type Icon, icon, type Language, moment, nothing, type TemplateResult } from '../shared.js';
import type { PageWords } from './i18n/words.js';

/** A page of a list, with people's names by id. */
export interface Listed<T> {
  items: T[];
  total: number;
  page: number;
  pageSize: number;
  names?: Record<string, string>;
}

export function pager(
  list: Listed<unknown>,
  tell: PageWords,
  go: (page: number) => void,
): TemplateResult | typeof nothing {
  const pages = Math.max(1, Math.ceil(list.total / list.pageSize));
  if (pages === 1) return nothing;
  return html`<nav class="row ends" aria-label=${tell.pages}>
    <button type="button" class="quiet small" ?disabled=${list.page <= 1} @click=${() => go(list.page - 1)}>${tell.previous}</button>
    <span class="soft fine">${tell.pageOf(list.page, pages)}</span>
    <button type="button" class="quiet small" ?disabled=${list.page >= pages} @click=${() => go(list.page + 1)}>${tell.next}</button>
  </nav>`;
}

export function nothingHere(words: string, picture: Icon = 'info'): TemplateResult {
  return html`<div class="panel nothing">${icon(picture, 24)}<p>${words}</p></div>`;
}

const TONES: Record<string, string> = {
  complete: 'good',
  error: 'bad',
  awaiting_approval: 'warn',
  budget_exceeded: 'warn',
  active: 'good',
};

export function status(name: string, tell: PageWords): TemplateResult {
  const known: Record<string, string> = tell.statuses;
  return html`<span class="tag ${TONES[name] ?? ''}">${known[name] ?? name}</span>`;
}

/** Micro-dollars as people write dollars; small amounts keep their digits. */
export function money(micro: number, lang: Language): string {
  const small = micro !== 0 && Math.abs(micro) < 10_000;
  return new Intl.NumberFormat(lang, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: small ? 6 : 2,
  }).format(micro / 1_000_000);
}

export function count(n: number, lang: Language): string {
  return new Intl.NumberFormat(lang).format(n);
}

/** A moment with its day, whenever that is. */
export function when(iso: string | null | undefined, lang: Language): string {
  return iso ? moment(lang, iso, new Date(0)) : '—';
}

/** A template such as `/copilot/runs?run={id}` with its id. */
export function address(template: string, id: string): string {
  return template.replace('{id}', encodeURIComponent(id));
}

/** Opens on a click anywhere in the row, unless it was on something that acts by itself or selected text. */
export function onRow(open: () => void): (event: Event) => void {
  return (event) => {
    const hit = event.composedPath().some((one) => one instanceof Element && one.matches('a, button, input'));
    if (!hit && String(getSelection() ?? '') === '') open();
  };
}
