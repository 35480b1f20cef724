/** The look of the editor, as that of the card around it. */
import { css } from '../shared.js';

export const editorStyles = css`
  :host {
    display: block;
  }
  form {
    display: grid;
    gap: 0.75rem;
  }
  .field {
    display: grid;
    gap: 0.25rem;
  }
  label {
    font-size: 0.875rem;
    font-weight: 600;
  }
  .new {
    margin-inline-start: 0.25rem;
    padding: 0.0625rem 0.4375rem;
    border-radius: 999px;
    font-size: 0.75rem;
    color: var(--dp-accent);
    background: var(--dp-soft);
  }
  .hint,
  .was {
    margin: 0;
    font-size: 0.8125rem;
    color: var(--dp-muted);
  }
  input,
  textarea,
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
  textarea {
    resize: vertical;
  }
  [aria-invalid='true'] {
    border-color: var(--dp-danger);
  }
  .strip {
    display: flex;
    gap: 0.5rem;
    margin: 0;
    padding: 0.5rem 0.75rem;
    border-radius: 8px;
    font-size: 0.875rem;
    color: var(--dp-danger);
    background: var(--dp-danger-soft);
  }
  .strip svg {
    margin-top: 0.125rem;
  }
  .deeds {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .deeds button {
    flex: 1 1 8rem;
  }
`;
