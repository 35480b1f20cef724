/** Bars by day, stacked by model: an SVG with a sentence for those who do not see it; the figures stand in the table. */
import { css, html, svg, type TemplateResult } from '../../shared.js';

/** One day's amount of one series. */
export interface Point {
  day: string;
  series: string;
  amount: number;
}

export interface Bar {
  day: string;
  total: number;
  parts: { series: number; from: number; to: number }[];
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [720, 220, 64, 24, 12];

/** Every day from the first to the last, oldest first, with what each series adds; days without use are there too. */
export function bars(points: readonly Point[], series: readonly string[], days: readonly string[]): Bar[] {
  return days.map((day) => {
    let sum = 0;
    const parts = series.flatMap((name, index) => {
      const amount = points.reduce((all, one) => (one.day === day && one.series === name ? all + one.amount : all), 0);
      sum += amount;
      return amount > 0 ? [{ series: index, from: sum - amount, to: sum }] : [];
    });
    return { day, total: sum, parts };
  });
}

/** The days from `first` to `last`, both ISO dates, both included; at most 400. */
export function daysBetween(first: string, last: string): string[] {
  const found: string[] = [];
  for (let at = Date.parse(`${first}T00:00:00Z`); found.length < 400; at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    if (day > last) break;
    found.push(day);
  }
  return found;
}

/** Round steps from 0 to at or above `most`; none between whole numbers where only those make sense. */
export function scale(most: number, whole = false): number[] {
  if (!(most > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most));
  const fine = [0.2, 0.5, 1, 2, 5].map((one) => one * power).find((one) => most / one <= 4) ?? power * 5;
  const step = whole ? Math.max(fine, 1) : fine;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}

export function chart(given: {
  bars: readonly Bar[];
  label: string;
  amount: (value: number) => string;
  whole: boolean;
  day: (iso: string) => string;
}): TemplateResult {
  const steps = scale(Math.max(...given.bars.map((bar) => bar.total), 0), given.whole);
  const top = steps.at(-1) ?? 1;
  const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const slot = (WIDTH - LEFT) / given.bars.length;
  const every = Math.ceil(given.bars.length / 6);
  return html`<div class="chart" tabindex="0" role="group" aria-label=${given.label}><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${given.label}>
    ${steps.map((step) => svg`<line class="rule" x1=${LEFT} x2=${WIDTH} y1=${y(step)} y2=${y(step)} /><text x=${LEFT - 8} y=${y(step) + 4} text-anchor="end">${given.amount(step)}</text>`)}
    ${given.bars.map((bar, index) => {
      const x = LEFT + index * slot + Math.min(slot * 0.15, 6);
      const width = Math.min(Math.max(slot - Math.min(slot * 0.3, 12), 1), 48);
      return svg`<g>${bar.parts.map((part) => svg`<rect class="s${part.series % 6}" x=${x} width=${width} y=${y(part.to)} height=${Math.max(y(part.from) - y(part.to), 1)}><title>${given.day(bar.day)}: ${given.amount(part.to - part.from)}</title></rect>`)}
        ${index % every === 0 ? svg`<text x=${x} y=${HEIGHT - 6}>${given.day(bar.day)}</text>` : ''}</g>`;
    })}
  </svg></div>`;
}

export const chartStyles = css`
  .chart {
    overflow-x: auto;
    scrollbar-width: thin;
  }
  .chart svg {
    width: 100%;
    min-width: 34rem;
    height: auto;
  }
  .chart text {
    font-size: 10.5px;
    fill: var(--dp-muted);
  }
  .chart .rule {
    stroke: var(--dp-line);
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.125rem;
    margin: 0;
    padding: 0;
    list-style: none;
    font-weight: 400;
  }
  .legend li {
    display: inline-flex;
    align-items: center;
    gap: 0.4375rem;
  }
  .legend i {
    width: 0.75rem;
    height: 0.75rem;
    border-radius: 3px;
  }
  .s0 {
    fill: light-dark(#0b6170, #7fd0dc);
    background: light-dark(#0b6170, #7fd0dc);
  }
  .s1 {
    fill: light-dark(#a05a00, #f0b35e);
    background: light-dark(#a05a00, #f0b35e);
  }
  .s2 {
    fill: light-dark(#5b4bb7, #b5a8ff);
    background: light-dark(#5b4bb7, #b5a8ff);
  }
  .s3 {
    fill: light-dark(#1b6a3c, #84d6a4);
    background: light-dark(#1b6a3c, #84d6a4);
  }
  .s4 {
    fill: light-dark(#a5281e, #ffa79d);
    background: light-dark(#a5281e, #ffa79d);
  }
  .s5 {
    fill: light-dark(#56616c, #a5b0ba);
    background: light-dark(#56616c, #a5b0ba);
  }
`;
