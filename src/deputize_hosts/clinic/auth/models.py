"""Rows of clinics, users and memberships."""

from enum import StrEnum
from uuid import UUID

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.clinic.rows import Base, Keyed, Stamped


class Role(StrEnum):
    """What a member is in a clinic."""

    ADMIN = "admin"
    DENTIST = "dentist"
    HYGIENIST = "hygienist"
    ASSISTANT = "assistant"
    RECEPTIONIST = "receptionist"


class Clinic(Keyed, Base):
    """A tenant. `country` is the ISO code by which phone numbers without a prefix are read."""

    __tablename__ = "clinics"

    name: Mapped[str] = mapped_column(String(120))
    time_zone: Mapped[str] = mapped_column(String(64))
    currency: Mapped[str] = mapped_column(String(3), default="EUR")
    locale: Mapped[str] = mapped_column(String(16), default="es")
    country: Mapped[str] = mapped_column(String(2), default="ES")
    slot_minutes: Mapped[int] = mapped_column(default=30)


class User(Keyed, Stamped, Base):
    """A person who signs in. Raising `epoch` ends all their sign-ins; `seeded` ones work on loopback only."""

    __tablename__ = "users"

    email: Mapped[str] = mapped_column(String(254), unique=True)
    name: Mapped[str] = mapped_column(String(120))
    password_hash: Mapped[str] = mapped_column(String(255))
    language: Mapped[str | None] = mapped_column(String(8))
    active: Mapped[bool] = mapped_column(default=True)
    ai_enabled: Mapped[bool] = mapped_column(default=True)
    seeded: Mapped[bool] = mapped_column(default=False)
    epoch: Mapped[int] = mapped_column(default=0)


class Membership(Keyed, Stamped, Base):
    """A user in a clinic. `name` is what they are called there; professionals treat patients."""

    __tablename__ = "memberships"
    __table_args__ = (UniqueConstraint("clinic_id", "user_id"),)

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"), index=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), index=True)
    role: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(120))
    is_professional: Mapped[bool] = mapped_column(default=False)
    active: Mapped[bool] = mapped_column(default=True)
