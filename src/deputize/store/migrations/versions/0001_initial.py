"""The first schema: all tables, their indexes, and the guards of the chain."""

from alembic import context, op

from deputize.store.migrations.names import AUDIT_TABLES
from deputize.store.tables import metadata

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create what is missing; audit tables that an earlier downgrade left behind are kept as they are."""
    metadata.create_all(op.get_bind(), checkfirst=True)


def downgrade() -> None:
    """Drop our tables, the chain and its keys only if the caller says so."""
    keep = () if context.config.attributes.get("drop_audit") else AUDIT_TABLES
    doomed = [table for table in metadata.sorted_tables if table.name not in keep]
    metadata.drop_all(op.get_bind(), tables=doomed, checkfirst=True)
