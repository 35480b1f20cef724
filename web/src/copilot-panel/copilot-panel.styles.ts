/** The look of launcher, drawer, sheet and page. */
import { css } from 'lit';

export const panelStyles = css`
  :host {
    all: initial;
    color-scheme: light dark;
    font: 400 0.9375rem / 1.5 var(--dp-font);
    color: var(--dp-text);
    -webkit-text-size-adjust: 100%;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  :host([mode='page']) {
    display: block;
    height: 100%;
    min-height: 24rem;
  }
  .launcher {
    position: fixed;
    inset: auto max(1.25rem, env(safe-area-inset-right)) max(1.25rem, env(safe-area-inset-bottom)) auto;
    z-index: var(--deputize-z, 900);
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 3rem;
    padding: 0 1.125rem 0 0.875rem;
    border-radius: 999px;
    font-weight: 600;
    background: var(--dp-accent);
    color: var(--dp-on-accent);
    box-shadow:
      0 1px 2px rgb(0 0 0 / 0.16),
      0 6px 20px rgb(0 0 0 / 0.16);
  }
  .launcher:hover {
    background: color-mix(in oklab, var(--dp-accent) 88%, var(--dp-text));
  }
  .launcher:focus-visible {
    outline-offset: 3px;
  }
  .dot {
    width: 0.75rem;
    height: 0.75rem;
    border-radius: 50%;
    background: var(--dp-warn-soft);
    border: 3px solid var(--dp-warn);
  }
  .panel {
    display: none;
    flex-direction: column;
    margin: 0;
    padding: 0;
    border: 0;
    color: inherit;
    background: var(--dp-surface);
  }
  .panel.page {
    display: flex;
    height: 100%;
  }
  dialog[open] {
    display: flex;
    position: fixed;
    inset: 0 0 0 auto;
    z-index: var(--deputize-z, 900);
    width: min(var(--deputize-width, 27.5rem), 100vw);
    max-width: none;
    height: 100dvh;
    max-height: none;
    overflow: clip;
    border-inline-start: 1px solid var(--dp-line);
    box-shadow: -8px 0 32px rgb(0 0 0 / 0.1);
    animation: slide 180ms cubic-bezier(0.2, 0.8, 0.2, 1);
  }
  dialog:focus {
    outline: none;
  }
  @keyframes slide {
    from {
      translate: 2rem 0;
      opacity: 0;
    }
  }
  .head {
    display: flex;
    align-items: center;
    gap: 0.25rem;
    min-height: 3.5rem;
    padding: 0.375rem 0.75rem 0.375rem 1.25rem;
    border-bottom: 1px solid var(--dp-line);
  }
  .logo {
    color: var(--dp-accent);
    margin-inline-end: 0.375rem;
  }
  h2 {
    flex: 1;
    min-width: 0;
    margin: 0;
    font-size: 1rem;
    font-weight: 650;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .banner {
    display: flex;
    gap: 0.5rem;
    margin: 0;
    padding: 0.5rem 1.25rem;
    font-size: 0.875rem;
    color: var(--dp-warn);
    background: var(--dp-warn-soft);
  }
  .banner svg {
    margin-top: 0.125rem;
  }
  .foot {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.625rem;
    padding: 0.25rem 1rem max(0.75rem, env(safe-area-inset-bottom));
  }
  .page .foot {
    width: 100%;
    max-width: 48.5rem;
    margin: 0 auto;
  }
  .foot deputize-assistance-notice {
    padding-inline: 0.375rem;
  }
  .question {
    padding: 0.875rem 1rem 1rem;
    border: 1px solid var(--dp-line);
    border-radius: var(--dp-radius);
    background: var(--dp-warn-soft);
  }
  .question p {
    margin: 0.125rem 0 0.75rem;
    font-size: 0.875rem;
  }
  .question div {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .question button {
    flex: 1 1 auto;
  }
  @media (max-width: 640px) {
    :host {
      font-size: 1rem;
    }
    dialog[open] {
      width: 100vw;
      border: 0;
      animation-name: rise;
    }
    dialog::backdrop {
      background: rgb(0 0 0 / 0.4);
    }
    .launcher {
      width: 3.5rem;
      height: 3.5rem;
      padding: 0;
      justify-content: center;
    }
    .launcher span {
      display: none;
    }
    .launcher .dot {
      position: absolute;
      top: 0;
      right: 0;
    }
  }
  @keyframes rise {
    from {
      translate: 0 2rem;
      opacity: 0;
    }
  }
  @media print {
    .launcher,
    dialog {
      display: none !important;
    }
  }
`;
