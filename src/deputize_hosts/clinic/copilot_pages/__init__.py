"""The copilot's own pages inside the clinic: conversation and history, approvals, runs, usage, audit, settings."""
