/** `<deputize-audit>`: the chain's entries with filters and detail, its verification, checkpoint and export (UI-4, AUD-2 to AUD-6). */
import {
  changeStyles,
  customElement,
  html,
  icon,
  nothing,
  property,
  state,
  type TemplateResult,
} from '../../shared.js';
import { PageElement } from '../page-element.js';
import { count, nothingHere, onRow, pager, when } from '../parts.js';
import { auditStyles } from './audit.styles.js';
import { actorName, entryView, gist, kindTag, kindWords } from './entry.js';
import { download, verification } from './proofs.js';
import type { Detail, Entries, Entry, Signed, Verdict } from './wire.js';

const SIZE = 25;
const NO_FILTER = { kind: '', actor: '', since: '', until: '', run: '' };

/** Attributes besides those of every page: `run-url` (`/copilot/runs?run={id}`), `selected` opens an entry by its number. */
@customElement('deputize-audit')
export class AuditPage extends PageElement {
  @property({ attribute: 'run-url' }) runUrl = '';
  @property() selected = '';
  @state() private list: Entries | null = null;
  @state() private open: Detail | null = null;
  @state() private filter = NO_FILTER;
  @state() private people: Record<string, string> = {};
  @state() private seen: readonly string[] = [];
  @state() private progress: { done: number; total: number } | null = null;
  @state() private verdict: Verdict | null = null;
  @state() private signed: Signed | null = null;
  @state() private working: 'sign' | 'export' | null = null;
  @state() private talk = false;
  @state() private asked = '';
  private stop: AbortController | null = null;

