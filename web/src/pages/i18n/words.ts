/** Picks the pages' words of a language. */
import type { Language } from '../../shared.js';
import { en } from './en.js';
import { es, type PageWords } from './es.js';

export type { PageWords } from './es.js';

export function pageWords(tag: Language): PageWords {
  return tag === 'en' ? en : es;
}
