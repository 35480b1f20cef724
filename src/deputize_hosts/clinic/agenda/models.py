"""Rows of cabinets, appointments, their status history, and the calendar cells that they claim."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from deputize_hosts.clinic.agenda.status import Status
from deputize_hosts.clinic.auth.models import Clinic
from deputize_hosts.clinic.patients.models import Patient
from deputize_hosts.clinic.rows import Base, Keyed, Stamped, utc_now


class Cabinet(Keyed, Base):
    """A room with a chair."""

    __tablename__ = "cabinets"
    __table_args__ = (UniqueConstraint("clinic_id", "name"),)

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    name: Mapped[str] = mapped_column(String(60))
    active: Mapped[bool] = mapped_column(default=True)


LONGEST = timedelta(hours=12)
"""How long an appointment may last; queries by day look back so far and no further, along the index."""


class Appointment(Keyed, Stamped, Base):
    """A patient with a professional from `starts_at` to `ends_at` (UTC); the cabinet may follow later."""

    __tablename__ = "appointments"
    __table_args__ = (
        CheckConstraint("ends_at > starts_at", name="ends_after_start"),
        Index("ix_appointments_day", "clinic_id", "starts_at"),
        Index("ix_appointments_patient", "clinic_id", "patient_id", "starts_at"),
    )

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    patient_id: Mapped[UUID] = mapped_column(ForeignKey("patients.id"))
    professional_id: Mapped[UUID] = mapped_column(ForeignKey("memberships.id"))
    cabinet_id: Mapped[UUID | None] = mapped_column(ForeignKey("cabinets.id"))
    starts_at: Mapped[datetime]
    ends_at: Mapped[datetime]
    treatment: Mapped[str] = mapped_column(String(20))
    note: Mapped[str] = mapped_column(Text, default="")
    status: Mapped[str] = mapped_column(String(16), default=Status.SCHEDULED)
    patient: Mapped[Patient] = relationship(lazy="selectin", viewonly=True)
    clinic: Mapped[Clinic] = relationship(lazy="selectin", viewonly=True)


class StatusChange(Keyed, Base):
    """One move of an appointment; rows are only ever added."""

    __tablename__ = "appointment_status_changes"

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    appointment_id: Mapped[UUID] = mapped_column(ForeignKey("appointments.id"), index=True)
    before: Mapped[str | None] = mapped_column(String(16))
    after: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(Text, default="")
    by_user: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime] = mapped_column(default=utc_now)


class ClaimedCell(Base):
    """Five minutes of one professional or cabinet; the primary key is what lets only one booking win.

    `resource` is the membership's or cabinet's id, `cell` the number of five-minute steps since 1970, UTC.
    """

    __tablename__ = "appointment_cells"

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"), primary_key=True)
    resource: Mapped[UUID] = mapped_column(primary_key=True)
    cell: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    appointment_id: Mapped[UUID] = mapped_column(ForeignKey("appointments.id", ondelete="CASCADE"), index=True)
