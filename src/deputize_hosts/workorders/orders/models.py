"""Rows of work orders, of their numbers and search words, and of what triage suggested about them."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.workorders.orders.status import Priority, Status
from deputize_hosts.workorders.rows import Base, Keyed, Stamped, utc_now


class WorkOrder(Keyed, Stamped, Base):
    """Something to be done. Title and description are prose by others; `version` grows with every change."""

    __tablename__ = "work_orders"
    __table_args__ = (
        UniqueConstraint("organisation_id", "number"),
        Index("ix_work_orders_owner", "organisation_id", "owner_id", "status"),
        Index("ix_work_orders_status", "organisation_id", "status"),
    )

    organisation_id: Mapped[UUID] = mapped_column(ForeignKey("organisations.id"))
    number: Mapped[int]
    title: Mapped[str] = mapped_column(String(120))
    description: Mapped[str] = mapped_column(Text, default="")
    priority: Mapped[str] = mapped_column(String(8), default=Priority.MEDIUM)
    status: Mapped[str] = mapped_column(String(12), default=Status.PENDING)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    due_on: Mapped[date | None]
    version: Mapped[int] = mapped_column(default=1)


class OrderCounter(Base):
    """The last number that an organisation gave to an order: locked while the next is taken, so none is left out."""

    __tablename__ = "order_counters"

    organisation_id: Mapped[UUID] = mapped_column(ForeignKey("organisations.id"), primary_key=True)
    last: Mapped[int] = mapped_column(default=1000)


class OrderWords(Base):
    """What search looks at: number, title and description without accents and case. Derived, kept by the service."""

    __tablename__ = "order_words"

    order_id: Mapped[UUID] = mapped_column(ForeignKey("work_orders.id", ondelete="CASCADE"), primary_key=True)
    organisation_id: Mapped[UUID] = mapped_column(ForeignKey("organisations.id"), index=True)
    folded: Mapped[str] = mapped_column(Text)


class TriageSuggestion(Keyed, Base):
    """What one pass of triage said about an order: advice beside it, never a part of it.

    `applied` is true once the suggested priority stands on the order, by a person's click or by policy.
    `decided_by` is the person who accepted or dismissed it.
    """

    __tablename__ = "triage_suggestions"
    __table_args__ = (Index("ix_triage_suggestions_flagged", "organisation_id", "flag_for_dispatcher", "decided_at"),)

    organisation_id: Mapped[UUID] = mapped_column(ForeignKey("organisations.id"))
    work_order_id: Mapped[UUID] = mapped_column(ForeignKey("work_orders.id", ondelete="CASCADE"), index=True)
    run_id: Mapped[str] = mapped_column(String(64))
    summary: Mapped[str] = mapped_column(String(500))
    suggested_priority: Mapped[str] = mapped_column(String(8))
    flag_for_dispatcher: Mapped[bool] = mapped_column(default=False)
    applied: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    decided_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    decided_at: Mapped[datetime | None]
