/** `<deputize-copilot>`: launcher and drawer, full-height sheet on phones, or a whole page (UI-1). */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { Api, type Credentials } from '../api.js';
import type { Composer } from '../composer/composer.js';
import { language, type Words, words } from '../i18n/words.js';
import { icon } from '../icons.js';
import type { MessageList } from '../message-list/message-list.js';
import { type Host, RunController } from '../run-controller.js';
import { base, tokens } from '../theme.js';
import type { ScreenContext } from '../wire.js';
import { contextWords, parseScreen } from './context.js';
import { panelStyles } from './copilot-panel.styles.js';

const PHONE = '(max-width: 640px)';

/**
 * The copilot in a page. Draws nothing unless the server says that it is enabled and that the person may chat.
 *
 * Attributes: `base` (the router's address), `surface`, `lang` (`es` or `en`), `screen` (what the page shows),
 * `csrf-cookie` and `csrf-header`, `mode` (`drawer` or `page`), `theme` (`light`, `dark`, else the system's), `open`.
 * Properties: `headers` (async, headers for each request), `refresh` (async, renews the sign-in once after a 401).
 * Events: `deputize-changed` (`{entities: [{kind, id}]}` after an executed write), `deputize-signin`.
 * Methods: `show()`, `hide()`, `toggle()`, `ask(text)`, `update()`.
 */
@customElement('deputize-copilot')
export class CopilotPanel extends LitElement implements Host {
  @property() base = '';
  @property() surface = '';
  @property({ reflect: false }) override lang = '';
  @property() screen = '';
  @property({ attribute: 'csrf-cookie' }) csrfCookie = '';
  @property({ attribute: 'csrf-header' }) csrfHeader = '';
  @property() mode: 'drawer' | 'page' = 'drawer';
  @property({ type: Boolean, reflect: true }) open = false;
  @property({ attribute: false }) headers: Credentials['headers'];
  @property({ attribute: false }) refresh: Credentials['refresh'];
  @state() private dropped = false;
  @state() private asking = false;
  @query('dialog') private dialog!: HTMLDialogElement | null;
  @query('deputize-composer') private composer!: Composer | null;
  @query('deputize-message-list') private list!: MessageList | null;
  private readonly phone = matchMedia(PHONE);
  private back: HTMLElement | null = null;
  api = this.speaker();
  readonly control = new RunController(this);

  static override styles = [tokens, base, panelStyles];

  /** What goes with a message; nothing where the person took it away. */
  get context(): ScreenContext | undefined {
    return this.dropped ? undefined : parseScreen(this.screen);
  }

  get query(): Record<string, string> {
    const screen = parseScreen(this.screen)?.screen ?? '';
    return { surface: this.surface, lang: this.tongue, ...(screen ? { screen } : {}) };
  }

  private get tongue() {
    return language(this.lang, document.documentElement.lang, this.control?.me?.locale, navigator.language);
  }

