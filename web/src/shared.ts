/** What the pages and the editor use of the element's bundle: they are built against it, so that nothing is loaded twice. */
export { css, html, LitElement, nothing, type PropertyValues, svg, type TemplateResult } from 'lit';
export { customElement, property, query, state } from 'lit/decorators.js';
export { unsafeHTML } from 'lit/directives/unsafe-html.js';
export { Api, ApiError, type Credentials, type Options, Unreachable } from './api.js';
export { ApprovalCard, type Verdict } from './approval-card/approval-card.js';
export { changeList, changeStyles } from './approval-card/change-list.js';
export { type Language, language, moment, problem, type Words, words } from './i18n/words.js';
export { type Icon, icon } from './icons.js';
export { blocks, safeHref } from './markdown.js';
export type { CallView } from './reduce.js';
export type { Problem } from './run-controller.js';
export { known } from './run-follower.js';
export { frames } from './sse.js';
export { base, tokens } from './theme.js';
export { ToolCard } from './tool-card/tool-card.js';
export { caption, type Reading, reading } from './values.js';
