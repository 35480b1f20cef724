/** The second module: the pages of history, settings, usage, runs, approvals and audit; it stands on the first one. */
export { ApprovalsPage } from './pages/approvals/approvals.js';
export { AuditPage } from './pages/audit/audit.js';
export { HistoryPage } from './pages/history/history.js';
export { RunsPage } from './pages/runs/runs.js';
export { SettingsPage } from './pages/settings/settings.js';
export { UsagePage } from './pages/usage/usage.js';
