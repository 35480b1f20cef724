/** What the page shows is read from its attribute, and named only as the server named it. */
import { describe, expect, it } from 'vitest';
import { en } from '../i18n/en.js';
import { session } from '../samples.js';
import { contextWords, parseScreen } from './context.js';

describe('the screen attribute', () => {
  it.each([
    ['', undefined],
    [null, undefined],
    ['agenda', { screen: 'agenda', entities: [] }],
    [
      '{"screen":"patient","entities":[{"kind":"patient","id":7,"label":"x"},{"id":"no kind"}]}',
      { screen: 'patient', entities: [{ kind: 'patient', id: '7' }] },
    ],
    ['{broken', undefined],
    ['{"entities":"no"}', { screen: '', entities: [] }],
  ])('%j is %j', (value, context) => expect(parseScreen(value)).toEqual(context));

  it('takes names from the server, for these very records, and never from the page', () => {
    const context = { screen: 'patient', entities: [{ kind: 'patient', id: 'a' }] };
    const named = session({ context: { screen: 'patient', entities: [{ kind: 'patient', id: 'a', label: 'Ana' }] } });
    const other = session({ context: { screen: 'patient', entities: [{ kind: 'patient', id: 'b', label: 'Bea' }] } });
    expect(contextWords(context, named, en)).toBe('This page: Ana');
    expect(contextWords(context, other, en)).toBe('This page: 1 record');
    expect(contextWords({ screen: 'agenda', entities: [] }, named, en)).toBeNull();
    expect(contextWords(undefined, null, en)).toBeNull();
  });
});
