/** The look of what only the audit page has. */
import { css } from '../../shared.js';

export const auditStyles = css`
  .told {
    display: grid;
    gap: 0.625rem;
  }
  .told:not(:has(*)) {
    display: none;
  }
  .told label {
    font-weight: 400;
    font-variant-numeric: tabular-nums;
  }
  .check {
    font-weight: 400;
    min-height: 2.5rem;
  }
  .check input {
    width: 1.125rem;
    height: 1.125rem;
    margin: 0;
    accent-color: var(--dp-accent);
  }
  details.panel {
    display: block;
  }
  summary {
    cursor: pointer;
    font-weight: 650;
  }
  details[open] summary {
    margin-bottom: 0.875rem;
  }
  .about {
    max-width: 24rem;
    overflow-wrap: anywhere;
    font-size: 0.875rem;
  }
  .steps {
    display: grid;
    gap: 0.5rem;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .steps li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.625rem;
  }
  .frozen {
    display: grid;
    gap: 0.625rem;
    padding-top: 0.875rem;
    border-top: 1px solid var(--dp-line);
  }
`;
