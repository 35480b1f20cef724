// @vitest-environment jsdom
/** The field: Enter sends, limits hold, nothing goes while a run is not over (UI-1). */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { es } from '../i18n/es.js';
import { type Composer, LIMIT } from './composer.js';
import './composer.js';

async function draw(more: Partial<Composer> = {}) {
  const composer = Object.assign(document.createElement('deputize-composer') as Composer, { say: es }, more);
  const sent = vi.fn();
  composer.addEventListener('submit-text', (event) => sent((event as CustomEvent<string>).detail));
  document.body.append(composer);
  await composer.updateComplete;
  const field = composer.renderRoot.querySelector('textarea') as HTMLTextAreaElement;
  const write = async (text: string) => {
    field.value = text;
    field.dispatchEvent(new InputEvent('input'));
    await composer.updateComplete;
  };
  const press = (more: KeyboardEventInit) => {
    const event = new KeyboardEvent('keydown', { key: 'Enter', cancelable: true, ...more });
    field.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const count = () => composer.renderRoot.querySelector<HTMLElement>('#count');
  return { composer, sent, field, write, press, count };
}

afterEach(() => document.body.replaceChildren());

describe('composer', () => {
  it('sends on Enter and is empty then; Shift + Enter and composition do not send', async () => {
    const { composer, sent, field, write, press } = await draw();
    await write('  hola\n ');
    expect(press({ shiftKey: true })).toBe(false);
    expect(press({ isComposing: true })).toBe(false);
    expect(sent).not.toHaveBeenCalled();
    expect(press({})).toBe(true);
    expect(sent.mock.calls).toEqual([['hola']]);
    await composer.updateComplete;
    expect(field.value).toBe('');
  });

  it('keeps what is written while a run is not over', async () => {
    const { sent, field, write, press } = await draw({ busy: true, waiting: true });
    await write('hola');
    press({});
    expect(sent).not.toHaveBeenCalled();
    expect(field.value).toBe('hola');
    expect(field.placeholder).toBe(es.placeholderWaiting);
  });

  it('counts characters near the limit and sends nothing beyond it', async () => {
    const { sent, write, press, count, field } = await draw();
    await write('x'.repeat(3599));
    expect(count()?.hidden).toBe(true);
    await write('😀'.repeat(LIMIT));
    expect(count()?.hidden).toBe(false);
    expect(count()?.textContent).toBe('Quedan 0 caracteres');
    await write('x'.repeat(LIMIT + 1));
    expect(count()?.textContent).toBe('Sobran 1 caracteres');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    press({});
    expect(sent).not.toHaveBeenCalled();
  });

  it('offers to stop while a run is driven, and to drop the context of the page', async () => {
    const { composer } = await draw({ running: true, context: 'Esta página: Ana' });
    const [stop, drop] = [vi.fn(), vi.fn()];
    composer.addEventListener('stop', stop);
    composer.addEventListener('drop-context', drop);
    composer.renderRoot.querySelector<HTMLElement>('.stop')?.click();
    composer.renderRoot.querySelector<HTMLElement>('.context button')?.click();
    expect([stop.mock.calls.length, drop.mock.calls.length]).toEqual([1, 1]);
  });
});
