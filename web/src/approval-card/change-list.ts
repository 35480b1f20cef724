/** The server's preview drawn: each row with its fields before and after, marks in words, and what would leave. */
import { css, html, nothing, type TemplateResult } from 'lit';
import type { ChangeDto, FieldChangeDto, OutgoingDto, PreviewDto } from '../events.js';
import type { Words } from '../i18n/words.js';
import { type Icon, icon } from '../icons.js';
import { safeHref } from '../markdown.js';

const ALARMS = new Set(['link', 'untrusted', 'unproven', 'invisible']);
/** Marks that the value itself shows: `assigned` in its place, `context` by having no value after it. */
const SHOWN = new Set(['assigned', 'context']);
const SIGNS: Record<ChangeDto['op'], string> = { insert: '+', update: '~', delete: '−' };

function badges(field: FieldChangeDto, say: Words): TemplateResult | typeof nothing {
  const marks = field.marks ?? [];
  if (marks.length === 0) return nothing;
  const known: Record<string, string> = say.marks;
  const picture = (mark: string): Icon => (ALARMS.has(mark) ? 'alert' : 'info');
  return html`<span class="marks">${marks.map(
    (mark) =>
      html`<span class="mark ${ALARMS.has(mark) ? 'alarm' : ''}">${icon(picture(mark), 14)}${known[mark] ?? mark}</span> `,
  )}</span>`;
}

function values(op: ChangeDto['op'], field: FieldChangeDto, say: Words): TemplateResult {
  if ((field.marks ?? []).includes('context')) return html`<span>${field.after ?? ''}</span>`;
  const assigned = (field.marks ?? []).includes('assigned');
  const none = html`<i class="none">${say.nothing}</i>`;
  const later = html`<i class="none">${field.after ?? say.marks.assigned}</i>`;
  const before = html`<del><span class="unseen">${say.before}: </span>${field.before ?? none}</del>`;
  const long = (field.after ?? '').length > 60;
  const after = html`<ins class=${long ? 'long' : ''}><span class="unseen">${say.after}: </span>${assigned ? later : (field.after ?? none)}</ins>`;
  if (op === 'insert') return after;
  if (op === 'delete') return before;
  return html`${before} <span class="to">${icon('arrow', 14)}<span class="unseen">${say.becomes}</span></span> ${after}`;
}

/** A value that is only made on saving has nothing to show: such fields are named together, in one line. */
function later({ before, marks }: FieldChangeDto): boolean {
  return marks?.length === 1 && marks[0] === 'assigned' && !before;
}

function fields(op: ChangeDto['op'], list: readonly FieldChangeDto[], say: Words): TemplateResult {
  const [made, shown] = [list.filter(later), list.filter((field) => !later(field))];
  return html`${shown.length > 0 ? html`<dl>${shown.map((field) => one(op, field, say))}</dl>` : nothing}
    ${made.length > 0 ? html`<p class="later">${made.map((field) => field.caption).join(', ')}: ${made[0]?.after ?? say.marks.assigned}</p>` : nothing}`;
}

function one(op: ChangeDto['op'], field: FieldChangeDto, say: Words): TemplateResult {
  const marks = (field.marks ?? []).filter((mark) => !SHOWN.has(mark));
  return html`<div class="field"><dt>${field.caption}</dt>
    <dd>${values(op, field, say)} ${badges({ ...field, marks }, say)}</dd></div>`;
}

function row(change: ChangeDto, say: Words): TemplateResult {
  const name = change.label ?? '';
  const url = change.url && safeHref(change.url) ? change.url : null;
  return html`<section class="change ${change.op}">
    <h4>
      <span class="op"><span aria-hidden="true">${SIGNS[change.op]}</span> ${say[change.op]}</span>
      <span class="kind">${change.caption}</span>
      ${name ? (url ? html`<a href=${url}>${name}</a>` : html`<b>${name}</b>`) : nothing}
    </h4>
    ${change.fields.length > 0 ? fields(change.op, change.fields, say) : nothing}
  </section>`;
}

