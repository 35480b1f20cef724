/** The one module that a page loads: it defines `<deputize-copilot>` and its parts. */
import './assistance-notice/assistance-notice.js';
import './composer/composer.js';
import './message-list/message-list.js';

export { CopilotPanel } from './copilot-panel/copilot-panel.js';
export * from './shared.js';
