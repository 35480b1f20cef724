// @vitest-environment jsdom
/** The line of a call: closed at first, how it went in words, its data readable, its records linked (UI-1). */
import { afterEach, describe, expect, it } from 'vitest';
import { en } from '../i18n/en.js';
import type { CallView } from '../reduce.js';
import { staged } from '../samples.js';
import type { ToolCard } from './tool-card.js';
import './tool-card.js';

async function draw(more: Partial<CallView>, live = false): Promise<ToolCard> {
  const card = document.createElement('deputize-tool-card') as ToolCard;
  Object.assign(card, {
    say: en,
    language: 'en',
    live,
    call: { ...staged(), approval: null, title: 'Search patients', ...more },
  });
  document.body.append(card);
  await card.updateComplete;
  return card;
}

const words = (card: ToolCard) =>
  card.renderRoot.querySelector('.tool')?.textContent?.replace(/\s+/g, ' ').trim() ?? '';

afterEach(() => document.body.replaceChildren());

describe('tool card', () => {
  it.each([
    [{ outcome: 'ok' }, 'Done'],
    [{ outcome: 'refused' }, 'Refused'],
    [{ outcome: 'unknown_effect' }, 'Effect unknown: a person has to check'],
    [{ outcome: null, approval: { ...staged().approval, status: 'withdrawn' } }, 'Withdrawn'],
    [{ outcome: null, approval: { ...staged().approval, status: 'expired' } }, 'Expired'],
    [{ outcome: null }, 'Stopped.'],
  ] as [Partial<CallView>, string][])('says how it went: %j', async (call, word) => {
    expect(words(await draw(call))).toContain(word);
  });

  it('says that it is under way', async () =>
    expect(words(await draw({ outcome: null }, true))).toContain('Under way'));

  it('opens into readable data, with names for ids and links to the web only', async () => {
    const id = '0190a1b2-0000-7000-8000-00000000000a';
    const card = await draw({
      outcome: 'ok',
      args: { first_name: 'Ana', only_active: true },
      result: { patient: id, at: '2026-12-01T10:00:00+01:00', none: null, html: '<img src=x>' },
      links: [
        { kind: 'patient', id, label: 'Ana Pérez', url: '/patients/a' },
        { kind: 'bad', id: 'b', label: 'bad', url: 'javascript:alert(1)' },
      ],
    });
    const button = card.renderRoot.querySelector('button');
    expect(button?.getAttribute('aria-expanded')).toBe('false');
    expect(words(card)).not.toContain('First name');
    button?.click();
    await card.updateComplete;
    expect(button?.getAttribute('aria-expanded')).toBe('true');
    expect(words(card)).toContain('RequestFirst name AnaOnly active Yes');
    expect(words(card)).toContain('Patient Ana PérezAt Dec 1, 2026 10:00Html <img src=x>');
    expect([...card.renderRoot.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual([
      '/patients/a',
    ]);
    expect(card.renderRoot.querySelector('img')).toBeNull();
  });

  it('of an approved change shows what was approved', async () => {
    const card = await draw({ outcome: 'ok', approval: staged({ status: 'approved' }).approval });
    card.renderRoot.querySelector('button')?.click();
    await card.updateComplete;
    expect(words(card)).toContain('What was approved');
    expect(words(card)).toContain('Ana Pérez');
  });
});
