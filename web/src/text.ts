/** Text counted in characters (code points), as the server counts it, and pieces laid over it. */

/** Characters in a text; a pair of surrogates is one. */
export function length(text: string): number {
  let size = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code < 0xdc00) {
      const next = text.charCodeAt(at + 1);
      if (next >= 0xdc00 && next < 0xe000) {
        size -= 1;
        at += 1;
      }
    }
  }
  return size;
}

/** The UTF-16 index of a character. */
function index(text: string, size: number, at: number): number {
  if (at >= size) return text.length;
  if (size === text.length) return at;
  let unit = 0;
  for (let left = at; left > 0; left--) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return unit;
}

/**
 * `text` (of `size` characters) with `piece` from character `at` on, and the new size. A piece that says what already
 * stands there changes nothing; another one replaces all that follows.
 */
export function splice(text: string, size: number, at: number, piece: string): [string, number] {
  const from = index(text, size, at);
  if (text.startsWith(piece, from)) return [text, size];
  return [text.slice(0, from) + piece, at + length(piece)];
}
