"""Rows of organisations and of the people who work for them; no secret is among them."""

from enum import StrEnum
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.workorders.rows import Base, Keyed, Stamped


class Role(StrEnum):
    """What a person is in their organisation."""

    VIEWER = "viewer"
    USER = "user"
    ADMIN = "admin"


class Organisation(Keyed, Base):
    """A tenant. `locale` is what its people read who have chosen no language."""

    __tablename__ = "organisations"

    name: Mapped[str] = mapped_column(String(120))
    time_zone: Mapped[str] = mapped_column(String(64))
    locale: Mapped[str] = mapped_column(String(16), default="en")


class User(Keyed, Stamped, Base):
    """A person who signs in. What they sign in with stands in `credentials`, so that it is never loaded with them.

    Raising `epoch` ends all their sign-ins; `seeded` ones work on loopback only.
    """

    __tablename__ = "users"
    __table_args__ = (Index("ix_users_organisation_id_name", "organisation_id", "name"),)

    organisation_id: Mapped[UUID] = mapped_column(ForeignKey("organisations.id"))
    email: Mapped[str] = mapped_column(String(254), unique=True)
    name: Mapped[str] = mapped_column(String(120))
    role: Mapped[str] = mapped_column(String(16))
    language: Mapped[str | None] = mapped_column(String(8))
    ai_enabled: Mapped[bool] = mapped_column(default=True)
    active: Mapped[bool] = mapped_column(default=True)
    seeded: Mapped[bool] = mapped_column(default=False)
    epoch: Mapped[int] = mapped_column(default=0)
