/** What all pages share: attributes, sign-in, language, loading and trouble; each page says what it loads and draws. */
import {
  Api,
  base,
  type Credentials,
  html,
  icon,
  known,
  LitElement,
  language,
  nothing,
  type Problem,
  type PropertyValues,
  problem,
  property,
  state,
  type TemplateResult,
  tokens,
  type Words,
  words,
} from '../shared.js';
import { type PageWords, pageWords } from './i18n/words.js';
import { pageStyles } from './page.styles.js';

/**
 * A page of the copilot. Attributes: `base` and `admin-base` (the routers' addresses; the second is the first where it
 * is not given), `lang`, `csrf-cookie`, `csrf-header`, `theme`. Properties `headers` and `refresh` as the element's.
 * Event: `deputize-signin` where a request was answered 401.
 */
export abstract class PageElement extends LitElement {
  @property() base = '';
  @property({ attribute: 'admin-base' }) adminBase = '';
  @property({ reflect: false }) override lang = '';
  @property({ attribute: 'csrf-cookie' }) csrfCookie = '';
  @property({ attribute: 'csrf-header' }) csrfHeader = '';
  @property({ attribute: false }) headers: Credentials['headers'];
  @property({ attribute: false }) refresh: Credentials['refresh'];
  @state() protected trouble: Problem | null = null;
  @state() protected busy = false;
  @state() protected loaded = false;
  protected api = this.speaker('');
  protected admin = this.speaker('');

  static override styles = [tokens, base, pageStyles];

  protected get tongue() {
    return language(this.lang, document.documentElement.lang, navigator.language);
  }

  protected get say(): Words {
    return words(this.tongue);
  }

  protected get tell(): PageWords {
    return pageWords(this.tongue);
  }

  /** Fetches what the page shows. */
  protected abstract load(): Promise<void>;

  /** What the page shows once it has loaded. */
  protected abstract body(): TemplateResult;

  protected override updated(changed: PropertyValues): void {
    if (!changed.has('base') && !changed.has('adminBase')) return;
    this.api = this.speaker(this.base);
    this.admin = this.speaker(this.adminBase || this.base);
    if (this.base) this.again();
  }

  /** Loads anew. */
  protected again(): Promise<void> {
    return this.attempt(async () => {
      await this.load();
      this.loaded = true;
    });
  }

  /** Does it and says what went wrong; what is shown stays as it was. */
  protected async attempt(deed: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.trouble = null;
    try {
      await deed();
    } catch (error) {
      this.trouble = known(error);
    }
    this.busy = false;
  }

  /** After the next drawing the focus is there. */
  protected async goTo(selector: string): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }

  private speaker(address: string): Api {
    return new Api(
      address.replace(/\/+$/, ''),
      () => this,
      () => this.dispatchEvent(new CustomEvent('deputize-signin', { detail: {}, bubbles: true, composed: true })),
    );
  }

  protected override render(): TemplateResult {
    return html`<div class="page" lang=${this.tongue} aria-busy=${this.busy}>
      ${this.trouble ? this.wrong(this.trouble) : nothing}
      ${this.loaded ? this.body() : this.trouble ? nothing : html`<p class="soft" role="status">${this.say.loading}</p>`}
    </div>`;
  }

  private wrong({ code, message }: Problem): TemplateResult {
    const said = code === 'UNREACHABLE' ? this.say.offline : problem(this.say, code, message);
    return html`<div class="strip bad" role="alert">${icon('alert', 18)}<span>${said}</span>
      <button type="button" class="quiet small" @click=${() => this.again()}>${this.tell.reload}</button></div>`;
  }
}
