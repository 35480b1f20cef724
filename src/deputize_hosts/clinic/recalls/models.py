"""Rows of recalls and of the attempts to reach somebody."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from deputize_hosts.clinic.patients.models import Patient
from deputize_hosts.clinic.recalls.status import Priority, Status
from deputize_hosts.clinic.rows import Base, Keyed, Stamped, utc_now

_ACTIVE = text("status IN ('pending', 'contacted_no_answer', 'contacted_scheduled', 'needs_review')")


class Recall(Keyed, Stamped, Base):
    """Somebody who should come back. `due_month` is the first day of a month; one active recall for each reason."""

    __tablename__ = "recalls"
    __table_args__ = (
        Index(
            "uq_recalls_active",
            "clinic_id",
            "patient_id",
            "reason",
            unique=True,
            sqlite_where=_ACTIVE,
            postgresql_where=_ACTIVE,
        ),
        Index("ix_recalls_due", "clinic_id", "due_month"),
    )

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    patient_id: Mapped[UUID] = mapped_column(ForeignKey("patients.id"), index=True)
    reason: Mapped[str] = mapped_column(String(24))
    due_month: Mapped[date]
    priority: Mapped[str] = mapped_column(String(8), default=Priority.NORMAL)
    status: Mapped[str] = mapped_column(String(24), default=Status.PENDING)
    note: Mapped[str] = mapped_column(Text, default="")
    patient: Mapped[Patient] = relationship(lazy="selectin", viewonly=True)


class RecallAttempt(Keyed, Base):
    """One try to reach the patient; rows are only ever added."""

    __tablename__ = "recall_attempts"

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    recall_id: Mapped[UUID] = mapped_column(ForeignKey("recalls.id"), index=True)
    channel: Mapped[str] = mapped_column(String(12))
    outcome: Mapped[str] = mapped_column(String(16))
    note: Mapped[str] = mapped_column(Text, default="")
    by_user: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime] = mapped_column(default=utc_now)
