"""The face for AG-UI clients: the same runs and approvals in that protocol's words; extra `[agui]` (API-5)."""
