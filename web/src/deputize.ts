/** The one module that a page loads: it defines `<deputize-copilot>` and its parts. */
import './approval-card/approval-card.js';
import './assistance-notice/assistance-notice.js';
import './composer/composer.js';
import './message-list/message-list.js';
import './tool-card/tool-card.js';

export { CopilotPanel } from './copilot-panel/copilot-panel.js';
