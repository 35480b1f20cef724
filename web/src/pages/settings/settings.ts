/** `<deputize-settings>`: provider, model, monthly limits and redaction of the tenant, for whoever configures (UI-4). */
import { css, customElement, html, icon, nothing, state, type TemplateResult } from '../../shared.js';
import { PageElement } from '../page-element.js';

interface Settings {
  provider: string;
  model: string | null;
  redactionEnabled: boolean;
  redactionForced?: boolean;
  redactionNote: string;
  monthlyTokenLimit: number | null;
  monthlyCostLimitCents: number | null;
  providers: string[];
}

/** What the form holds: text as it is typed; an empty limit is none. */
interface Draft {
  provider: string;
  model: string;
  redactionEnabled: boolean;
  tokens: string;
  dollars: string;
}

function drafted(from: Settings): Draft {
  return {
    provider: from.provider,
    model: from.model ?? '',
    redactionEnabled: from.redactionEnabled,
    tokens: from.monthlyTokenLimit === null ? '' : String(from.monthlyTokenLimit),
    dollars: from.monthlyCostLimitCents === null ? '' : (from.monthlyCostLimitCents / 100).toFixed(2),
  };
}

/** Only what differs, as `PATCH /settings` takes it; null clears. */
export function changes(from: Settings, draft: Draft): Record<string, unknown> {
  const wanted: Record<string, unknown> = {
    provider: draft.provider,
    model: draft.model.trim() || null,
    redactionEnabled: draft.redactionEnabled,
    monthlyTokenLimit: draft.tokens.trim() === '' ? null : Math.round(Number(draft.tokens)),
    monthlyCostLimitCents:
      draft.dollars.trim() === '' ? null : Math.round(Number(draft.dollars.replace(',', '.')) * 100),
  };
  const before = from as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== before[name]));
}

@customElement('deputize-settings')
export class SettingsPage extends PageElement {
  @state() private saved: Settings | null = null;
  @state() private draft: Draft | null = null;
  @state() private told = false;

  static override styles = [
    ...PageElement.styles,
    css`
      form {
        display: grid;
        gap: 1rem;
        max-width: 46rem;
      }
      .two {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr));
        gap: 0.875rem 1.25rem;
      }
      .limit {
        display: flex;
        gap: 0.5rem;
      }
      .switch {
        display: flex;
        gap: 0.75rem;
        align-items: start;
      }
      .switch input {
        flex: none;
        width: 1.375rem;
        height: 1.375rem;
        margin: 0.0625rem 0 0;
        accent-color: var(--dp-accent);
      }
    `,
  ];

  protected async load(): Promise<void> {
    this.take(await this.api.json<Settings>('/settings'));
  }

  private take(settings: Settings): void {
    this.saved = settings;
    this.draft = drafted(settings);
  }

  private set(part: Partial<Draft>): void {
    if (this.draft) this.draft = { ...this.draft, ...part };
    this.told = false;
  }

  private async save(event: Event): Promise<void> {
    event.preventDefault();
    const { saved, draft } = this;
    if (!saved || !draft || this.busy) return;
    const body = changes(saved, draft);
    await this.attempt(async () => {
      this.take(await this.api.json<Settings>('/settings', { method: 'PATCH', body }));
      this.told = true;
    });
    await this.goTo(this.trouble ? 'form' : '#told');
  }

  protected body(): TemplateResult {
    const { saved, draft, tell } = this;
    if (!saved || !draft) return html``;
    const differs = Object.keys(changes(saved, draft)).length > 0;
    return html`
      <p id="told" tabindex="-1" role="status" class=${this.told ? 'strip good' : 'unseen'}>${this.told ? html`${icon('check', 18)}<span>${tell.saved}</span>` : ''}</p>
      <form @submit=${this.save} tabindex="-1">
        ${this.model(saved, draft)} ${this.limits(draft)} ${this.redaction(saved, draft)}
        <div class="row">
          <button type="submit" class="primary" ?disabled=${!differs || this.busy}>${tell.save}</button>
          <button type="button" class="quiet" ?disabled=${!differs || this.busy} @click=${() => this.take(saved)}>${tell.undo}</button>
          <span class="fine soft">${tell.recorded}</span>
        </div>
      </form>`;
  }

  private model(saved: Settings, draft: Draft): TemplateResult {
    const { tell } = this;
    return html`<section class="panel" aria-labelledby="t-model"><h2 id="t-model">${tell.model}</h2>
      <div class="two">
        <div class="ask"><label for="provider">${tell.provider}</label>
          <select id="provider" @change=${(event: Event) => this.set({ provider: (event.target as HTMLSelectElement).value })}>
            ${saved.providers.map((name) => html`<option value=${name} ?selected=${name === draft.provider}>${tell.providers(name)}</option>`)}
          </select></div>
        <div class="ask"><label for="model">${tell.modelName}</label>
          <input id="model" .value=${draft.model} maxlength="120" autocomplete="off" spellcheck="false" aria-describedby="h-model" ?disabled=${draft.provider === 'offline'}
            @input=${(event: Event) => this.set({ model: (event.target as HTMLInputElement).value })} />
          <span class="hint" id="h-model">${draft.provider === 'offline' ? tell.offlineModel : tell.modelHint}</span></div>
      </div></section>`;
  }

  private limits(draft: Draft): TemplateResult {
    const { tell } = this;
    const limit = (
      name: 'tokens' | 'dollars',
      label: string,
      step: string,
    ) => html`<div class="ask"><label for=${name}>${label}</label>
      <div class="limit"><input id=${name} type="number" min="0" step=${step} inputmode="decimal" .value=${draft[name]} aria-describedby="h-${name}"
        @input=${(event: Event) => this.set({ [name]: (event.target as HTMLInputElement).value })} />
        <button type="button" class="quiet" aria-label="${tell.clear}: ${label}" ?disabled=${draft[name] === ''} @click=${() => this.set({ [name]: '' })}>${tell.clear}</button></div>
      <span class="hint" id="h-${name}">${draft[name].trim() === '' ? tell.noLimit : Number(draft[name]) === 0 ? tell.zeroLimit : tell.limitHint}</span></div>`;
    return html`<section class="panel" aria-labelledby="t-limits"><h2 id="t-limits">${tell.monthlyLimits}</h2>
      <div class="two">${limit('dollars', tell.costLimit, '0.01')} ${limit('tokens', tell.tokenLimit, '1')}</div></section>`;
  }

  private redaction(saved: Settings, draft: Draft): TemplateResult {
    const { tell } = this;
    return html`<section class="panel" aria-labelledby="t-red"><h2 id="t-red">${tell.redaction}</h2>
      <div class="switch"><input id="red" type="checkbox" .checked=${draft.redactionEnabled} aria-describedby="h-red"
        @change=${(event: Event) => this.set({ redactionEnabled: (event.target as HTMLInputElement).checked })} />
        <div class="ask"><label for="red">${tell.redactionOn}</label><span class="hint" id="h-red">${saved.redactionNote}</span></div></div>
      ${draft.redactionEnabled ? nothing : html`<p class="strip ${saved.redactionForced ? '' : 'bad'}" role="alert">${icon('alert', 18)}<span>${saved.redactionForced ? tell.redactionForced : tell.redactionOff}</span></p>`}
    </section>`;
  }
}
