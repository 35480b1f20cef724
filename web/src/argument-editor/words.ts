/** The editor's own words; it is loaded apart from the others. */
import type { Language } from '../shared.js';

const es = {
  hint: 'Cambia lo que haga falta; verás una tarjeta nueva antes de aprobar. Las fichas elegidas no se cambian aquí.',
  none: 'Esta propuesta no tiene valores que se puedan cambiar aquí. Recházala y pide otra cosa.',
  save: 'Ver el resultado',
  saving: 'Comprobando…',
  changed: 'cambiado',
  was: 'Antes',
  needed: 'Este dato no puede quedar vacío.',
};
export type EditWords = typeof es;

const en: EditWords = {
  hint: 'Change what is needed; a new card is shown before you approve. The records chosen are not changed here.',
  none: 'This proposal has no values that can be changed here. Reject it and ask for something else.',
  save: 'See the result',
  saving: 'Checking…',
  changed: 'changed',
  was: 'Before',
  needed: 'This cannot be left empty.',
};

export function words(tag: Language): EditWords {
  return tag === 'en' ? en : es;
}
