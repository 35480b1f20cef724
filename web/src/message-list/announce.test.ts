/** A screen reader hears all of an answer once, in sentences (UI-6). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { announceable, plain } from './announce.js';

const TEXT = `${'Hoy hay **8 citas**. '.repeat(10)}Queda un [hueco](/x) a las 12:30`;

describe('an answer that grows', () => {
  it('is told in whole sentences, all of it, and nothing twice', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 3, maxLength: 30 }), (steps) => {
        const said: string[] = [];
        let [end, from] = [0, 0];
        for (const step of [...steps, TEXT.length]) {
          end = Math.min(end + step, TEXT.length);
          const { say, upto } = announceable(TEXT.slice(0, end), from, end === TEXT.length);
          if (say && end < TEXT.length) expect(say).toMatch(/\.$/);
          if (say) said.push(say);
          from = upto;
        }
        expect(said.join(' ')).toBe(plain(TEXT));
      }),
    );
  });

  it('is not told token by token', () => expect(announceable('Hola. Sí. ', 0, false)).toEqual({ say: '', upto: 0 }));

  it('is told without the marks of Markdown', () => {
    expect(plain('## Uno\n\n- **dos** `tres`\n1. [cuatro](https://x)')).toBe('Uno dos tres cuatro');
  });
});
