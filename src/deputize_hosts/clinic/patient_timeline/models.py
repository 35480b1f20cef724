"""Rows of the timeline; they are only ever added."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.clinic.rows import Base, Keyed, utc_now


class Area(StrEnum):
    """The module that an event comes from."""

    PATIENT = "patient"
    APPOINTMENT = "appointment"
    RECALL = "recall"
    BUDGET = "budget"
    INVOICE = "invoice"
    PAYMENT = "payment"


class TimelineEvent(Keyed, Base):
    """Something that happened. `what` is one of the titles, `detail` a value or number without personal data."""

    __tablename__ = "timeline_events"
    __table_args__ = (Index("ix_timeline_events_patient", "clinic_id", "patient_id", "at"),)

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    patient_id: Mapped[UUID] = mapped_column(ForeignKey("patients.id"))
    category: Mapped[str] = mapped_column(String(16))
    what: Mapped[str] = mapped_column(String(32))
    detail: Mapped[str] = mapped_column(String(60), default="")
    source_id: Mapped[UUID | None]
    at: Mapped[datetime] = mapped_column(default=utc_now)
