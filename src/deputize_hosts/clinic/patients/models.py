"""Rows of patients, and of the folded words by which they are found."""

from datetime import date
from enum import StrEnum
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.clinic.rows import Base, Keyed, Stamped


class PatientStatus(StrEnum):
    """Archived patients are hidden from search and cannot be booked."""

    ACTIVE = "active"
    ARCHIVED = "archived"


class IdKind(StrEnum):
    """Kind of national identity document."""

    DNI = "dni"
    NIE = "nie"
    PASSPORT = "passport"


class Patient(Keyed, Stamped, Base):
    """A person who is treated. `phone` is E.164, `national_id` compact and in capitals."""

    __tablename__ = "patients"
    __table_args__ = (
        UniqueConstraint("clinic_id", "national_id"),
        Index("ix_patients_name", "clinic_id", "last_name", "first_name"),
    )

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    first_name: Mapped[str] = mapped_column(String(80))
    last_name: Mapped[str] = mapped_column(String(120))
    phone: Mapped[str | None] = mapped_column(String(20))
    email: Mapped[str | None] = mapped_column(String(254))
    birth_date: Mapped[date | None]
    national_id_kind: Mapped[str | None] = mapped_column(String(10))
    national_id: Mapped[str | None] = mapped_column(String(20))
    address: Mapped[str | None] = mapped_column(String(240))
    notes: Mapped[str] = mapped_column(Text, default="")
    status: Mapped[str] = mapped_column(String(10), default=PatientStatus.ACTIVE)
    do_not_contact: Mapped[bool] = mapped_column(default=False)

    @property
    def full_name(self) -> str:
        """First and last names, as people say them."""
        return f"{self.first_name} {self.last_name}"


class PatientWords(Base):
    """What search looks at: name, phone, e-mail and id without accents and case. Derived, kept by the service."""

    __tablename__ = "patient_words"

    patient_id: Mapped[UUID] = mapped_column(ForeignKey("patients.id", ondelete="CASCADE"), primary_key=True)
    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"), index=True)
    folded: Mapped[str] = mapped_column(Text)
