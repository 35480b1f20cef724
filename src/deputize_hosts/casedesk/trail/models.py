"""Rows of provenance: one for every change, never changed or deleted (the database refuses it)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.casedesk.rows import Base, Keyed, utc_now


class SignalEvent(Keyed, Base):
    """Who changed what by which way. `call` is the copilot's call where one did; `fields` are names, not values."""

    __tablename__ = "signal_events"
    __table_args__ = (Index("ix_signal_events_case", "firm_id", "case_id", "at"),)

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"))
    case_id: Mapped[UUID | None] = mapped_column(ForeignKey("cases.id"))
    kind: Mapped[str] = mapped_column(String(40))
    subject_kind: Mapped[str] = mapped_column(String(40))
    subject_id: Mapped[UUID]
    actor_id: Mapped[UUID]
    actor_name: Mapped[str] = mapped_column(String(120))
    via: Mapped[str] = mapped_column(String(20))
    call: Mapped[str] = mapped_column(String(64), default="")
    details: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    at: Mapped[datetime] = mapped_column(default=utc_now)
