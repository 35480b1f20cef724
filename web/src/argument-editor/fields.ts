/** Values of arguments as a form's controls hold them, and back as the server wants them. */
import { type Language, moment, type Words } from '../shared.js';

/** An argument that may be changed, as `GET /tool-calls/{id}/fields` has it. */
export interface Field {
  name: string;
  caption: string;
  kind: 'text' | 'long' | 'integer' | 'number' | 'boolean' | 'date' | 'time' | 'moment' | 'choice';
  value: unknown;
  options: { value: string; caption: string }[] | null;
  optional: boolean;
  minimum: number | null;
  maximum: number | null;
  maxLength: number | null;
}

const WALL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

/** The text in the control. A moment comes on the person's own clock. */
export function shown({ kind, value }: Field): string {
  if (value === null || value === undefined) return '';
  if (kind === 'moment') return WALL.exec(String(value).replace(' ', 'T'))?.[0] ?? '';
  if (kind === 'time') return String(value).slice(0, 5);
  return String(value);
}

/** The value to send; an empty one is null, or empty text where text was. A moment is local, as people say it. */
export function given({ kind, value }: Field, text: string): unknown {
  if (kind === 'text' || kind === 'long') return text === '' && value === null ? null : text;
  if (text === '') return null;
  if (kind === 'integer' || kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (kind === 'boolean') return text === 'true';
  if (kind === 'moment') return `${text}:00`;
  return text;
}

/** What the proposal said, for people. */
export function plain(field: Field, say: Words, lang: Language): string {
  const text = shown(field);
  if (text === '') return '—';
  if (field.kind === 'boolean') return text === 'true' ? say.yes : say.no;
  if (field.kind === 'choice') return field.options?.find((one) => one.value === text)?.caption ?? text;
  return field.kind === 'moment' ? moment(lang, text, new Date(0)) : text;
}