  private get say(): Words {
    return words(this.tongue);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('keydown', this.shortcut);
    document.addEventListener('visibilitychange', this.looked);
    window.addEventListener('focus', this.looked);
    window.addEventListener('pageshow', this.returned);
    this.phone.addEventListener('change', this.resized);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.shortcut);
    document.removeEventListener('visibilitychange', this.looked);
    window.removeEventListener('focus', this.looked);
    window.removeEventListener('pageshow', this.returned);
    this.phone.removeEventListener('change', this.resized);
  }

  changed(entities: { kind: string; id: string }[]): void {
    this.tell('deputize-changed', { entities });
  }

  show(): void {
    if (!this.open) this.back = deepest(document);
    this.open = true;
  }

  hide(): void {
    this.open = false;
  }

  toggle(): void {
    if (this.open) this.hide();
    else this.show();
  }

  /** Opens and puts words into the field; the person sends them. */
  async ask(text: string): Promise<void> {
    this.show();
    await this.updateComplete;
    this.composer?.write(text);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('screen')) this.dropped = false;
    if (!this.hasUpdated && this.mode === 'drawer' && !this.open) this.open = this.remembered();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('base') || changed.has('surface')) {
      this.api = this.speaker();
      if (this.base) this.control.start();
    } else if (changed.has('screen') || changed.has('lang')) this.control.refresh();
    if (changed.has('open')) this.remember();
    this.place(changed.has('open'));
  }

  private speaker(): Api {
    const { base: address = '' } = this;
    return new Api(
      address.replace(/\/+$/, ''),
      () => this,
      () => this.tell('deputize-signin', {}),
    );
  }

  private tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  /** Shows or closes the dialog as `open` says; modal on phones, so that focus stays inside. */
  private place(moved: boolean): void {
    const { dialog } = this;
    if (!dialog) return;
    if (this.open && !dialog.open) {
      if (this.phone.matches) dialog.showModal();
      else dialog.show();
      if (moved && this.control.waiting) this.list?.review();
      else if (moved && !this.phone.matches) this.composer?.focus();
    } else if (!this.open && dialog.open) {
      dialog.close();
      const back = this.back?.isConnected ? this.back : null;
      (back ?? this.renderRoot.querySelector<HTMLElement>('.launcher'))?.focus();
      this.back = null;
    }
  }

  private readonly resized = (): void => {
    if (!this.dialog?.open) return;
    this.dialog.close();
    this.place(false);
  };

  private readonly shortcut = (event: KeyboardEvent): void => {
    if (!this.control.drawn || this.mode === 'page') return;
    if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.toggle();
    }
  };

  private readonly looked = (): void => {
    if (document.visibilityState === 'hidden') this.control.hidden();
    else if (this.base) this.control.refresh();
  };

  private readonly returned = (event: PageTransitionEvent): void => {
    if (event.persisted && this.base) this.control.start();
  };

  private get memory(): string {
    return `deputize:${this.base}:${this.surface}:open`;
  }

  private remembered(): boolean {
    try {
      return sessionStorage.getItem(this.memory) === '1' && !this.phone.matches;
    } catch {
      return false;
    }
  }

  private remember(): void {
    try {
      sessionStorage.setItem(this.memory, this.open ? '1' : '0');
    } catch {
      /* A page without storage forgets whether the drawer was open. */
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.control.drawn) return nothing;
    if (this.mode === 'page')
      return html`<section class="panel page" lang=${this.tongue} aria-labelledby="name">${this.inside()}</section>`;
    return html`${this.launcher()}
      <dialog class="panel" lang=${this.tongue} aria-labelledby="name" @keydown=${this.escape} @cancel=${this.cancelled}>
        ${this.inside()}
      </dialog>`;
  }

  private launcher(): TemplateResult {
    const { say } = this;
    const waits = this.control.waiting !== undefined;
    return html`<button type="button" class="launcher" lang=${this.tongue} aria-haspopup="dialog" aria-expanded=${this.open}
      aria-keyshortcuts="Control+K Meta+K" aria-label="${waits ? say.openPending : say.open}. ${this.title_}" ?hidden=${this.open} @click=${this.show}>
      ${icon('spark', 22)}<span>${this.title_}</span>${waits ? html`<i class="dot"></i>` : nothing}
    </button>`;
  }

  private get title_(): string {
    return this.control.me?.title || this.say.name;
  }

  private inside(): TemplateResult {
    const { say, control } = this;
    const { me, chat } = control;
    const waits = control.waiting !== undefined;
    return html`
      <div class="head">
        <span class="logo">${icon('spark')}</span>
        <h2 id="name">${this.title_}</h2>
        <button type="button" class="icon" title=${say.newConversation} aria-label=${say.newConversation}
          ?disabled=${chat.turns.length === 0 && !control.busy} @click=${this.anew}>${icon('fresh')}</button>
        ${
          this.mode === 'page'
            ? nothing
            : html`<button type="button" class="icon" title=${say.close} aria-label=${say.close} @click=${this.hide}>${icon('close')}</button>`
        }
      </div>
      ${me?.banner ? html`<p class="banner" role="status">${icon('alert', 18)}<span>${me.banner}</span></p>` : nothing}
      <deputize-message-list .control=${control} .chat=${chat} .say=${say} .language=${this.tongue} .pulse=${{}}
        @prompt=${(event: CustomEvent<string>) => control.send(event.detail)} @renew=${this.anew}></deputize-message-list>
      <div class="foot">
        ${this.asking ? this.question() : nothing}
        <deputize-composer .say=${say} ?busy=${control.busy} ?running=${control.running} ?waiting=${waits}
          .context=${waits ? null : contextWords(this.context, chat.session, say)}
          @submit-text=${(event: CustomEvent<string>) => control.send(event.detail)}
          @stop=${() => control.cancel()} @drop-context=${this.drop}></deputize-composer>
        ${me ? html`<deputize-assistance-notice .me=${me} .say=${say} ?brief=${waits}></deputize-assistance-notice>` : nothing}
      </div>
    `;
  }

  /** Asked before what is under way is given up for a new conversation. */
  private question(): TemplateResult {
    const { say, control } = this;
    const waits = control.waiting !== undefined;
    return html`<div class="question" role="alertdialog" aria-labelledby="q1" aria-describedby="q2">
      <b id="q1">${waits ? say.pendingTitle : say.runningTitle}</b>
      <p id="q2">${waits ? say.pendingText : say.runningText}</p>
      <div>
        <button type="button" class="primary" @click=${this.withdraw}>${waits ? say.withdraw : say.stopAndStart}</button>
        <button type="button" class="quiet" @click=${this.keep}>${say.keep}</button>
      </div>
    </div>`;
  }

  private async anew(): Promise<void> {
    if (!this.control.busy) {
      await this.control.renew();
      this.composer?.focus();
      return;
    }
    this.asking = true;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('.question .quiet')?.focus();
  }

  private async withdraw(): Promise<void> {
    this.asking = false;
    await this.control.renew(true);
    this.composer?.focus();
  }

  private keep(): void {
    this.asking = false;
    if (this.control.waiting) this.list?.review();
    else this.composer?.focus();
  }

  private drop(): void {
    this.dropped = true;
    this.composer?.focus();
  }

  private escape(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.asking) this.keep();
    else this.hide();
  }

  private cancelled(event: Event): void {
    event.preventDefault();
    this.hide();
  }
}

/** What has the focus, also inside shadow roots. */
function deepest(root: DocumentOrShadowRoot): HTMLElement | null {
  const active = root.activeElement;
  if (active?.shadowRoot?.activeElement) return deepest(active.shadowRoot);
  return active instanceof HTMLElement && active !== document.body ? active : null;
}
