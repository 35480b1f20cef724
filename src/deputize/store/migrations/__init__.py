"""Our Alembic script folder; the host's own migrations never see it (OPS-1)."""
