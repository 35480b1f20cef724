/** Offsets count characters as the server counts them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { length, splice } from './text.js';

const words = fc.string({ unit: 'binary', maxLength: 30 });

describe('splice', () => {
  it('counts characters, not UTF-16 units', () => {
    fc.assert(
      fc.property(words, (text) => {
        expect(length(text)).toBe([...text].length);
      }),
    );
  });

  it('rebuilds a text from its pieces, each sent any number of times', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(words, fc.integer({ min: 1, max: 3 })), { maxLength: 8 }), (pieces) => {
        let [text, size] = ['', 0];
        for (const [piece, times] of pieces) {
          const at = size;
          for (let n = 0; n < times; n++) [text, size] = splice(text, size, at, piece);
        }
        const whole = pieces.map(([piece]) => piece).join('');
        expect([...text].join('')).toBe([...whole].join(''));
      }),
    );
  });

  it('keeps what follows where an old piece is said again', () => {
    expect(splice('a😀bcdef', 7, 1, '😀b')).toEqual(['a😀bcdef', 7]);
  });

  it('replaces all that follows where another text is said', () => {
    expect(splice('a😀bcdef', 7, 2, 'X')).toEqual(['a😀X', 3]);
  });
});
