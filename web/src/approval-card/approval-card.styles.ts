/** The look of the approval card; what decides stays in sight at its lower edge. */
import { css } from 'lit';

export const cardStyles = css`
  :host {
    display: block;
  }
  .card {
    display: flex;
    flex-direction: column;
    gap: 0.875rem;
    padding: 1rem;
    border: 1px solid var(--dp-line);
    border-radius: var(--dp-radius);
    background: var(--dp-raised);
    box-shadow: inset 3px 0 0 var(--dp-accent);
  }
  .card.danger {
    box-shadow: inset 3px 0 0 var(--dp-danger);
  }
  .over {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem;
    font-size: 0.8125rem;
    font-weight: 600;
    color: var(--dp-accent);
  }
  .danger .over,
  .danger .tag {
    color: var(--dp-danger);
  }
  .tag {
    padding: 0.0625rem 0.5rem;
    border-radius: 999px;
    font-size: 0.75rem;
    background: var(--dp-danger-soft);
  }
  h3 {
    margin: 0.25rem 0 0;
    font-size: 1.0625rem;
    line-height: 1.35;
    font-weight: 650;
  }
  h3:focus {
    outline: none;
  }
  .strip {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem 0.5rem;
    margin: 0;
    padding: 0.5rem 0.75rem;
    border-radius: 8px;
    font-size: 0.875rem;
    color: var(--dp-warn);
    background: var(--dp-warn-soft);
  }
  .strip span {
    flex: 1 1 12rem;
  }
  .strip button {
    color: var(--dp-text);
    background: var(--dp-surface);
  }
  .strip.bad {
    color: var(--dp-danger);
    background: var(--dp-danger-soft);
  }
  form,
  .typed {
    display: grid;
    gap: 0.375rem;
  }
  /* No box of its own: the bar may stick anywhere within the card. */
  .verdict {
    display: contents;
  }
  .bar {
    position: sticky;
    bottom: var(--dp-stick, 0);
    display: grid;
    gap: 0.25rem;
    margin: 0 -1rem -1rem calc(3px - 1rem);
    padding: 0.75rem 1rem 0.25rem calc(1rem - 3px);
    border-top: 1px solid var(--dp-line);
    border-end-end-radius: var(--dp-radius);
    background: var(--dp-raised);
  }
  @media (max-height: 30rem) {
    .bar {
      position: static;
    }
  }
  label {
    font-size: 0.875rem;
    font-weight: 600;
  }
  .hint {
    margin: 0;
    font-size: 0.8125rem;
    color: var(--dp-muted);
  }
  input,
  textarea {
    width: 100%;
    min-height: 2.5rem;
    padding: 0.4375rem 0.625rem;
    margin-bottom: 0.375rem;
    border: 1px solid var(--dp-edge);
    border-radius: 8px;
    background: var(--dp-surface);
  }
  input,
  a,
  .strip button {
    scroll-margin-bottom: 8rem;
  }
  textarea {
    resize: vertical;
  }
  input[aria-invalid='true'] {
    border-color: var(--dp-danger);
  }
  .deeds {
    display: flex;
    gap: 0.5rem;
  }
  .deeds button {
    flex: 1 1 0;
  }
  footer {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0 0.25rem;
    font-size: 0.8125rem;
    color: var(--dp-muted);
  }
  footer button {
    padding-inline: 0.375rem;
  }
  footer button:last-child {
    margin-inline-end: -0.375rem;
  }
  .time {
    margin-inline-end: auto;
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
    font-variant-numeric: tabular-nums;
  }
  .time.soon {
    color: var(--dp-warn);
    font-weight: 600;
  }
  .folded {
    display: grid;
    grid-template-columns: 1fr auto;
    align-items: center;
    gap: 0 0.75rem;
  }
  .folded button {
    grid-area: 1 / 2 / 3 / 3;
  }
`;
