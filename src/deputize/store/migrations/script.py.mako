"""${message}."""

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}


def upgrade() -> None:
    """Move the schema forward."""
    ${upgrades if upgrades else "raise NotImplementedError"}


def downgrade() -> None:
    """Move it back."""
    ${downgrades if downgrades else "raise NotImplementedError"}
