"""First tables: clinics and people, patients, agenda, opening hours."""

import sqlalchemy as sa
from alembic import op

revision = "clinic_0001"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Tables in the order in which they refer to each other."""
    _auth()
    _patients()
    _agenda()
    _schedules()


def _auth() -> None:
    op.create_table(
        "clinics",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("locale", sa.String(length=16), nullable=False),
        sa.Column("country", sa.String(length=2), nullable=False),
        sa.Column("slot_minutes", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clinics")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("ai_enabled", sa.Boolean(), nullable=False),
        sa.Column("seeded", sa.Boolean(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
    )
    op.create_table(
        "memberships",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("is_professional", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_memberships_clinic_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_memberships_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memberships")),
        sa.UniqueConstraint("clinic_id", "user_id", name=op.f("uq_memberships_clinic_id_user_id")),
    )
    op.create_index(op.f("ix_memberships_clinic_id"), "memberships", ["clinic_id"])
    op.create_index(op.f("ix_memberships_user_id"), "memberships", ["user_id"])


def _patients() -> None:
    op.create_table(
        "patients",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("first_name", sa.String(length=80), nullable=False),
        sa.Column("last_name", sa.String(length=120), nullable=False),
        sa.Column("phone", sa.String(length=20), nullable=True),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("birth_date", sa.Date(), nullable=True),
        sa.Column("national_id_kind", sa.String(length=10), nullable=True),
        sa.Column("national_id", sa.String(length=20), nullable=True),
        sa.Column("address", sa.String(length=240), nullable=True),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("do_not_contact", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_patients_clinic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_patients")),
        sa.UniqueConstraint("clinic_id", "national_id", name=op.f("uq_patients_clinic_id_national_id")),
    )
    op.create_index("ix_patients_name", "patients", ["clinic_id", "last_name", "first_name"])
    op.create_table(
        "patient_words",
        sa.Column("patient_id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_patient_words_clinic_id")),
        sa.ForeignKeyConstraint(
            ["patient_id"], ["patients.id"], name=op.f("fk_patient_words_patient_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("patient_id", name=op.f("pk_patient_words")),
    )
    op.create_index(op.f("ix_patient_words_clinic_id"), "patient_words", ["clinic_id"])


def _agenda() -> None:
    op.create_table(
        "cabinets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_cabinets_clinic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cabinets")),
        sa.UniqueConstraint("clinic_id", "name", name=op.f("uq_cabinets_clinic_id_name")),
    )
    op.create_table(
        "appointments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("patient_id", sa.Uuid(), nullable=False),
        sa.Column("professional_id", sa.Uuid(), nullable=False),
        sa.Column("cabinet_id", sa.Uuid(), nullable=True),
        sa.Column("starts_at", MOMENT, nullable=False),
        sa.Column("ends_at", MOMENT, nullable=False),
        sa.Column("treatment", sa.String(length=20), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.CheckConstraint("ends_at > starts_at", name=op.f("ck_appointments_ends_after_start")),
        sa.ForeignKeyConstraint(["cabinet_id"], ["cabinets.id"], name=op.f("fk_appointments_cabinet_id")),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_appointments_clinic_id")),
        sa.ForeignKeyConstraint(["patient_id"], ["patients.id"], name=op.f("fk_appointments_patient_id")),
        sa.ForeignKeyConstraint(["professional_id"], ["memberships.id"], name=op.f("fk_appointments_professional_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appointments")),
    )
    op.create_index("ix_appointments_day", "appointments", ["clinic_id", "starts_at"])
    op.create_index("ix_appointments_patient", "appointments", ["clinic_id", "patient_id", "starts_at"])
    op.create_table(
        "appointment_status_changes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("appointment_id", sa.Uuid(), nullable=False),
        sa.Column("before", sa.String(length=16), nullable=True),
        sa.Column("after", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by_user", sa.String(length=64), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["appointment_id"], ["appointments.id"], name=op.f("fk_appointment_status_changes_appointment_id")
        ),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_appointment_status_changes_clinic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appointment_status_changes")),
    )
    op.create_index(
        op.f("ix_appointment_status_changes_appointment_id"), "appointment_status_changes", ["appointment_id"]
    )
    op.create_table(
        "appointment_cells",
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("resource", sa.Uuid(), nullable=False),
        sa.Column("cell", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("appointment_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["appointment_id"],
            ["appointments.id"],
            name=op.f("fk_appointment_cells_appointment_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_appointment_cells_clinic_id")),
        sa.PrimaryKeyConstraint("clinic_id", "resource", "cell", name=op.f("pk_appointment_cells")),
    )
    op.create_index(op.f("ix_appointment_cells_appointment_id"), "appointment_cells", ["appointment_id"])


def _schedules() -> None:
    op.create_table(
        "weekly_hours",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("professional_id", sa.Uuid(), nullable=True),
        sa.Column("weekday", sa.Integer(), nullable=False),
        sa.Column("opens", sa.Integer(), nullable=False),
        sa.Column("closes", sa.Integer(), nullable=False),
        sa.CheckConstraint("closes > opens AND opens >= 0 AND closes <= 1440", name=op.f("ck_weekly_hours_range")),
        sa.CheckConstraint("weekday >= 0 AND weekday <= 6", name=op.f("ck_weekly_hours_weekday")),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_weekly_hours_clinic_id")),
        sa.ForeignKeyConstraint(["professional_id"], ["memberships.id"], name=op.f("fk_weekly_hours_professional_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_weekly_hours")),
    )
    op.create_index("ix_weekly_hours_owner", "weekly_hours", ["clinic_id", "professional_id"])
    op.create_table(
        "schedule_overrides",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("professional_id", sa.Uuid(), nullable=True),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(length=120), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.CheckConstraint("last_day >= first_day", name=op.f("ck_schedule_overrides_days")),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_schedule_overrides_clinic_id")),
        sa.ForeignKeyConstraint(
            ["professional_id"], ["memberships.id"], name=op.f("fk_schedule_overrides_professional_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule_overrides")),
    )
    op.create_index("ix_schedule_overrides_owner", "schedule_overrides", ["clinic_id", "professional_id", "last_day"])
    op.create_table(
        "schedule_override_hours",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("override_id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("opens", sa.Integer(), nullable=False),
        sa.Column("closes", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "closes > opens AND opens >= 0 AND closes <= 1440", name=op.f("ck_schedule_override_hours_range")
        ),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_schedule_override_hours_clinic_id")),
        sa.ForeignKeyConstraint(
            ["override_id"],
            ["schedule_overrides.id"],
            name=op.f("fk_schedule_override_hours_override_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule_override_hours")),
    )
    op.create_index(op.f("ix_schedule_override_hours_override_id"), "schedule_override_hours", ["override_id"])


def downgrade() -> None:
    """Only the clinic's own tables."""
    for table in (
        "schedule_override_hours",
        "schedule_overrides",
        "weekly_hours",
        "appointment_cells",
        "appointment_status_changes",
        "appointments",
        "cabinets",
        "patient_words",
        "patients",
        "memberships",
        "users",
        "clinics",
    ):
        op.drop_table(table)