function leaving(outgoing: OutgoingDto, say: Words): TemplateResult {
  return html`<section class="change leaving">
    <h4><span class="op">${icon('out', 16)} ${say.outgoing}</span> <span class="kind">${outgoing.caption}</span></h4>
    ${fields('insert', outgoing.fields, say)}
  </section>`;
}

/** All changes of a preview. Every string is plain text. */
export function changeList(preview: PreviewDto, say: Words): TemplateResult {
  const hidden = preview.hidden ?? [];
  const none = preview.changes.length === 0 && preview.outgoing.length === 0;
  return html`<div class="changes">
    ${none ? html`<p class="note">${say.noChange}</p>` : nothing}
    ${preview.changes.map((change) => row(change, say))} ${preview.outgoing.map((one) => leaving(one, say))}
    ${hidden.length > 0 ? html`<p class="note">${icon('info', 16)}<span>${say.hiddenRows}: ${hidden.join('; ')}</span></p>` : nothing}
  </div>`;
}

export const changeStyles = css`
  .changes {
    display: grid;
    gap: 0.75rem;
  }
  .change h4 {
    margin: 0 0 0.375rem;
    font-size: 0.9375rem;
    font-weight: 600;
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0.125rem 0.5rem;
  }
  .op {
    display: inline-flex;
    gap: 0.25rem;
    align-items: center;
    font-size: 0.75rem;
    font-weight: 600;
    color: var(--dp-accent);
    background: var(--dp-soft);
    border-radius: 999px;
    padding: 0.125rem 0.5rem;
    align-self: center;
  }
  .delete .op {
    color: var(--dp-danger);
    background: var(--dp-danger-soft);
  }
  .leaving .op {
    color: var(--dp-warn);
    background: var(--dp-warn-soft);
  }
  .kind {
    color: var(--dp-muted);
    font-weight: 500;
  }
  .changes dl {
    margin: 0;
    border: 1px solid var(--dp-line);
    border-radius: 8px;
    background: var(--dp-surface);
  }
  .field {
    display: grid;
    grid-template-columns: minmax(6rem, 30%) 1fr;
    gap: 0.75rem;
    padding: 0.4375rem 0.75rem;
  }
  .field + .field {
    border-top: 1px solid var(--dp-line);
  }
  .changes dt {
    color: var(--dp-muted);
    font-size: 0.875rem;
    line-height: 1.5rem;
  }
  .changes dd {
    margin: 0;
    min-width: 0;
    white-space: normal;
    overflow-wrap: anywhere;
  }
  del,
  ins {
    text-decoration: none;
    white-space: pre-wrap;
  }
  del {
    color: var(--dp-muted);
  }
  .update del {
    text-decoration: line-through;
    text-decoration-color: color-mix(in oklab, var(--dp-muted) 60%, transparent);
  }
  ins:not(.long) {
    font-weight: 550;
  }
  .update del:has(.none) {
    text-decoration: none;
  }
  .to {
    display: inline-block;
    vertical-align: -0.1em;
    margin-inline: 0.125rem;
    color: var(--dp-muted);
  }
  .later {
    margin: 0.375rem 0 0;
    font-size: 0.8125rem;
    color: var(--dp-muted);
  }
  .none {
    font-weight: 400;
    color: var(--dp-muted);
  }
  .marks {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.375rem;
    margin-top: 0.25rem;
  }
  .mark {
    display: inline-flex;
    align-items: center;
    gap: 0.25rem;
    font-size: 0.75rem;
    line-height: 1.25rem;
    padding: 0.0625rem 0.4375rem 0.0625rem 0.3125rem;
    border-radius: 0.6875rem;
    color: var(--dp-muted);
    background: var(--dp-raised);
  }
  .mark.alarm {
    color: var(--dp-warn);
    background: var(--dp-warn-soft);
    font-weight: 600;
  }
  .note {
    display: flex;
    gap: 0.375rem;
    margin: 0;
    font-size: 0.875rem;
    color: var(--dp-muted);
  }
  @media (max-width: 420px) {
    .field {
      grid-template-columns: 1fr;
      gap: 0;
    }
  }
`;
