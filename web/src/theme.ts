/** The look: colours for light and dark, and the buttons, links and focus rings that all parts share. */
import { css } from 'lit';

/** Colours and measures; a page changes them with the custom properties named `--deputize-…`. */
export const tokens = css`
  :host {
    --dp-surface: var(--deputize-surface, light-dark(#ffffff, #15181c));
    --dp-raised: var(--deputize-raised, light-dark(#f5f7f8, #1d2126));
    --dp-line: var(--deputize-line, light-dark(#dfe4e8, #323941));
    --dp-edge: var(--deputize-edge, light-dark(#84909b, #75818d));
    --dp-text: var(--deputize-text, light-dark(#1a2027, #e9edf0));
    --dp-muted: var(--deputize-muted, light-dark(#56616c, #a5b0ba));
    --dp-accent: var(--deputize-accent, light-dark(#0b6170, #7fd0dc));
    --dp-on-accent: var(--deputize-on-accent, light-dark(#ffffff, #08272d));
    --dp-soft: color-mix(in oklab, var(--dp-accent) 10%, var(--dp-surface));
    --dp-danger: light-dark(#a5281e, #ffa79d);
    --dp-on-danger: light-dark(#ffffff, #3a0d09);
    --dp-danger-soft: light-dark(#fdf1ef, #331d1b);
    --dp-warn: light-dark(#744800, #f0c674);
    --dp-warn-soft: light-dark(#fff6e2, #2f2715);
    --dp-good: light-dark(#1b6a3c, #84d6a4);
    --dp-radius: var(--deputize-radius, 12px);
    --dp-font: var(--deputize-font, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif);
  }
`;

export const base = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  button,
  input,
  textarea {
    font: inherit;
    color: inherit;
    letter-spacing: inherit;
  }
  button {
    cursor: pointer;
    border: 1px solid transparent;
    background: none;
    border-radius: 8px;
    padding: 0.5rem 0.875rem;
    min-height: 2.5rem;
    font-weight: 550;
    line-height: 1.25;
    transition: background-color 120ms ease;
  }
  button:disabled {
    cursor: not-allowed;
    opacity: 0.5;
  }
  :focus-visible {
    outline: 2px solid var(--dp-accent);
    outline-offset: 2px;
  }
  .primary {
    background: var(--dp-accent);
    color: var(--dp-on-accent);
  }
  .primary:hover:not(:disabled) {
    background: color-mix(in oklab, var(--dp-accent) 88%, var(--dp-text));
  }
  .primary.danger {
    background: var(--dp-danger);
    color: var(--dp-on-danger);
  }
  .primary.danger:hover:not(:disabled) {
    background: color-mix(in oklab, var(--dp-danger) 88%, var(--dp-text));
  }
  .quiet {
    border-color: var(--dp-edge);
  }
  .quiet:hover:not(:disabled),
  .icon:hover:not(:disabled) {
    background: color-mix(in oklab, var(--dp-text) 7%, transparent);
  }
  .plain {
    padding-inline: 0.5rem;
    color: var(--dp-accent);
  }
  .plain:hover:not(:disabled) {
    background: var(--dp-soft);
  }
  .icon {
    display: inline-grid;
    place-items: center;
    width: 2.5rem;
    height: 2.5rem;
    padding: 0;
    flex: none;
    color: var(--dp-muted);
  }
  a {
    color: var(--dp-accent);
    text-underline-offset: 0.18em;
  }
  svg {
    display: block;
    flex: none;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @keyframes turn {
    to {
      rotate: 360deg;
    }
  }
  .spin {
    animation: turn 900ms linear infinite;
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      animation-duration: 0.01ms !important;
      animation-iteration-count: 1 !important;
      transition: none !important;
      scroll-behavior: auto !important;
    }
  }
  @media (forced-colors: active) {
    .primary {
      border-color: ButtonText;
    }
  }
`;
