// @vitest-environment jsdom
/** The card: the server's words as plain text, friction, the time, one click (UI-2, APPR-1, APPR-8). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApprovalDto, PreviewDto } from '../events.js';
import { es } from '../i18n/es.js';
import { preview, staged } from '../samples.js';
import { type ApprovalCard, clock, type Verdict } from './approval-card.js';
import './approval-card.js';

const NOW = Date.parse('2026-11-30T09:00:00Z');
let verdicts: Verdict[];

async function draw(shown: Partial<PreviewDto> = {}, more: Partial<ApprovalDto> = {}): Promise<ApprovalCard> {
  const card = document.createElement('deputize-approval-card') as ApprovalCard;
  card.call = staged({ preview: preview(shown), ...more });
  card.say = es;
  card.addEventListener('decide', (event) => verdicts.push((event as CustomEvent<Verdict>).detail));
  document.body.append(card);
  await card.updateComplete;
  return card;
}

function find<T extends HTMLElement = HTMLElement>(card: ApprovalCard, selector: string): T {
  const found = card.renderRoot.querySelector<T>(selector);
  if (!found) throw new Error(`${selector} is not there`);
  return found;
}

const words = (card: ApprovalCard) => find(card, '.card').textContent?.replace(/\s+/g, ' ') ?? '';
const approve = (card: ApprovalCard) => find<HTMLButtonElement>(card, '.deeds .primary');

async function type(card: ApprovalCard, selector: string, text: string): Promise<void> {
  const field = find<HTMLInputElement>(card, selector);
  field.value = text;
  field.dispatchEvent(new InputEvent('input'));
  await card.updateComplete;
}

beforeEach(() => {
  verdicts = [];
  vi.useFakeTimers({ now: NOW });
});

afterEach(() => {
  document.body.replaceChildren();
  vi.useRealTimers();
});

describe('what it shows', () => {
  it('is the preview, as plain text, with marks in words', async () => {
    const card = await draw();
    expect(words(card)).toContain('Cambiar el teléfono de Ana');
    expect(words(card)).toMatch(/Cambia Paciente Ana Pérez Teléfono Antes: 600 pasa a Después: <b>700<\/b>/);
    expect(words(card)).toContain('dato personal');
    expect(words(card)).toContain('copiado de un texto ajeno');
    expect(card.renderRoot.querySelector('ins b')).toBeNull();
    expect(find<HTMLAnchorElement>(card, 'h4 a').getAttribute('href')).toBe('/patients/p1');
  });

  it('has effects that would leave, hidden reasons and values assigned on saving', async () => {
    const card = await draw({
      changes: [
        {
          op: 'insert',
          kind: 'x',
          caption: 'Cita',
          id: null,
          label: null,
          url: null,
          fields: [{ name: 'id', caption: 'Número', before: null, after: null, marks: ['assigned'] }],
        },
      ],
      outgoing: [
        {
          channel: 'email',
          caption: 'Correo',
          fields: [{ name: 'to', caption: 'Para', before: null, after: 'a@b.c', marks: ['unproven'] }],
        },
      ],
      hidden: ['historial'],
    });
    expect(words(card)).toMatch(/Nuevo Cita Número: se asigna al guardar\s+Se envía/);
    expect(words(card)).toMatch(/Se envía fuera Correo Para Después: a@b\.c\s*destino sin confirmar/);
    expect(words(card)).toContain('Cambios que no se muestran: historial');
  });

  it('shows what stays as a value alone, and no mark without words', async () => {
    const field = (name: string, after: string, marks: string[]) => ({
      name,
      caption: name,
      before: after,
      after,
      marks,
    });
    const fields = [field('who', 'Ana', ['context']), field('phone', '600', ['context', 'personal'])];
    const change = { ...preview().changes[0], fields } as PreviewDto['changes'][number];
    const card = await draw({ changes: [change] });
    expect(words(card)).not.toContain('context');
    expect(card.renderRoot.querySelectorAll('.mark')).toHaveLength(1);
    expect(card.renderRoot.querySelector('ins, del')).toBeNull();
  });

  it('follows no link but to the web', async () => {
    const change = { ...preview().changes[0], url: 'javascript:alert(1)' } as PreviewDto['changes'][number];
    const card = await draw({ changes: [change] });
    expect(card.renderRoot.querySelector('h4 a')).toBeNull();
  });

  it('is dangerous by the effect that the server names, not by the tool', async () => {
    expect(find(await draw({ effect: 'destructive' }), '.card').classList).toContain('danger');
    document.body.replaceChildren();
    expect(find(await draw({ title: 'delete all' }), '.card').classList).not.toContain('danger');
  });

  it('has no buttons for who may not decide', async () => {
    const card = await draw({}, { mayDecide: false, by: 'case.approve' });
    expect(card.renderRoot.querySelector('.deeds')).toBeNull();
    expect(words(card)).toContain('aprobación de otra persona');
  });
});

describe('deciding', () => {
  it('approves with a click, and not again while that is under way', async () => {
    const card = await draw();
    approve(card).click();
    expect(verdicts).toEqual([{ approve: true }]);
    card.deciding = 'approve';
    await card.updateComplete;
    expect(approve(card).disabled).toBe(true);
    approve(card).click();
    expect(verdicts).toHaveLength(1);
  });

  it('needs the phrase typed, and sends what was typed as it is', async () => {
    const card = await draw({ friction: { confirm: 'Ana Pérez', destinations: [] } });
    expect(words(card)).toContain('Escribe «Ana Pérez» para confirmar');
    expect(approve(card).disabled).toBe(true);
    await type(card, '#confirm', 'ana');
    approve(card).click();
    expect(verdicts).toEqual([{ approve: true, typed: { confirm: 'ana' } }]);
  });

  it('needs each destination typed', async () => {
    const card = await draw({ friction: { confirm: null, destinations: ['to', 'cc'] } });
    await type(card, '#to-to', 'a@b.c');
    expect(approve(card).disabled).toBe(true);
    await type(card, '#to-cc', 'd@e.f');
    approve(card).click();
    expect(verdicts).toEqual([{ approve: true, typed: { destinations: { to: 'a@b.c', cc: 'd@e.f' } } }]);
  });

  it('forgets what was typed when the card is replaced by another', async () => {
    const card = await draw({ friction: { confirm: 'x', destinations: [] } });
    await type(card, '#confirm', 'x');
    card.call = {
      ...staged({ digest: 'd2', preview: preview({ friction: { confirm: 'x', destinations: [] } }) }),
      changed: true,
    } as typeof card.call;
    await card.updateComplete;
    expect(approve(card).disabled).toBe(true);
    expect(words(card)).toContain('Los datos cambiaron');
    expect(card.shadowRoot?.activeElement?.id).toBe('title');
  });

  it('says at the field that what was typed does not fit', async () => {
    const card = await draw({ friction: { confirm: 'x', destinations: [] } });
    card.problem = { code: 'AI_CONFIRMATION_MISMATCH' };
    await card.updateComplete;
    expect(find(card, '#confirm').getAttribute('aria-invalid')).toBe('true');
    expect(find(card, '[role=alert]').textContent).toContain('No coincide');
    expect(card.shadowRoot?.activeElement?.id).toBe('confirm');
  });

  it('rejects with a reason, or without', async () => {
    const card = await draw();
    find<HTMLButtonElement>(card, '.deeds .quiet').click();
    await card.updateComplete;
    find<HTMLTextAreaElement>(card, '#reason').value = ' otro día ';
    find<HTMLButtonElement>(card, '.deeds .primary').click();
    expect(verdicts).toEqual([{ approve: false, reason: 'otro día' }]);
  });

  it('cannot approve a cut preview before the whole was served', async () => {
    const card = await draw({ cut: true, rows: 40 });
    const whole = vi.fn();
    card.addEventListener('whole', whole);
    expect(approve(card).disabled).toBe(true);
    find<HTMLButtonElement>(card, '.strip button').click();
    expect(whole).toHaveBeenCalledTimes(1);
    card.call = staged({ preview: preview({ cut: false }) });
    await card.updateComplete;
    expect(approve(card).disabled).toBe(false);
  });

  it('leaves it pending when it is put aside', async () => {
    const card = await draw();
    find<HTMLButtonElement>(card, 'footer .plain').click();
    await card.updateComplete;
    expect(verdicts).toEqual([]);
    expect(words(card)).toContain('Pendiente');
    find<HTMLButtonElement>(card, 'button').click();
    await card.updateComplete;
    expect(approve(card).disabled).toBe(false);
  });
});

describe('the time', () => {
  it("runs by the server's clock, and ends the card", async () => {
    const card = await draw();
    card.skew = 60_000;
    await card.updateComplete;
    expect(words(card)).toContain('Caduca en 9:00');
    const lapsed = vi.fn();
    card.addEventListener('lapsed', lapsed);
    await vi.advanceTimersByTimeAsync(540_000);
    expect(lapsed).toHaveBeenCalledTimes(1);
    expect(approve(card).disabled).toBe(true);
    expect(words(card)).toContain('Ha caducado');
  });

  it.each([
    [605, '10:05'],
    [59.9, '0:59'],
    [-3, '0:00'],
  ])('%d seconds are %s', (seconds, text) => expect(clock(seconds)).toBe(text));
});