  static override styles = [...PageElement.styles, changeStyles, auditStyles];

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop?.abort();
  }

  protected async load(): Promise<void> {
    await this.page(this.list?.page ?? 1);
    if (this.selected && !this.open) await this.read(Number(this.selected));
  }

  private async page(page: number): Promise<void> {
    const query = new URLSearchParams({ page: String(page), pageSize: String(SIZE), ...this.wanted() });
    this.list = await this.admin.json<Entries>(`/admin/audit?${query}`);
    for (const one of this.list.items) {
      const name = actorName(one, this.tell);
      if (!(one.actor in this.people)) this.people = { ...this.people, [one.actor]: name };
      if (!this.seen.includes(one.kind)) this.seen = [...this.seen, one.kind];
    }
  }

  /** The filter as the server takes it: days are whole days on this clock, the last one included. */
  private wanted(): Record<string, string> {
    const { kind, actor, since, until, run } = this.filter;
    const moment = (day: string, add: number) => {
      const at = new Date(`${day}T00:00:00`);
      at.setDate(at.getDate() + add);
      return at.toISOString();
    };
    return {
      ...(kind ? { kind } : {}),
      ...(actor ? { actor } : {}),
      ...(run ? { run } : {}),
      ...(since ? { since: moment(since, 0) } : {}),
      ...(until ? { until: moment(until, 1) } : {}),
    };
  }

  private set(part: Partial<typeof NO_FILTER>): void {
    this.filter = { ...this.filter, ...part };
    this.attempt(() => this.page(1));
  }

  private async read(seq: number): Promise<void> {
    this.asked = '';
    this.open = await this.admin.json<Detail>(`/admin/audit/${seq}`);
    await this.goTo('h2[tabindex]');
  }

  /** Erases a person for good, after asking; the entry is read again without their values. */
  private async erase(subject: string): Promise<void> {
    await this.admin.json('/admin/audit/subjects/erase', { method: 'POST', body: { subject } });
    if (this.open) await this.read(this.open.seq);
  }

  private async close(): Promise<void> {
    const seq = this.open?.seq;
    this.open = null;
    this.selected = '';
    await this.goTo(`[data-id="${seq}"]`);
  }

  private verify(): Promise<void> {
    this.stop = new AbortController();
    const { signal } = this.stop;
    this.verdict = null;
    this.progress = { done: 0, total: this.list?.head ?? 0 };
    return this.attempt(async () => {
      try {
        this.verdict = await verification(this.admin, signal, (progress) => {
          this.progress = progress;
        });
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        this.progress = null;
      }
      if (!signal.aborted) await this.page(this.list?.page ?? 1);
    });
  }

  private sign(): Promise<void> {
    return this.act('sign', async () => {
      this.signed = await this.admin.json<Signed>('/admin/audit/checkpoint', { method: 'POST', body: {} });
      await this.page(this.list?.page ?? 1);
    });
  }

  private export(): Promise<void> {
    const { kind: _, actor: __, ...kept } = this.wanted();
    return this.act('export', async () => {
      await download(this.admin, { ...kept, transcript: String(this.talk) });
      await this.page(this.list?.page ?? 1);
    });
  }

  private async act(what: 'sign' | 'export', deed: () => Promise<void>): Promise<void> {
    this.working = what;
    await this.attempt(deed);
    this.working = null;
  }

  protected body(): TemplateResult {
    if (this.open) {
      return html`<div class="row"><button type="button" class="quiet small with" @click=${this.close}>${this.tell.toList}</button></div>
        ${entryView(this.open, {
          say: this.say,
          tell: this.tell,
          lang: this.tongue,
          runUrl: this.runUrl,
          show: (seq) => this.attempt(() => this.read(seq)),
          asked: this.asked,
          ask: (subject) => {
            this.asked = subject;
          },
          erase: (subject) => this.attempt(() => this.erase(subject)),
        })}`;
    }
    const { list, tell } = this;
    if (!list) return html``;
    return html`${this.proofs(list)} ${this.filters()}
      ${list.items.length === 0 ? nothingHere(tell.noEntries) : this.table(list)}
      ${pager(list, tell, (page) => this.attempt(() => this.page(page)))}`;
  }

  private proofs(list: Entries): TemplateResult {
    const { tell, tongue, progress } = this;
    const { checkpoint } = list;
    const standing = checkpoint.configured
      ? tell.signedThrough(count(checkpoint.size, tongue), count(list.head, tongue))
      : tell.noKey;
    return html`<section class="panel proofs" aria-labelledby="t-proofs">
      <div><h2 id="t-proofs">${tell.theChain}</h2><p class="soft">${tell.entriesInAll(count(list.head, tongue))} ${standing}</p></div>
      <div class="row">
        ${
          progress
            ? html`<button type="button" class="quiet" @click=${() => this.stop?.abort()}>${tell.stopVerifying}</button>`
            : html`<button type="button" class="primary" @click=${this.verify}>${tell.verify}</button>`
        }
        <button type="button" class="quiet" ?disabled=${!checkpoint.configured || this.working !== null} @click=${this.sign}>${this.working === 'sign' ? tell.signing : tell.sign}</button>
        <button type="button" class="quiet" ?disabled=${this.working !== null} @click=${this.export}>${this.working === 'export' ? tell.exporting : tell.export}</button>
        <label class="with check"><input type="checkbox" .checked=${this.talk} @change=${(event: Event) => {
          this.talk = (event.target as HTMLInputElement).checked;
        }} />${tell.withTalk}</label>
      </div>
      <div role="status" class="told">
        ${progress ? html`<label for="progress">${tell.verifying(count(progress.done, tongue), count(progress.total, tongue))}</label><progress id="progress" max=${Math.max(progress.total, 1)} value=${progress.done}></progress>` : nothing}
        ${this.verdict ? this.judged(this.verdict) : nothing}
        ${this.signed ? html`<p class="strip ${this.signed.fault ? 'bad' : 'good'}">${icon(this.signed.fault ? 'alert' : 'check', 18)}<span>${this.signed.fault ? `${tell.notSigned} ${this.signed.fault}` : tell.signedNow(count(this.signed.size, tongue))}</span></p>` : nothing}
        ${checkpoint.fault ? html`<p class="strip bad">${icon('alert', 18)}<span>${tell.damagedNotes} ${checkpoint.fault}</span></p>` : nothing}
      </div>
    </section>`;
  }

  private judged(verdict: Verdict): TemplateResult {
    const { tell, tongue } = this;
    const more = verdict.ok
      ? verdict.anchored > 0
        ? tell.anchored(count(verdict.anchored, tongue))
        : tell.unanchored
      : verdict.damage;
    return html`<p class="strip ${verdict.ok ? 'good' : 'bad'}">${icon(verdict.ok ? 'shield' : 'alert', 18)}
      <span><b>${tell.findings[verdict.finding]}</b> ${verdict.ok ? tell.through(count(verdict.through, tongue)) : verdict.at ? tell.atEntry(verdict.at) : ''} ${more} ${verdict.pruned ? tell.prunedFirst(count(verdict.pruned, tongue)) : ''}</span>
      ${verdict.at ? html`<button type="button" class="quiet small" @click=${() => this.attempt(() => this.read(verdict.at))}>${tell.entry(verdict.at)}</button>` : nothing}</p>`;
  }

  private filters(): TemplateResult {
    const { tell, filter } = this;
    const kinds = [...new Set([...Object.keys(tell.kinds), ...this.seen])].sort((a, b) =>
      kindWords(a, tell).localeCompare(kindWords(b, tell)),
    );
    const on = (name: keyof typeof NO_FILTER) => (event: Event) =>
      this.set({ [name]: (event.target as HTMLInputElement).value });
    return html`<form class="filters" role="search" aria-label=${tell.filters} @submit=${(event: Event) => event.preventDefault()}>
      <div class="ask"><label for="kind">${tell.kind}</label><select id="kind" @change=${on('kind')}>
        <option value="">${tell.any}</option>${kinds.map((one) => html`<option value=${one} ?selected=${one === filter.kind}>${kindWords(one, tell)}</option>`)}</select></div>
      <div class="ask"><label for="actor">${tell.who}</label><select id="actor" @change=${on('actor')}>
        <option value="">${tell.anybody}</option>${Object.entries(this.people).map(([id, name]) => html`<option value=${id} ?selected=${id === filter.actor}>${name}</option>`)}</select></div>
      <div class="ask"><label for="since">${tell.from}</label><input id="since" type="date" .value=${filter.since} @change=${on('since')} /></div>
      <div class="ask"><label for="until">${tell.to}</label><input id="until" type="date" .value=${filter.until} @change=${on('until')} /></div>
      ${Object.values(filter).some(Boolean) ? html`<button type="button" class="quiet" @click=${() => this.set(NO_FILTER)}>${tell.noFilter}</button>` : nothing}
    </form>`;
  }

  private table(list: Entries): TemplateResult {
    const { tell, tongue } = this;
    return html`<section class="panel flush"><div class="scroll"><table>
      <caption class="unseen">${tell.entries}</caption>
      <thead><tr><th scope="col" class="num">${tell.numberSign}</th><th scope="col">${tell.when}</th><th scope="col">${tell.what}</th>
        <th scope="col" class="opt">${tell.who}</th><th scope="col" class="opt">${tell.about}</th></tr></thead>
      <tbody>${list.items.map((one) => this.row(one, () => this.attempt(() => this.read(one.seq)), tongue))}</tbody>
    </table></div></section>`;
  }

  private row(one: Entry, open: () => void, tongue: 'es' | 'en'): TemplateResult {
    const { tell } = this;
    return html`<tr class="opens" @click=${onRow(open)}>
      <th scope="row" class="num"><button type="button" class="link" data-id=${one.seq} aria-label=${tell.entry(one.seq)} @click=${open}>${one.seq}</button></th>
      <td class="when">${when(one.at, tongue)}</td>
      <td>${kindTag(one.kind, tell)}</td>
      <td class="opt">${actorName(one, tell)}</td>
      <td class="opt soft about">${gist(one)}</td>
    </tr>`;
  }
}
