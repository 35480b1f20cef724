"""Tables of the follow-up: recalls with their attempts, and the patient's timeline."""

import sqlalchemy as sa
from alembic import op

revision = "clinic_0003"
down_revision = "clinic_0002"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
ACTIVE = sa.text("status IN ('pending', 'contacted_no_answer', 'contacted_scheduled', 'needs_review')")


def upgrade() -> None:
    """Recalls, their attempts, and what the timeline tells."""
    op.create_table(
        "recalls",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("patient_id", sa.Uuid(), nullable=False),
        sa.Column("reason", sa.String(length=24), nullable=False),
        sa.Column("due_month", sa.Date(), nullable=False),
        sa.Column("priority", sa.String(length=8), nullable=False),
        sa.Column("status", sa.String(length=24), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_recalls_clinic_id")),
        sa.ForeignKeyConstraint(["patient_id"], ["patients.id"], name=op.f("fk_recalls_patient_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recalls")),
    )
    op.create_index("ix_recalls_due", "recalls", ["clinic_id", "due_month"])
    op.create_index(op.f("ix_recalls_patient_id"), "recalls", ["patient_id"])
    op.create_index(
        "uq_recalls_active",
        "recalls",
        ["clinic_id", "patient_id", "reason"],
        unique=True,
        sqlite_where=ACTIVE,
        postgresql_where=ACTIVE,
    )
    op.create_table(
        "recall_attempts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("recall_id", sa.Uuid(), nullable=False),
        sa.Column("channel", sa.String(length=12), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("by_user", sa.String(length=64), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_recall_attempts_clinic_id")),
        sa.ForeignKeyConstraint(["recall_id"], ["recalls.id"], name=op.f("fk_recall_attempts_recall_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recall_attempts")),
    )
    op.create_index(op.f("ix_recall_attempts_recall_id"), "recall_attempts", ["recall_id"])
    op.create_table(
        "timeline_events",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("patient_id", sa.Uuid(), nullable=False),
        sa.Column("category", sa.String(length=16), nullable=False),
        sa.Column("what", sa.String(length=32), nullable=False),
        sa.Column("detail", sa.String(length=60), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_timeline_events_clinic_id")),
        sa.ForeignKeyConstraint(["patient_id"], ["patients.id"], name=op.f("fk_timeline_events_patient_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_timeline_events")),
    )
    op.create_index("ix_timeline_events_patient", "timeline_events", ["clinic_id", "patient_id", "at"])


def downgrade() -> None:
    """Only the tables of this step."""
    for table in ("timeline_events", "recall_attempts", "recalls"):
        op.drop_table(table)
