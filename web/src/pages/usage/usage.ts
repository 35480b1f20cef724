/** `<deputize-usage>`: how full each budget is, and what was used by day and model (UI-4, BUD-1, BUD-5). */
import { css, customElement, html, icon, nothing, state, type TemplateResult } from '../../shared.js';
import { PageElement } from '../page-element.js';
import { count, money, when } from '../parts.js';
import { bars, chart, chartStyles, daysBetween, type Point } from './chart.js';

interface Scope {
  scope: 'user' | 'agent' | 'tenant' | 'global';
  id?: string;
  period: 'day' | 'month';
  spentMicroUsd: number;
  reservedMicroUsd: number;
  tokens: number;
  capMicroUsd: number | null;
  capTokens: number | null;
  resetsAt: string | null;
  near?: boolean;
}

interface Day {
  day: string;
  model: string;
  provider?: string;
  agent?: string;
  calls?: number;
  estimated?: number;
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
}

type Measure = 'tokens' | 'cost' | 'calls';
type Split = 'byModel' | 'byScope';

const MEASURES: Measure[] = ['tokens', 'cost', 'calls'];
const SPLITS: Split[] = ['byModel', 'byScope'];
const SPANS = [7, 30, 90];
const WARN = 0.8;

/** How much of the tighter cap is taken, from 0 on; null where there is no cap. */
export function taken(one: Scope): number | null {
  const parts = [
    one.capMicroUsd === null ? null : portion(one.spentMicroUsd + one.reservedMicroUsd, one.capMicroUsd),
    one.capTokens === null ? null : portion(one.tokens, one.capTokens),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : Math.max(...parts);
}

function portion(amount: number, cap: number): number {
  return cap === 0 ? 1 : amount / cap;
}

@customElement('deputize-usage')
export class UsagePage extends PageElement {
  @state() private scopes: Scope[] = [];
  @state() private days: Day[] = [];
  @state() private span = 30;
  @state() private what: Measure | '' = '';
  @state() private split: Split = 'byModel';

  static override styles = [
    ...PageElement.styles,
    chartStyles,
    css`
      .budgets {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr));
        gap: 1rem;
      }
      .figure {
        font-size: 1.5rem;
        line-height: 1.2;
        font-weight: 650;
        font-variant-numeric: tabular-nums;
      }
      .meter {
        height: 0.625rem;
        border-radius: 999px;
        overflow: hidden;
        background: var(--dp-raised);
        box-shadow: inset 0 0 0 1px var(--dp-edge);
      }
      .meter i {
        display: block;
        height: 100%;
        background: var(--dp-accent);
      }
      .meter.near i {
        background: var(--dp-warn);
      }
      .meter.full i {
        background: var(--dp-danger);
      }
      .none {
        background: none;
        box-shadow: none;
      }
      .budget {
        gap: 0.5rem;
        align-content: start;
      }
    `,
  ];

  protected async load(): Promise<void> {
    const found = await this.api.json<{ scopes: Scope[]; days: Day[] }>(`/usage?days=${this.span}`);
    this.scopes = found.scopes;
    this.days = found.days;
  }

  protected body(): TemplateResult {
    const month = this.scopes.find((one) => one.scope === 'tenant' && one.period === 'month');
    return html`${month?.near ? html`<p class="strip" role="status">${icon('alert', 18)}<span>${this.tell.nearLimit}</span></p>` : nothing}
      <section class="budgets" aria-label=${this.tell.budgets}>${this.scopes.map((one) => this.budget(one))}</section>
      ${this.byDay()}`;
  }

  private budget(one: Scope): TemplateResult {
    const { tell, tongue } = this;
    const part = taken(one);
    const level = part === null ? 'none' : part >= 1 ? 'full' : part >= WARN ? 'near' : '';
    const name = tell.budgetOf(one.scope, one.period, one.id ?? '');
    const percent = part === null ? 0 : Math.min(Math.round(part * 100), 100);
    const words = part === null ? tell.noLimit : tell.percentUsed(percent);
    return html`<article class="panel budget">
      <h2>${name}</h2>
      <p class="figure">${money(one.spentMicroUsd, tongue)}</p>
      <p class="soft">${one.capMicroUsd === null ? tell.tokensUsed(count(one.tokens, tongue)) : tell.ofCap(money(one.capMicroUsd, tongue), count(one.tokens, tongue))}</p>
      ${one.capTokens === null ? nothing : html`<p class="soft">${tell.ofTokens(count(one.tokens, tongue), count(one.capTokens, tongue))}</p>`}
      ${
        part === null
          ? html`<p class="fine soft">${words}</p>`
          : html`<div class="meter ${level}" role="meter" aria-label=${name} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${percent} aria-valuetext=${words}><i style="width:${percent}%"></i></div>
        <p class="fine ${level ? '' : 'soft'}">${level ? html`<span class="tag ${level === 'full' ? 'bad' : 'warn'}">${icon('alert', 14)}${words}</span>` : words}</p>`
      }
      ${one.resetsAt ? html`<p class="fine soft">${tell.renews(when(one.resetsAt, tongue))}</p>` : nothing}
    </article>`;
  }

  private byDay(): TemplateResult | typeof nothing {
    const { tell } = this;
    const supervised = this.scopes.some((one) => one.scope !== 'user');
    if (!supervised) return nothing;
    return html`<section class="panel" aria-labelledby="by-day">
      <div class="row ends"><h2 id="by-day">${tell.byDay}</h2>
        <div class="row">
          <label class="unseen" for="what">${tell.show}</label>
          <select id="what" @change=${this.choose}>${MEASURES.map((one) => html`<option value=${one} ?selected=${one === this.measure}>${tell[one]}</option>`)}</select>
          <label class="unseen" for="split">${tell.splitBy}</label>
          <select id="split" @change=${this.divide}>${SPLITS.map((one) => html`<option value=${one} ?selected=${one === this.split}>${tell[one]}</option>`)}</select>
          <label class="unseen" for="span">${tell.period}</label>
          <select id="span" @change=${this.reach}>${SPANS.map((n) => html`<option value=${n} ?selected=${n === this.span}>${tell.lastDays(n)}</option>`)}</select>
        </div></div>
      ${this.days.length === 0 ? html`<p class="soft">${tell.noUsage}</p>` : html`${this.drawing()} ${this.table()}`}
    </section>`;
  }

  private choose(event: Event): void {
    this.what = (event.target as HTMLSelectElement).value as Measure;
  }

  private divide(event: Event): void {
    this.split = (event.target as HTMLSelectElement).value as Split;
  }

  private reach(event: Event): void {
    this.span = Number((event.target as HTMLSelectElement).value);
    this.again();
  }

  /** What is drawn: as chosen, else tokens where any were used. */
  private get measure(): Measure {
    return this.what || (this.days.some((one) => one.inputTokens + one.outputTokens > 0) ? 'tokens' : 'calls');
  }

  private amountOf(one: Day): number {
    if (this.measure === 'cost') return one.costMicroUsd;
    return this.measure === 'calls' ? (one.calls ?? 0) : one.inputTokens + one.outputTokens;
  }

  private drawing(): TemplateResult {
    const { tell, tongue } = this;
    const of = (one: Day) => (this.split === 'byScope' ? one.agent || tell.people : name(one));
    const series = [...new Set(this.days.map(of))].sort();
    const points: Point[] = this.days.map((one) => ({
      day: one.day,
      series: of(one),
      amount: this.amountOf(one),
    }));
    const amount = (value: number) => (this.measure === 'cost' ? money(value, tongue) : count(value, tongue));
    const total = points.reduce((sum, one) => sum + one.amount, 0);
    const used = this.days.map((one) => one.day).sort();
    const [first = '', last = ''] = [used[0], used.at(-1)];
    const from = daysBetween(first, last).length < 7 ? earlier(last, 6) : first;
    return html`${chart({
      bars: bars(points, series, daysBetween(from, last)),
      label: tell.chartLabel(tell[this.measure], amount(total), series.join(', ')),
      amount,
      whole: this.measure !== 'cost',
      day: (iso) => this.day(iso),
    })}
    <ul class="legend">${series.map((one, index) => html`<li><i class="s${index % 6}" aria-hidden="true"></i>${one}</li>`)}</ul>`;
  }

  private day(iso: string): string {
    return new Intl.DateTimeFormat(this.tongue, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
      new Date(`${iso}T00:00:00Z`),
    );
  }

  private table(): TemplateResult {
    const { tell, tongue } = this;
    const guessed = this.days.some((one) => (one.estimated ?? 0) > 0);
    return html`<div class="scroll" tabindex="0" role="group" aria-label=${tell.byDay}><table>
      <caption class="unseen">${tell.byDay}</caption>
      <thead><tr><th scope="col">${tell.day}</th><th scope="col">${tell.model}</th><th scope="col" class="num opt">${tell.calls}</th>
        <th scope="col" class="num">${tell.tokens}</th><th scope="col" class="num">${tell.cost}</th></tr></thead>
      <tbody>${[...this.days].reverse().map(
        (
          one,
        ) => html`<tr><th scope="row" class="when">${this.day(one.day)}</th><td>${name(one)}${one.agent ? html` <span class="tag">${one.agent}</span>` : nothing}</td>
          <td class="num opt">${one.calls === undefined ? '—' : count(one.calls, tongue)}</td>
          <td class="num">${count(one.inputTokens + one.outputTokens, tongue)}${one.estimated ? ' *' : ''}</td>
          <td class="num">${money(one.costMicroUsd, tongue)}</td></tr>`,
      )}</tbody>
    </table></div>
    ${guessed ? html`<p class="fine soft">* ${tell.estimated}</p>` : nothing}`;
  }
}

function name(one: Day): string {
  return one.model || one.provider || '—';
}

function earlier(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
}
