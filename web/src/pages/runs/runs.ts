/** `<deputize-runs>`: runs with what they did and cost; the tenant's for whoever supervises, each view recorded (UI-4). */
import { customElement, html, icon, nothing, problem, property, state, type TemplateResult } from '../../shared.js';
import type { Run } from '../../wire.js';
import { PageElement } from '../page-element.js';
import { count, type Listed, money, nothingHere, onRow, pager, status, when } from '../parts.js';
import { transcript, transcriptStyles } from '../transcript.js';

const SIZE = 20;
type Detail = Run & { names?: Record<string, string> };

/** Attributes besides those of every page: `everyone` shows the tenant's runs at once, `selected` opens one by its id. */
@customElement('deputize-runs')
export class RunsPage extends PageElement {
  @property({ type: Boolean }) everyone = false;
  @property() selected = '';
  @state() private list: Listed<Run> | null = null;
  @state() private all: boolean | null = null;
  @state() private open: Detail | null = null;

  static override styles = [...PageElement.styles, transcriptStyles];

  protected async load(): Promise<void> {
    this.all ??= this.everyone;
    await this.page(this.list?.page ?? 1);
    if (this.selected && !this.open) await this.show(this.selected);
  }

  private async page(page: number): Promise<void> {
    const query = new URLSearchParams({ page: String(page), pageSize: String(SIZE), all: String(this.all) });
    this.list = await this.api.json<Listed<Run>>(`/runs?${query}`);
  }

  private async show(id: string): Promise<void> {
    this.open = await this.api.json<Detail>(`/runs/${encodeURIComponent(id)}`);
    await this.goTo('h2');
  }

  private async close(): Promise<void> {
    const id = this.open?.id;
    this.open = null;
    this.selected = '';
    await this.goTo(`[data-id="${id}"]`);
  }

  private whose(event: Event): void {
    this.all = (event.target as HTMLSelectElement).value === 'all';
    this.attempt(() => this.page(1));
  }

  protected body(): TemplateResult {
    return this.open ? this.one(this.open) : this.many();
  }

  private many(): TemplateResult {
    const { list, tell } = this;
    if (!list) return html``;
    return html`
      ${
        this.everyone
          ? html`<div class="filters"><div class="ask"><label for="whose">${tell.whose}</label>
            <select id="whose" @change=${this.whose}><option value="all">${tell.everyones}</option><option value="mine" ?selected=${!this.all}>${tell.mine}</option></select></div></div>`
          : nothing
      }
      ${list.items.length === 0 ? nothingHere(tell.noRuns) : this.table(list)}
      ${pager(list, tell, (page) => this.attempt(() => this.page(page)))}
    `;
  }

  private table(list: Listed<Run>): TemplateResult {
    const { tell, tongue } = this;
    return html`<section class="panel flush"><div class="scroll"><table>
      <caption class="unseen">${tell.runs}</caption>
      <thead><tr>
        <th scope="col">${tell.started}</th>
        ${this.all ? html`<th scope="col">${tell.who}</th>` : nothing}
        <th scope="col">${tell.status}</th>
        <th scope="col" class="opt">${tell.model}</th>
        <th scope="col" class="num opt">${tell.tokens}</th>
        <th scope="col" class="num opt">${tell.cost}</th>
      </tr></thead>
      <tbody>${list.items.map((one) => {
        const open = () => this.attempt(() => this.show(one.id));
        return html`<tr class="opens" @click=${onRow(open)}>
          <th scope="row" class="when"><button type="button" class="link" data-id=${one.id} @click=${open}>${when(one.startedAt, tongue)}</button></th>
          ${this.all ? html`<td>${list.names?.[one.userId] ?? one.userId}</td>` : nothing}
          <td>${status(one.status, tell)}</td>
          <td class="opt">${one.model || one.provider}</td>
          <td class="num opt">${count(one.inputTokens + one.outputTokens, tongue)}</td>
          <td class="num opt">${money(one.costMicroUsd, tongue)}</td>
        </tr>`;
      })}</tbody>
    </table></div></section>`;
  }

  private one(run: Detail): TemplateResult {
    const { tell, say, tongue } = this;
    const seconds = run.finishedAt ? (Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000 : null;
    const facts: [string, unknown][] = [
      [tell.who, run.names?.[run.userId] ?? run.userId],
      [tell.started, when(run.startedAt, tongue)],
      [
        tell.took,
        seconds === null
          ? '—'
          : tell.seconds(new Intl.NumberFormat(tongue, { maximumFractionDigits: 1 }).format(seconds)),
      ],
      [tell.model, [run.provider, run.model].filter(Boolean).join(' · ')],
      [tell.tokens, tell.inOut(count(run.inputTokens, tongue), count(run.outputTokens, tongue))],
      [tell.cost, money(run.costMicroUsd, tongue)],
      [tell.number, html`<code>${run.id}</code>`],
    ];
    return html`
      <div class="row"><button type="button" class="quiet small with" @click=${this.close}>${tell.toList}</button></div>
      <section class="panel">
        <div class="row ends"><h2 tabindex="-1">${tell.run}</h2>${status(run.status, tell)}</div>
        ${run.errorCode ? html`<p class="strip bad">${icon('alert', 16)}<span>${problem(say, run.errorCode, run.errorCode)}</span></p>` : nothing}
        <dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
      </section>
      <section class="panel" aria-labelledby="talk"><h3 id="talk">${tell.whatHappened}</h3>${transcript(run.messages ?? [], say, tell, tongue, run.names?.[run.userId])}</section>`;
  }
}
