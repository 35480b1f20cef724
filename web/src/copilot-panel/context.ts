/** What the page says it shows, read from the `screen` attribute, and the words for it. */
import type { Words } from '../i18n/words.js';
import type { ScreenContext, Session } from '../wire.js';

/** A plain name, or JSON `{"screen": "patient", "entities": [{"kind": "patient", "id": "…"}]}`; else nothing. */
export function parseScreen(value: string | null | undefined): ScreenContext | undefined {
  const text = value?.trim() ?? '';
  if (text === '') return undefined;
  if (!text.startsWith('{')) return { screen: text, entities: [] };
  try {
    const { screen, entities } = JSON.parse(text) as Partial<ScreenContext>;
    const list = Array.isArray(entities) ? entities : [];
    return {
      screen: typeof screen === 'string' ? screen : '',
      entities: list.filter((one) => one?.kind && one.id).map(({ kind, id }) => ({ kind, id: String(id) })),
    };
  } catch {
    return undefined;
  }
}

/** The chip's words: names as the server gave them for these very records, else how many there are. */
export function contextWords(context: ScreenContext | undefined, session: Session | null, say: Words): string | null {
  if (!context || context.entities.length === 0) return null;
  const known = session?.context?.entities ?? [];
  const names = context.entities.map(
    ({ kind, id }) => known.find((one) => one.kind === kind && one.id === id)?.label ?? null,
  );
  const shown = names.every((name) => name) ? names.join(', ') : say.records(context.entities.length);
  return `${say.thisPage}: ${shown}`;
}
