// @vitest-environment jsdom
/** The pages: both languages in full, figures and bars, what the settings send, loading, trouble and detail (UI-4, UI-6). */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { given, shown } from '../argument-editor/fields.js';
import '../pages.js';
import type { AuditPage } from './audit/audit.js';
import { en } from './i18n/en.js';
import { es } from './i18n/es.js';
import { changes } from './settings/settings.js';
import { bars, daysBetween, scale } from './usage/chart.js';
import { taken } from './usage/usage.js';

function leaves(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, part]) => leaves(part, `${path}.${key}`));
}

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

describe('words', () => {
  it('are the same set in both languages, none empty, really translated', () => {
    const [spanish, english] = [new Map(leaves(es)), new Map(leaves(en))];
    expect([...english.keys()].sort()).toEqual([...spanish.keys()].sort());
    const same = [...spanish].filter(([path, value]) => typeof value === 'string' && english.get(path) === value);
    expect(same).toEqual([]);
    for (const value of [...spanish.values(), ...english.values()]) expect(value).not.toBe('');
  });
});

describe('figures', () => {
  it('have round steps up to the most, whole ones where parts make no sense', () => {
    expect(scale(7, true)).toEqual([0, 2, 4, 6, 8]);
    expect(scale(1, true)).toEqual([0, 1]);
    expect(scale(0)).toEqual([0, 1]);
    for (const most of [3, 99, 1234, 5e6]) expect(scale(most).at(-1)).toBeGreaterThanOrEqual(most);
  });

  it('stack what each model used on every day between', () => {
    const days = daysBetween('2026-02-27', '2026-03-01');
    expect(days).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    const made = bars(
      [
        { day: '2026-02-27', series: 'a', amount: 2 },
        { day: '2026-02-27', series: 'b', amount: 3 },
      ],
      ['a', 'b'],
      days,
    );
    expect(made.map((bar) => bar.total)).toEqual([5, 0, 0]);
    expect(made[0]?.parts).toEqual([
      { series: 0, from: 0, to: 2 },
      { series: 1, from: 2, to: 5 },
    ]);
  });

  it('tell how much of the tighter cap is taken; no cap is nothing, a cap of 0 is all', () => {
    const one = {
      scope: 'user',
      period: 'day',
      spentMicroUsd: 50,
      reservedMicroUsd: 30,
      tokens: 9,
      resetsAt: null,
    } as const;
    expect(taken({ ...one, capMicroUsd: 100, capTokens: 10 })).toBe(0.9);
    expect(taken({ ...one, capMicroUsd: null, capTokens: null })).toBeNull();
    expect(taken({ ...one, capMicroUsd: 0, capTokens: null })).toBe(1);
  });
});

describe('settings', () => {
  const saved = {
    provider: 'offline',
    model: null,
    redactionEnabled: true,
    redactionNote: '',
    monthlyTokenLimit: 1000,
    monthlyCostLimitCents: null,
    providers: ['offline'],
  };
  const draft = { provider: 'offline', model: '', redactionEnabled: true, tokens: '1000', dollars: '' };

  it('send only what differs; an emptied limit is null', () => {
    expect(changes(saved, draft)).toEqual({});
    expect(changes(saved, { ...draft, tokens: '', dollars: '12.5', redactionEnabled: false })).toEqual({
      monthlyTokenLimit: null,
      monthlyCostLimitCents: 1250,
      redactionEnabled: false,
    });
  });
});

describe('editable values', () => {
  const field = {
    name: 'x',
    caption: 'X',
    options: null,
    optional: true,
    minimum: null,
    maximum: null,
    maxLength: null,
  };

  it('come back as they were said', () => {
    const moment = { ...field, kind: 'moment' as const, value: '2026-12-03T12:00:00+01:00' };
    expect(shown(moment)).toBe('2026-12-03T12:00');
    expect(given(moment, '2026-12-03T13:30')).toBe('2026-12-03T13:30:00');
    expect(given({ ...field, kind: 'integer', value: 3 }, '4')).toBe(4);
    expect(given({ ...field, kind: 'integer', value: 3 }, '')).toBeNull();
    expect(given({ ...field, kind: 'boolean', value: null }, 'false')).toBe(false);
    expect(given({ ...field, kind: 'text', value: 'a' }, '')).toBe('');
  });
});

describe('a page', () => {
  it('says what went wrong and loads again', async () => {
    const answers = [
      new Response(JSON.stringify({ error: { code: 'FORBIDDEN', message: 'no', details: {} } }), { status: 403 }),
      new Response(
        JSON.stringify({
          items: [],
          total: 0,
          page: 1,
          pageSize: 25,
          head: 0,
          checkpoint: { configured: false, size: 0, fault: null },
        }),
      ),
    ];
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url);
      return answers.shift();
    });
    const page = document.createElement('deputize-audit') as AuditPage;
    page.base = '/api/';
    page.lang = 'en';
    document.body.append(page);
    await vi.waitFor(() => expect(page.renderRoot.querySelector('[role=alert]')?.textContent).toContain('not allowed'));
    page.renderRoot.querySelector<HTMLButtonElement>('[role=alert] button')?.click();
    await vi.waitFor(() => expect(page.renderRoot.textContent).toContain(en.noEntries));
    expect(page.renderRoot.textContent).toContain(en.noKey);
    expect(asked).toEqual(['/api/admin/audit?page=1&pageSize=25', '/api/admin/audit?page=1&pageSize=25']);
  });
});
