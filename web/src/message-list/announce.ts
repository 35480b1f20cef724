/** Decides what a screen reader is told of an answer that grows: whole sentences, not every token. */

const ENOUGH = 120;

/** Words without Markdown's marks. */
export function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+/gm, '')
    .replace(/[*_`~|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * What to say now of `text`, of which `from` UTF-16 units have been said, and how far that goes. Nothing until some
 * sentences are whole; all that is left when the answer is `final`.
 */
export function announceable(text: string, from: number, final: boolean): { say: string; upto: number } {
  const rest = text.slice(from);
  if (final) return { say: plain(rest), upto: text.length };
  const ends = [...rest.matchAll(/[.!?…:]["»”)]?\s|\n/g)];
  const last = ends.at(-1);
  const whole = last ? last.index + last[0].length : 0;
  if (whole < ENOUGH) return { say: '', upto: from };
  return { say: plain(rest.slice(0, whole)), upto: from + whole };
}
