// @vitest-environment jsdom
/** The disclaimer is the server's, word for word; that no model answers is said on screen (UI-5, PROV-2, RED-1). */
import { expect, it } from 'vitest';
import { en } from '../i18n/en.js';
import { me } from '../samples.js';
import type { Me } from '../wire.js';
import type { AssistanceNotice } from './assistance-notice.js';
import './assistance-notice.js';

async function words(more: Partial<Me>, brief = false): Promise<string> {
  const notice = Object.assign(document.createElement('deputize-assistance-notice') as AssistanceNotice, {
    me: me(more),
    say: en,
    brief,
  });
  document.body.append(notice);
  await notice.updateComplete;
  return notice.renderRoot.textContent?.replace(/\s+/g, ' ') ?? '';
}

it('shows the disclaimer as it came', async () => {
  expect(await words({ disclaimer: 'AI <b>assistance</b> — check.' })).toContain('AI <b>assistance</b> — check.');
});

it('says that it is not a language model only where it is none', async () => {
  expect(await words({ languageModel: false })).toContain('not a language model');
  expect(await words({ languageModel: true })).not.toContain('not a language model');
});

it('says whether personal data is hidden', async () => {
  expect(await words({ redaction: { on: true, note: 'nicknames slip through' } })).toContain('nicknames slip through');
  expect(await words({ redaction: { on: false, note: null } })).toContain('Personal data is not hidden.');
});

it('keeps disclaimer and warning beside a card that waits, and leaves out what is about sending', async () => {
  const redaction = { on: true, note: 'nicknames slip through' };
  const on = await words({ disclaimer: 'Check it.', languageModel: false, redaction }, true);
  expect(on).toContain('Check it.');
  expect(on).not.toMatch(/nicknames|not a language model/);
  expect(await words({ redaction: { on: false, note: null } }, true)).toContain('Personal data is not hidden.');
});
