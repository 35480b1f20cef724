/** `<deputize-approvals>`: changes that wait for this person, their own and those of four eyes, decided on the card (UI-4). */

import type { ToolCallDto } from '../../events.js';
import type { CallView } from '../../reduce.js';
import {
  ApiError,
  css,
  customElement,
  html,
  icon,
  known,
  type Problem,
  state,
  type TemplateResult,
  type Verdict,
} from '../../shared.js';
import { PageElement } from '../page-element.js';
import { type Listed, nothingHere, when } from '../parts.js';

const EVERY = 15_000;
type Waiting = Listed<CallView> & { owners?: Record<string, string> };

/** Looks again by itself while the page is seen and nothing is being decided. Event: `deputize-changed` as the element's. */
@customElement('deputize-approvals')
export class ApprovalsPage extends PageElement {
  @state() private list: Waiting | null = null;
  @state() private deciding: { id: string; how: 'approve' | 'reject' } | null = null;
  @state() private problems: Record<string, Problem> = {};
  @state() private said = '';
  private timer: ReturnType<typeof setInterval> | undefined;

  static override styles = [
    ...PageElement.styles,
    css`
      .cards {
        display: grid;
        gap: 1.25rem;
        max-width: 42rem;
      }
      .asked {
        margin-bottom: 0.375rem;
        font-size: 0.8125rem;
        font-weight: 400;
        color: var(--dp-muted);
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.timer = setInterval(() => this.look(), EVERY);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    if (document.visibilityState === 'hidden' || this.deciding || this.busy || !this.loaded) return;
    try {
      await this.load();
    } catch {
      /* What is shown may be old for another moment; a decision is checked by the server anyway. */
    }
  }

  protected async load(): Promise<void> {
    const fresh = await this.api.json<Waiting>('/approvals');
    const before = new Map(this.list?.items.map((one) => [one.id, one]));
    fresh.items = fresh.items.map((one) => {
      const old = before.get(one.id);
      return old?.approval?.digest === one.approval?.digest ? (old ?? one) : { ...one, changed: old !== undefined };
    });
    this.list = fresh;
  }

  private async decide(call: CallView, { approve, ...more }: Verdict): Promise<void> {
    if (this.deciding) return;
    this.deciding = { id: call.id, how: approve ? 'approve' : 'reject' };
    this.problems = { ...this.problems, [call.id]: undefined as unknown as Problem };
    try {
      const done = await this.api.json<ToolCallDto>(`/tool-calls/${encodeURIComponent(call.id)}/decide`, {
        method: 'POST',
        body: { approve, digest: call.approval?.digest, ...more },
      });
      this.decided(call, done);
    } catch (error) {
      this.undecided(call, error);
    }
    this.deciding = null;
  }

  private decided(call: CallView, done: ToolCallDto): void {
    const outcome = this.say.outcomes[done.outcome ?? 'ok'];
    this.said = `${call.approval?.preview.title ?? call.title}: ${outcome}.`;
    this.drop(call.id);
    if (done.outcome !== 'ok') return;
    const rows = [...(call.approval?.preview.changes ?? []), ...done.links];
    const entities = rows.flatMap(({ kind, id }) => (kind && id ? [{ kind, id }] : []));
    this.dispatchEvent(new CustomEvent('deputize-changed', { detail: { entities }, bubbles: true, composed: true }));
  }

  private undecided(call: CallView, error: unknown): void {
    const fresh = error instanceof ApiError ? (error.details.call as CallView | undefined) : undefined;
    if (fresh?.approval) this.put({ ...fresh, changed: true });
    else if (error instanceof ApiError && [404, 409, 410].includes(error.status)) {
      this.trouble = known(error);
      this.drop(call.id);
    } else this.problems = { ...this.problems, [call.id]: known(error) };
  }

  private put(call: CallView): void {
    if (this.list) this.list = { ...this.list, items: this.list.items.map((one) => (one.id === call.id ? call : one)) };
  }

  private drop(id: string): void {
    if (this.list) this.list = { ...this.list, items: this.list.items.filter((one) => one.id !== id) };
    this.goTo('#told');
  }

  private whole(call: CallView): Promise<void> {
    return this.attempt(async () => {
      const full = await this.api.call(call.id);
      if (full.approval) full.approval.preview.cut = false;
      this.put(full);
    });
  }

  protected body(): TemplateResult {
    const { list, tell } = this;
    const items = list?.items ?? [];
    return html`
      <p id="told" tabindex="-1" role="status" class=${this.said ? 'strip good' : 'unseen'}>${this.said ? icon('check', 18) : ''}<span>${this.said}</span></p>
      ${items.length === 0 ? nothingHere(tell.noApprovals, 'check') : html`<div class="cards">${items.map((call) => this.card(call))}</div>`}
    `;
  }

  private card(call: CallView): TemplateResult {
    const { list, tell, tongue } = this;
    const owner = list?.owners?.[call.id] ?? '';
    const mine = call.approval?.by === 'actor';
    const who = list?.names?.[owner] ?? owner;
    return html`<div>
      <h2 class="asked">${mine ? tell.askedByYou : tell.askedBy(who)} · ${when(call.createdAt, tongue)}</h2>
      <deputize-approval-card .call=${call} .say=${this.say} .language=${tongue} .skew=${this.api.skew} .api=${mine ? this.api : undefined}
        .deciding=${this.deciding?.id === call.id ? this.deciding.how : null} .problem=${this.problems[call.id] ?? null}
        @decide=${({ detail }: CustomEvent<Verdict>) => this.decide(call, detail)}
        @whole=${() => this.whole(call)} @lapsed=${() => this.again()}
        @edited=${({ detail }: CustomEvent<CallView>) => this.put(detail)}></deputize-approval-card>
    </div>`;
  }
}
