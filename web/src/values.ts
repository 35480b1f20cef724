/** Shows plain data (arguments, results) as captions and values that people can read. */
import { html, nothing, type TemplateResult } from 'lit';
import { type Language, moment, type Words } from './i18n/words.js';

const SHOWN = 12;
const DEEP = 4;
const STAMP = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface Reading {
  say: Words;
  lang: Language;
  /** Names of records by id. */
  names: ReadonlyMap<string, string>;
}

/** `first_name`, `firstName` → `First name`. */
export function caption(key: string): string {
  const spaced = key
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** One plain value in words. Times that say their offset keep their own clock; UTC times are shown in the reader's. */
export function words(value: unknown, { say, lang, names }: Reading): string {
  if (value === null || value === undefined || value === '') return '—';
  if (value === true) return say.yes;
  if (value === false) return say.no;
  if (typeof value === 'number') return new Intl.NumberFormat(lang, { maximumFractionDigits: 6 }).format(value);
  const text = String(value);
  const name = names.get(text);
  if (name) return name;
  if (UUID.test(text)) return `#${text.slice(0, 8)}`;
  const stamp = STAMP.exec(text);
  if (stamp?.[6] === 'Z') return moment(lang, text, new Date(0));
  if (stamp) return `${day(lang, stamp)} ${stamp[4]}:${stamp[5]}`;
  const date = DAY.exec(text);
  return date ? day(lang, date) : text;
}

function day(lang: Language, parts: RegExpExecArray): string {
  const when = new Date(Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])));
  return new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone: 'UTC' }).format(when);
}

/** Data as nested captions and values; long lists show their first items and how many follow. */
export function reading(value: unknown, given: Reading, depth = 0): TemplateResult {
  if (Array.isArray(value)) return list(value, given, depth);
  if (typeof value !== 'object' || value === null) return html`<span class="value">${words(value, given)}</span>`;
  if (depth >= DEEP) return html`<span class="value">${JSON.stringify(value)}</span>`;
  const rows = Object.entries(value).filter(([key, part]) => worth(key, part, given));
  if (rows.length === 0) return html`<span class="value">${given.say.empty}</span>`;
  const wide = (part: unknown) => (typeof part === 'object' && JSON.stringify(part).length > 60 ? 'wide' : '');
  return html`<dl>${rows.map(([key, part]) => html`<div class=${wide(part)}><dt>${caption(key)}</dt> <dd>${reading(part, given, depth + 1)}</dd></div>`)}</dl>`;
}

/** Empty fields say nothing, nor does a row's own id where it has no name. */
function worth(key: string, part: unknown, { names }: Reading): boolean {
  if (part === null || part === undefined || part === '') return false;
  return key !== 'id' || names.has(String(part)) || !UUID.test(String(part));
}

function list(items: readonly unknown[], given: Reading, depth: number): TemplateResult {
  if (items.length === 0) return html`<span class="value">${given.say.empty}</span>`;
  if (items.every((item) => typeof item !== 'object' || item === null)) {
    const shown = items.slice(0, SHOWN).map((item) => words(item, given));
    return html`<span class="value">${shown.join(', ')}${rest(items, given)}</span>`;
  }
  return html`<ul>${items.slice(0, SHOWN).map((item) => html`<li>${reading(item, given, depth + 1)}</li>`)}</ul>${rest(items, given)}`;
}

function rest(items: readonly unknown[], { say }: Reading): TemplateResult | typeof nothing {
  return items.length > SHOWN ? html` <span class="rest">+ ${say.more(items.length - SHOWN)}</span>` : nothing;
}
