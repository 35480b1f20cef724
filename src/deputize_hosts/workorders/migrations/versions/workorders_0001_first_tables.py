"""First tables: organisations and users, credentials, work orders, triage suggestions."""

import sqlalchemy as sa
from alembic import op

revision = "workorders_0001"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Tables in the order in which they refer to each other."""
    _users()
    _orders()
    _suggestions()


def _users() -> None:
    op.create_table(
        "organisations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("locale", sa.String(length=16), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organisations")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organisation_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=True),
        sa.Column("ai_enabled", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("seeded", sa.Boolean(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["organisation_id"], ["organisations.id"], name=op.f("fk_users_organisation_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
    )
    op.create_index("ix_users_organisation_id_name", "users", ["organisation_id", "name"])
    op.create_table(
        "credentials",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=False),
        sa.Column("failed_logins", sa.Integer(), nullable=False),
        sa.Column("locked_until", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_credentials_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_credentials")),
    )


def _orders() -> None:
    op.create_table(
        "work_orders",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organisation_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=120), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("priority", sa.String(length=8), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["organisation_id"], ["organisations.id"], name=op.f("fk_work_orders_organisation_id")),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name=op.f("fk_work_orders_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_work_orders")),
        sa.UniqueConstraint("organisation_id", "number", name=op.f("uq_work_orders_organisation_id_number")),
    )
    op.create_index("ix_work_orders_owner", "work_orders", ["organisation_id", "owner_id", "status"])
    op.create_index("ix_work_orders_status", "work_orders", ["organisation_id", "status"])
    op.create_table(
        "order_counters",
        sa.Column("organisation_id", sa.Uuid(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organisation_id"], ["organisations.id"], name=op.f("fk_order_counters_organisation_id")
        ),
        sa.PrimaryKeyConstraint("organisation_id", name=op.f("pk_order_counters")),
    )
    op.create_table(
        "order_words",
        sa.Column("order_id", sa.Uuid(), nullable=False),
        sa.Column("organisation_id", sa.Uuid(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["order_id"], ["work_orders.id"], name=op.f("fk_order_words_order_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["organisation_id"], ["organisations.id"], name=op.f("fk_order_words_organisation_id")),
        sa.PrimaryKeyConstraint("order_id", name=op.f("pk_order_words")),
    )
    op.create_index(op.f("ix_order_words_organisation_id"), "order_words", ["organisation_id"])


def _suggestions() -> None:
    op.create_table(
        "triage_suggestions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organisation_id", sa.Uuid(), nullable=False),
        sa.Column("work_order_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("summary", sa.String(length=500), nullable=False),
        sa.Column("suggested_priority", sa.String(length=8), nullable=False),
        sa.Column("flag_for_dispatcher", sa.Boolean(), nullable=False),
        sa.Column("applied", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("decided_by", sa.Uuid(), nullable=True),
        sa.Column("decided_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["organisation_id"], ["organisations.id"], name=op.f("fk_triage_suggestions_organisation_id")
        ),
        sa.ForeignKeyConstraint(
            ["work_order_id"],
            ["work_orders.id"],
            name=op.f("fk_triage_suggestions_work_order_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["decided_by"], ["users.id"], name=op.f("fk_triage_suggestions_decided_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_triage_suggestions")),
    )
    op.create_index(
        "ix_triage_suggestions_flagged", "triage_suggestions", ["organisation_id", "flag_for_dispatcher", "decided_at"]
    )
    op.create_index(op.f("ix_triage_suggestions_work_order_id"), "triage_suggestions", ["work_order_id"])


def downgrade() -> None:
    """All of them, in the opposite order."""
    for name in (
        "triage_suggestions",
        "order_words",
        "order_counters",
        "work_orders",
        "credentials",
        "users",
        "organisations",
    ):
        op.drop_table(name)
