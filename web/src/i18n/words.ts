/** Picks the words of a language, and says dates and error codes in it. */
import { en } from './en.js';
import { es, type Words } from './es.js';

export type { Words } from './es.js';

/** The languages that the element speaks. */
export type Language = 'es' | 'en';

/** The first of these tags whose language is spoken; Spanish where none is. */
export function language(...tags: (string | null | undefined)[]): Language {
  for (const tag of tags) {
    const main = tag?.toLowerCase().split(/[-_]/)[0];
    if (main === 'es' || main === 'en') return main;
  }
  return 'es';
}

export function words(tag: Language): Words {
  return tag === 'en' ? en : es;
}

const CODES: Record<string, keyof Words> = {
  UNAUTHENTICATED: 'signedOut',
  FORBIDDEN: 'forbidden',
  AI_DISABLED: 'disabled',
  AI_UNAVAILABLE: 'unavailable',
  AI_BUDGET_EXCEEDED: 'budgetSpent',
  AI_RATE_LIMITED: 'rateLimited',
  AI_APPROVAL_RESOLVED: 'resolvedCard',
  AI_APPROVAL_STALE: 'staleCard',
  AI_APPROVAL_EXPIRED: 'expiredCard',
  AI_APPROVAL_PENDING: 'pendingTitle',
  AI_CONFIRMATION_MISMATCH: 'mismatch',
  AI_SESSION_FULL: 'full',
  RUN_LEASE_LOST: 'leaseLost',
  LOOP_DETECTED: 'loopDetected',
};

/** An error in the reader's language: by its code, else the server's own message, else a general word. */
export function problem(say: Words, code: string | null | undefined, message?: string | null): string {
  const key = CODES[(code ?? '').toUpperCase()];
  const known = key ? say[key] : undefined;
  return typeof known === 'string' ? known : message || say.failedGeneric;
}

/** A moment for people: day and time in the reader's zone, the time only where it is today. */
export function moment(tag: Language, iso: string, now: Date = new Date()): string {
  const when = new Date(iso);
  if (Number.isNaN(when.getTime())) return iso;
  const today = when.toDateString() === now.toDateString();
  return new Intl.DateTimeFormat(
    tag,
    today ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' },
  ).format(when);
}
