/** `<deputize-history>`: the person's conversations, or the tenant's for whoever may read them, each to be read (UI-4). */
import { css, customElement, html, icon, nothing, property, state, type TemplateResult } from '../../shared.js';
import type { Message, Session } from '../../wire.js';
import { PageElement } from '../page-element.js';
import { count, type Listed, nothingHere, onRow, pager, status, when } from '../parts.js';
import { transcript, transcriptStyles } from '../transcript.js';

const SIZE = 20;

/** Attributes besides those of every page: `everyone` offers the tenant's conversations too, `selected` opens one. */
@customElement('deputize-history')
export class HistoryPage extends PageElement {
  @property({ type: Boolean }) everyone = false;
  @property() selected = '';
  @state() private list: Listed<Session> | null = null;
  @state() private all = false;
  @state() private open: Session | null = null;
  @state() private messages: Message[] = [];

  static override styles = [...PageElement.styles, transcriptStyles, css``];

  protected async load(): Promise<void> {
    await this.page(this.list?.page ?? 1);
    const wanted = this.list?.items.find((one) => one.id === this.selected);
    if (wanted && !this.open) await this.read(wanted);
  }

  private async page(page: number): Promise<void> {
    const query = new URLSearchParams({ page: String(page), pageSize: String(SIZE), all: String(this.all) });
    this.list = await this.api.json<Listed<Session>>(`/sessions?${query}`);
  }

  private async read(session: Session): Promise<void> {
    this.messages = await this.api.messages(session.id);
    this.open = session;
    await this.goTo('h2');
  }

  private async close(): Promise<void> {
    const id = this.open?.id;
    this.open = null;
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
            <select id="whose" @change=${this.whose}><option value="mine">${tell.mine}</option><option value="all" ?selected=${this.all}>${tell.everyones}</option></select></div></div>`
          : nothing
      }
      ${list.items.length === 0 ? nothingHere(tell.noConversations, 'spark') : this.table(list)}
      ${pager(list, tell, (page) => this.attempt(() => this.page(page)))}
    `;
  }

  private table(list: Listed<Session>): TemplateResult {
    const { tell, tongue } = this;
    return html`<section class="panel flush"><div class="scroll"><table>
      <caption class="unseen">${tell.conversations}</caption>
      <thead><tr>
        <th scope="col">${tell.conversation}</th>
        ${this.all ? html`<th scope="col">${tell.who}</th>` : nothing}
        <th scope="col" class="opt">${tell.status}</th>
        <th scope="col" class="num opt">${tell.messages}</th>
        <th scope="col">${tell.last}</th>
      </tr></thead>
      <tbody>${list.items.map((one) => {
        const open = () => this.attempt(() => this.read(one));
        return html`<tr class="opens" @click=${onRow(open)}>
          <th scope="row"><button type="button" class="link" data-id=${one.id} @click=${open}>${one.title || tell.untitled}</button></th>
          ${this.all ? html`<td>${list.names?.[one.userId] ?? one.userId}</td>` : nothing}
          <td class="opt">${status(one.status, tell)}</td>
          <td class="num opt">${count(one.totals.messages, tongue)}</td>
          <td class="when">${when(one.updatedAt, tongue)}</td>
        </tr>`;
      })}</tbody>
    </table></div></section>`;
  }

  private one(session: Session): TemplateResult {
    const { tell, say, tongue } = this;
    const other = this.all ? this.list?.names?.[session.userId] : '';
    return html`
      <div class="row"><button type="button" class="quiet small with" @click=${this.close}>${tell.toList}</button></div>
      <section class="panel">
        <div class="row ends"><h2 tabindex="-1">${session.title || tell.untitled}</h2>${status(session.status, tell)}</div>
        ${other ? html`<p class="strip">${icon('info', 16)}<span>${tell.viewed(other)}</span></p>` : nothing}
        ${transcript(this.messages, say, tell, tongue, other || undefined)}
      </section>`;
  }
}
