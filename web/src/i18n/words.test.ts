/** Both languages say everything (UI-6). */
import { describe, expect, it } from 'vitest';
import { en } from './en.js';
import { es } from './es.js';
import { language, moment, problem } from './words.js';

function leaves(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, part]) => leaves(part, `${path}.${key}`));
}

describe('words', () => {
  it('are the same set in both languages, none empty', () => {
    const spanish = new Map(leaves(es));
    const english = new Map(leaves(en));
    expect([...english.keys()].sort()).toEqual([...spanish.keys()].sort());
    for (const value of [...spanish.values(), ...english.values()])
      if (typeof value === 'string') expect(value).not.toBe('');
  });

  it('are really translated', () => {
    const english = new Map(leaves(en));
    const same = leaves(es).filter(([path, value]) => typeof value === 'string' && english.get(path) === value);
    expect(same.map(([path]) => path)).toEqual(['.no']);
  });

  it('are picked by the first tag that is spoken, Spanish where none is', () => {
    expect(language('', null, 'en-GB', 'es')).toBe('en');
    expect(language('fr', 'de')).toBe('es');
    expect(language('ES_ar')).toBe('es');
  });

  it('say an error by its code, else as the server does', () => {
    expect(problem(en, 'AI_RATE_LIMITED', 'server')).toBe(en.rateLimited);
    expect(problem(en, 'loop_detected')).toBe(en.loopDetected);
    expect(problem(en, 'SOMETHING', 'server')).toBe('server');
    expect(problem(en, null)).toBe(en.failedGeneric);
  });

  it('say the time only where it is today', () => {
    const now = new Date(2026, 10, 30, 9, 0);
    expect(moment('es', new Date(2026, 10, 30, 18, 5).toISOString(), now)).toBe('18:05');
    expect(moment('es', new Date(2026, 11, 1, 0, 0).toISOString(), now)).toContain('dic');
    expect(moment('es', 'no date')).toBe('no date');
  });
});
