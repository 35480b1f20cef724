/** The look of the pages: panels, tables, forms, figures, in light and dark, from phones up. */
import { css } from '../shared.js';

export const pageStyles = css`
  :host {
    all: initial;
    display: block;
    color-scheme: light dark;
    font: 400 0.9375rem / 1.5 var(--dp-font);
    color: var(--dp-text);
    -webkit-text-size-adjust: 100%;
    container-type: inline-size;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  .page {
    display: grid;
    gap: 1rem;
    min-width: 0;
  }
  .page > *,
  .panel > * {
    min-width: 0;
  }
  .panel {
    display: grid;
    gap: 0.875rem;
    padding: 1.125rem 1.25rem 1.25rem;
    border: 1px solid var(--dp-line);
    border-radius: var(--dp-radius);
    background: var(--dp-surface);
  }
  .panel.flush {
    padding: 0;
    overflow: hidden;
  }
  h2,
  h3 {
    margin: 0;
    font-size: 1.0625rem;
    line-height: 1.35;
    font-weight: 650;
    overflow-wrap: anywhere;
  }
  h3 {
    font-size: 0.9375rem;
  }
  h2:focus {
    outline: none;
  }
  p {
    margin: 0;
    max-width: 70ch;
  }
  .soft {
    color: var(--dp-muted);
  }
  .fine {
    font-size: 0.8125rem;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
  }
  .row.ends {
    justify-content: space-between;
  }
  .row select {
    width: auto;
  }
  .grow {
    flex: 1 1 auto;
  }
  .small {
    min-height: 2.125rem;
    padding: 0.3125rem 0.75rem;
    font-size: 0.875rem;
  }
  .with {
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
  }
  .scroll {
    overflow-x: auto;
    scrollbar-width: thin;
  }
  .scroll:focus-visible {
    outline-offset: -2px;
  }
  table {
    width: 100%;
    border-collapse: collapse;
    font-size: 0.9375rem;
  }
  caption {
    text-align: start;
  }
  th,
  td {
    padding: 0.625rem 0.75rem;
    text-align: start;
    vertical-align: top;
    border-bottom: 1px solid var(--dp-line);
  }
  th:first-child,
  td:first-child {
    padding-inline-start: 1.25rem;
  }
  th:last-child,
  td:last-child {
    padding-inline-end: 1.25rem;
  }
  tbody tr:last-child > * {
    border-bottom: 0;
  }
  thead th {
    font-size: 0.8125rem;
    font-weight: 600;
    white-space: nowrap;
    color: var(--dp-muted);
    background: var(--dp-raised);
  }
  tbody th {
    font-weight: 550;
  }
  tbody tr.opens {
    cursor: pointer;
  }
  tbody tr.opens:hover {
    background: var(--dp-raised);
  }
  .num {
    text-align: end;
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .when {
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
  .link {
    min-height: 1.5rem;
    padding: 0;
    font-weight: 550;
    text-align: start;
    color: var(--dp-accent);
    text-decoration: underline;
    text-underline-offset: 0.18em;
    overflow-wrap: anywhere;
  }
  .tag {
    display: inline-flex;
    align-items: center;
    gap: 0.25rem;
    padding: 0.0625rem 0.5625rem;
    border-radius: 999px;
    font-size: 0.8125rem;
    line-height: 1.375rem;
    font-weight: 550;
    white-space: nowrap;
    color: var(--dp-muted);
    background: var(--dp-raised);
  }
  .tag.good {
    color: var(--dp-good);
    background: color-mix(in oklab, var(--dp-good) 10%, var(--dp-surface));
  }
  .tag.bad {
    color: var(--dp-danger);
    background: var(--dp-danger-soft);
  }
  .tag.warn {
    color: var(--dp-warn);
    background: var(--dp-warn-soft);
  }
  .strip {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem 0.625rem;
    padding: 0.625rem 0.875rem;
    border-radius: 8px;
    color: var(--dp-warn);
    background: var(--dp-warn-soft);
  }
  .strip span {
    flex: 1 1 14rem;
  }
  .strip.good {
    color: var(--dp-good);
    background: color-mix(in oklab, var(--dp-good) 10%, var(--dp-surface));
  }
  .strip.bad {
    color: var(--dp-danger);
    background: var(--dp-danger-soft);
  }
  .strip button {
    color: var(--dp-text);
    background: var(--dp-surface);
  }
  label,
  .legend {
    font-size: 0.875rem;
    font-weight: 600;
  }
  .ask {
    display: grid;
    gap: 0.25rem;
    align-content: start;
  }
  .ask .hint {
    font-size: 0.8125rem;
    color: var(--dp-muted);
  }
  input:not([type='checkbox']),
  select {
    width: 100%;
    min-width: 0;
    min-height: 2.5rem;
    padding: 0.4375rem 0.625rem;
    font: inherit;
    color: inherit;
    border: 1px solid var(--dp-edge);
    border-radius: 8px;
    background: var(--dp-surface);
  }
  .filters {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr));
    gap: 0.625rem 0.75rem;
    align-items: end;
  }
  dl.facts {
    display: grid;
    grid-template-columns: minmax(7rem, max-content) 1fr;
    gap: 0.375rem 1.25rem;
    margin: 0;
  }
  dl.facts dt {
    color: var(--dp-muted);
  }
  dl.facts dd {
    margin: 0;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  code {
    font-family: ui-monospace, 'Cascadia Code', Menlo, monospace;
    font-size: 0.8125rem;
    overflow-wrap: anywhere;
  }
  progress {
    width: 100%;
    height: 0.625rem;
    accent-color: var(--dp-accent);
  }
  .nothing {
    padding: 2.5rem 1.25rem;
    text-align: center;
    color: var(--dp-muted);
  }
  .nothing p {
    margin: 0 auto;
  }
  @media (max-width: 640px) {
    :host {
      font-size: 1rem;
    }
  }
  @container (max-width: 640px) {
    .opt {
      display: none;
    }
    .when,
    .tag {
      white-space: normal;
    }
    .panel {
      padding: 1rem;
    }
    th:first-child,
    td:first-child {
      padding-inline-start: 1rem;
    }
    th:last-child,
    td:last-child {
      padding-inline-end: 1rem;
    }
    dl.facts {
      grid-template-columns: 1fr;
      gap: 0;
    }
    dl.facts dd {
      margin-bottom: 0.5rem;
    }
  }
`;
