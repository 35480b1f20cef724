"""Rows of firms and of the people who sign in, customers included."""

from enum import StrEnum
from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.casedesk.rows import Base, Keyed, Stamped


class Role(StrEnum):
    """What a person is in a firm; a customer belongs to the portal and to nothing else."""

    ADMIN = "admin"
    MLRO = "mlro"
    OFFICER = "officer"
    ANALYST = "analyst"
    AUDITOR = "auditor"
    CUSTOMER = "customer"


OFFICERS = frozenset({Role.ADMIN, Role.MLRO, Role.OFFICER})
"""Who can be the named officer of a resolution."""


class Firm(Keyed, Base):
    """A tenant: an institution with its own cases."""

    __tablename__ = "firms"

    name: Mapped[str] = mapped_column(String(120))
    time_zone: Mapped[str] = mapped_column(String(64))
    locale: Mapped[str] = mapped_column(String(16), default="en")


class User(Keyed, Stamped, Base):
    """A person of one firm. Raising `epoch` ends their sign-ins; `seeded` ones work on loopback only."""

    __tablename__ = "users"

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"), index=True)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    name: Mapped[str] = mapped_column(String(120))
    role: Mapped[str] = mapped_column(String(16))
    password_hash: Mapped[str] = mapped_column(String(255))
    language: Mapped[str | None] = mapped_column(String(8))
    active: Mapped[bool] = mapped_column(default=True)
    ai_enabled: Mapped[bool] = mapped_column(default=True)
    seeded: Mapped[bool] = mapped_column(default=False)
    epoch: Mapped[int] = mapped_column(default=0)
