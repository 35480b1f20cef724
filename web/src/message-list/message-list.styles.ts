/** The look of the conversation. */
import { css } from 'lit';

export const listStyles = css`
  :host {
    display: block;
    position: relative;
    min-height: 0;
    flex: 1;
  }
  .scroll {
    height: 100%;
    overflow-y: auto;
    overscroll-behavior: contain;
    padding: 1.25rem 1.25rem 1rem;
    /* What sticks to the lower edge goes down to it, over the padding. */
    --dp-stick: -1rem;
    scrollbar-width: thin;
    scrollbar-color: var(--dp-edge) transparent;
  }
  .scroll:focus-visible {
    outline-offset: -2px;
  }
  .content {
    min-height: 100%;
    display: grid;
    align-content: start;
  }
  .content:has(.welcome) {
    align-content: stretch;
  }
  ol {
    width: 100%;
    list-style: none;
    margin: 0 auto;
    padding: 0;
    display: grid;
    gap: 1.125rem;
    max-width: 46rem;
  }
  .progress,
  .ending {
    width: 100%;
    max-width: 46rem;
    margin-inline: auto;
  }
  .none {
    display: none;
  }
  li.user {
    display: grid;
    justify-items: end;
    gap: 0.25rem;
  }
  .bubble {
    max-width: 88%;
    padding: 0.5rem 0.875rem;
    border-radius: 1rem 1rem 0.25rem 1rem;
    background: var(--dp-soft);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  li.failed .bubble {
    box-shadow: inset 0 0 0 1px var(--dp-danger);
  }
  .unsent {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: end;
    gap: 0.25rem;
    font-size: 0.875rem;
    color: var(--dp-danger);
  }
  .unsent span {
    display: inline-flex;
    gap: 0.25rem;
    align-items: center;
  }
  li.assistant {
    display: grid;
    gap: 0.5rem;
    min-width: 0;
  }
  li.assistant + li.assistant {
    margin-top: -0.5rem;
  }
  .prose {
    overflow-wrap: anywhere;
    min-width: 0;
  }
  .prose > div + div {
    margin-top: 0.75rem;
  }
  .prose p,
  .prose ul,
  .prose ol,
  .prose pre,
  .prose blockquote,
  .prose table {
    margin: 0;
  }
  .prose ul,
  .prose ol {
    display: block;
    list-style: revert;
    padding-inline-start: 1.375rem;
  }
  .prose li {
    display: list-item;
    padding-inline-start: 0.125rem;
  }
  .prose li + li {
    margin-top: 0.25rem;
  }
  .prose li::marker {
    color: var(--dp-muted);
  }
  .prose h3,
  .prose h4,
  .prose h5,
  .prose h6 {
    margin: 0.25rem 0 0;
    font-size: 1rem;
    font-weight: 650;
    line-height: 1.35;
  }
  .prose h3 {
    font-size: 1.0625rem;
  }
  .prose blockquote {
    padding-inline-start: 0.75rem;
    border-inline-start: 3px solid var(--dp-line);
    color: var(--dp-muted);
  }
  .prose code {
    font-family: ui-monospace, 'Cascadia Code', Menlo, monospace;
    font-size: 0.875em;
    padding: 0.0625em 0.3125em;
    border-radius: 4px;
    background: var(--dp-raised);
  }
  .prose pre {
    overflow-x: auto;
    padding: 0.75rem;
    border-radius: 8px;
    background: var(--dp-raised);
  }
  .prose pre code {
    padding: 0;
    background: none;
  }
  .prose hr {
    margin: 0.25rem 0;
    border: 0;
    border-top: 1px solid var(--dp-line);
  }
  .wide {
    overflow-x: auto;
    scrollbar-width: thin;
  }
  .prose table {
    border-collapse: collapse;
    overflow-wrap: break-word;
    font-size: 0.9375em;
  }
  .prose th,
  .prose td {
    padding: 0.3125rem 0.75rem 0.3125rem 0;
    text-align: start;
    vertical-align: top;
    border-bottom: 1px solid var(--dp-line);
  }
  .prose th {
    font-weight: 600;
    color: var(--dp-muted);
    white-space: nowrap;
  }
  .host {
    color: var(--dp-muted);
    font-size: 0.875em;
  }
  .sources {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem;
    margin: 0.125rem 0 0;
    font-size: 0.8125rem;
    color: var(--dp-muted);
  }
  .sources a {
    display: inline-flex;
    align-items: center;
    gap: 0.25rem;
    min-height: 1.625rem;
    padding: 0 0.5rem;
    border: 1px solid var(--dp-line);
    border-radius: 999px;
    text-decoration: none;
  }
  .sources a:hover {
    background: var(--dp-soft);
  }
  .note,
  .ending {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    margin-block: 0;
    padding: 0.5rem 0.75rem;
    border-radius: 8px;
    font-size: 0.875rem;
    color: var(--dp-muted);
    background: var(--dp-raised);
  }
  .note {
    color: var(--dp-warn);
    background: var(--dp-warn-soft);
  }
  .ending {
    margin-top: 1rem;
  }
  .ending span {
    flex: 1;
  }
  .ending.bad {
    color: var(--dp-danger);
    background: var(--dp-danger-soft);
  }
  .ending.warn {
    color: var(--dp-warn);
    background: var(--dp-warn-soft);
  }
  .progress {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 1.5rem;
    margin-block: 1rem 0;
    font-size: 0.875rem;
    color: var(--dp-muted);
  }
  .dots {
    display: inline-flex;
    gap: 0.25rem;
  }
  .dots i {
    width: 0.375rem;
    height: 0.375rem;
    border-radius: 50%;
    background: var(--dp-muted);
    animation: breathe 1.2s ease-in-out infinite;
  }
  .dots i:nth-child(2) {
    animation-delay: 150ms;
  }
  .dots i:nth-child(3) {
    animation-delay: 300ms;
  }
  @keyframes breathe {
    0%,
    60%,
    100% {
      opacity: 0.3;
    }
    30% {
      opacity: 1;
    }
  }
  .latest {
    position: absolute;
    bottom: 0.5rem;
    left: 50%;
    translate: -50% 0;
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
    min-height: 2.25rem;
    padding: 0.25rem 0.875rem;
    border: 1px solid var(--dp-line);
    border-radius: 999px;
    font-size: 0.8125rem;
    background: var(--dp-surface);
    box-shadow: 0 2px 10px rgb(0 0 0 / 0.12);
  }
  .welcome {
    display: grid;
    align-content: center;
    justify-items: center;
    text-align: center;
    min-height: 100%;
    max-width: 30rem;
    margin: 0 auto;
    padding-bottom: 1rem;
  }
  .welcome .mark {
    display: grid;
    place-items: center;
    width: 3.5rem;
    height: 3.5rem;
    border-radius: 50%;
    color: var(--dp-accent);
    background: var(--dp-soft);
  }
  .welcome h3 {
    margin: 1rem 0 0.25rem;
    font-size: 1.25rem;
    font-weight: 650;
    text-wrap: balance;
  }
  .welcome p {
    margin: 0;
    color: var(--dp-muted);
    text-wrap: balance;
  }
  .chips {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    gap: 0.5rem;
    margin: 1.5rem 0 0;
    padding: 0;
    list-style: none;
  }
  .chips button {
    border-color: var(--dp-line);
    border-radius: 999px;
    font-weight: 500;
    font-size: 0.9375rem;
  }
  .chips button:hover:not(:disabled) {
    border-color: var(--dp-accent);
    background: var(--dp-soft);
  }
`;
