/** The few pictures, drawn as strokes in the colour of the text; always beside words or a label. */
import { html, svg, type TemplateResult } from 'lit';

const PATHS = {
  spark:
    'M12 3.5l1.9 5.1a2.6 2.6 0 0 0 1.5 1.5l5.1 1.9-5.1 1.9a2.6 2.6 0 0 0-1.5 1.5L12 20.5l-1.9-5.1a2.6 2.6 0 0 0-1.5-1.5L3.5 12l5.1-1.9a2.6 2.6 0 0 0 1.5-1.5z',
  close: 'M6 6l12 12M18 6L6 18',
  fresh:
    'M12 5H6.5A2.5 2.5 0 0 0 4 7.5v10A2.5 2.5 0 0 0 6.5 20h10a2.5 2.5 0 0 0 2.5-2.5V12M9.5 14.5l.6-2.7 8-8a1.5 1.5 0 0 1 2.1 2.1l-8 8z',
  send: 'M12 19V5.5M6 11l6-6 6 6',
  stop: 'M8 8h8v8H8z',
  chevron: 'M8 10l4 4 4-4',
  down: 'M12 5v13M6 12.5l6 6 6-6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M7 7l10 10M17 7L7 17',
  alert: 'M12 8.5v4.5M12 16.4v.1M12 3.8l9 15.9H3z',
  clock: 'M12 7.5V12l3 2M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z',
  shield: 'M12 3.5l7 2.6v5.4c0 4.3-2.9 7.4-7 9-4.1-1.6-7-4.7-7-9V6.1zM9 12l2.2 2.2L15.2 10',
  info: 'M12 11v5.2M12 7.8v.1M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z',
  out: 'M4 7.5h16v10H4zM4.5 8l7.5 5.5L19.5 8',
  page: 'M7 3.5h7l4 4v13H7zM14 3.5v4h4M10 12.5h5M10 16h5',
  arrow: 'M5 12h13.5M13 6.5l5.5 5.5-5.5 5.5',
  wait: 'M12 3.5a8.5 8.5 0 1 1-8.5 8.5',
} as const;

export type Icon = keyof typeof PATHS;

/** An icon that says nothing to screen readers. */
export function icon(name: Icon, size = 20): TemplateResult {
  return html`<svg width=${size} height=${size} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" class=${name === 'wait' ? 'spin' : ''}>${svg`<path d=${PATHS[name]} />`}</svg>`;
}
