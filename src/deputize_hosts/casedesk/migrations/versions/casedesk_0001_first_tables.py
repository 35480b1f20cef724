"""First tables: firms and people, cases, decisions, memory, feedback, onboarding, provenance."""

import sqlalchemy as sa
from alembic import op

revision = "casedesk_0001"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
APPENDED = ("signal_events", "discrepancy_resolutions")
"""Rows of these tables are never changed and never deleted: the database itself refuses it."""


def upgrade() -> None:
    """Tables in the order in which they refer to each other, and the guards of what is only ever appended."""
    op.create_table(
        "firms",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("locale", sa.String(length=16), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_firms")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("ai_enabled", sa.Boolean(), nullable=False),
        sa.Column("seeded", sa.Boolean(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_users_firm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
    )
    op.create_index(op.f("ix_users_firm_id"), "users", ["firm_id"])

    op.create_table(
        "cases",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("reference", sa.String(length=20), nullable=False),
        sa.Column("company_name", sa.String(length=160), nullable=False),
        sa.Column("registration_number", sa.String(length=40), nullable=False),
        sa.Column("country", sa.String(length=2), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("risk_level", sa.String(length=8), nullable=False),
        sa.Column("screening_hits", sa.Integer(), nullable=False),
        sa.Column("screening_summary", sa.Text(), nullable=False),
        sa.Column("officer_id", sa.Uuid(), nullable=True),
        sa.Column("customer_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["customer_id"], ["users.id"], name=op.f("fk_cases_customer_id")),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_cases_firm_id")),
        sa.ForeignKeyConstraint(["officer_id"], ["users.id"], name=op.f("fk_cases_officer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cases")),
        sa.UniqueConstraint(
            "firm_id", "country", "registration_number", name=op.f("uq_cases_firm_id_country_registration_number")
        ),
        sa.UniqueConstraint("firm_id", "reference", name=op.f("uq_cases_firm_id_reference")),
    )
    op.create_index(op.f("ix_cases_customer_id"), "cases", ["customer_id"])
    op.create_index(op.f("ix_cases_firm_id"), "cases", ["firm_id"])

    op.create_table(
        "case_notes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("case_id", sa.Uuid(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("via", sa.String(length=20), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_case_notes_author_id")),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_case_notes_case_id")),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_case_notes_firm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_case_notes")),
    )
    op.create_index("ix_case_notes_case", "case_notes", ["firm_id", "case_id"])

    op.create_table(
        "case_persons",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("case_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=160), nullable=False),
        sa.Column("birth_date", sa.Date(), nullable=True),
        sa.Column("nationality", sa.String(length=2), nullable=False),
        sa.Column("ownership", sa.Numeric(precision=5, scale=2), nullable=True),
        sa.Column("role", sa.String(length=12), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_case_persons_case_id")),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_case_persons_firm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_case_persons")),
    )
    op.create_index(op.f("ix_case_persons_case_id"), "case_persons", ["case_id"])

    op.create_table(
        "discrepancies",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("case_id", sa.Uuid(), nullable=False),
        sa.Column("field", sa.String(length=60), nullable=False),
        sa.Column("severity", sa.String(length=10), nullable=False),
        sa.Column("conflicting", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("decided_via", sa.String(length=20), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("found_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_discrepancies_case_id")),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_discrepancies_firm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_discrepancies")),
    )
    op.create_index("ix_discrepancies_case", "discrepancies", ["firm_id", "case_id"])

    op.create_table(
        "document_requests",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("case_id", sa.Uuid(), nullable=False),
        sa.Column("document", sa.String(length=24), nullable=False),
        sa.Column("requested_at", MOMENT, nullable=False),
        sa.Column("received_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_document_requests_case_id")),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_document_requests_firm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_requests")),
    )
    op.create_index("ix_document_requests_case", "document_requests", ["firm_id", "case_id"])

    op.create_table(
        "evidence",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("case_id", sa.Uuid(), nullable=False),
        sa.Column("source", sa.String(length=24), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_evidence_case_id")),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_evidence_firm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence")),
    )
    op.create_index("ix_evidence_case", "evidence", ["firm_id", "case_id"])

    op.create_table(
        "memories",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("case_id", sa.Uuid(), nullable=True),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("fact", sa.Text(), nullable=False),
        sa.Column("via", sa.String(length=20), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_memories_author_id")),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_memories_case_id")),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_memories_firm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memories")),
    )
    op.create_index("ix_memories_firm", "memories", ["firm_id", "at"])

    op.create_table(
        "signal_events",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("case_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("subject_kind", sa.String(length=40), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("actor_id", sa.Uuid(), nullable=False),
        sa.Column("actor_name", sa.String(length=120), nullable=False),
        sa.Column("via", sa.String(length=20), nullable=False),
        sa.Column("call", sa.String(length=64), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_signal_events_case_id")),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_signal_events_firm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signal_events")),
    )
    op.create_index("ix_signal_events_case", "signal_events", ["firm_id", "case_id", "at"])

    op.create_table(
        "discrepancy_resolutions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("case_id", sa.Uuid(), nullable=False),
        sa.Column("discrepancy_id", sa.Uuid(), nullable=False),
        sa.Column("type", sa.String(length=20), nullable=False),
        sa.Column("rationale", sa.Text(), nullable=False),
        sa.Column("officer_id", sa.Uuid(), nullable=False),
        sa.Column("via", sa.String(length=20), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_discrepancy_resolutions_case_id")),
        sa.ForeignKeyConstraint(
            ["discrepancy_id"], ["discrepancies.id"], name=op.f("fk_discrepancy_resolutions_discrepancy_id")
        ),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_discrepancy_resolutions_firm_id")),
        sa.ForeignKeyConstraint(["officer_id"], ["users.id"], name=op.f("fk_discrepancy_resolutions_officer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_discrepancy_resolutions")),
    )
    op.create_index("ix_discrepancy_resolutions_case", "discrepancy_resolutions", ["firm_id", "case_id"])
    op.create_index(op.f("ix_discrepancy_resolutions_discrepancy_id"), "discrepancy_resolutions", ["discrepancy_id"])

    op.create_table(
        "finding_feedback",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("firm_id", sa.Uuid(), nullable=False),
        sa.Column("discrepancy_id", sa.Uuid(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("opinion", sa.String(length=12), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("via", sa.String(length=20), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_finding_feedback_author_id")),
        sa.ForeignKeyConstraint(
            ["discrepancy_id"], ["discrepancies.id"], name=op.f("fk_finding_feedback_discrepancy_id")
        ),
        sa.ForeignKeyConstraint(["firm_id"], ["firms.id"], name=op.f("fk_finding_feedback_firm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_finding_feedback")),
    )
    op.create_index("ix_finding_feedback_discrepancy", "finding_feedback", ["firm_id", "discrepancy_id"])

    for table in APPENDED:
        _guard(table)


def _guard(table: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for deed in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{deed.lower()} BEFORE {deed} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse()"
    )


def downgrade() -> None:
    """Only the case desk's own tables, with the guards' functions."""
    for table in (
        "finding_feedback",
        "discrepancy_resolutions",
        "signal_events",
        "memories",
        "evidence",
        "document_requests",
        "discrepancies",
        "case_persons",
        "case_notes",
        "cases",
        "users",
        "firms",
    ):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        for table in APPENDED:
            op.execute(f"DROP FUNCTION {table}_refuse()")
