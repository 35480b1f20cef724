"""Rows of discrepancies, and of what was decided about them: these are appended, never changed."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.casedesk.rows import Base, Keyed, utc_now


class Resolution(StrEnum):
    """What can be decided about a discrepancy."""

    ACCEPTED_SOURCE = "accepted_source"
    CORRECTED = "corrected"
    FALSE_POSITIVE = "false_positive"
    ESCALATED = "escalated"
    REPORTED = "reported"


SCRUTINY = frozenset({Resolution.ESCALATED, Resolution.REPORTED})
"""Decisions that close nothing."""


class DiscrepancyStatus(StrEnum):
    """What became of it last."""

    OPEN = "open"
    RESOLVED = "resolved"
    ESCALATED = "escalated"
    REPORTED = "reported"


class Discrepancy(Keyed, Base):
    """Sources that contradict each other. `conflicting` lists `{value, source}`; `decided_via` is the way of the
    newest decision, which the gate looks at: only the Conflicts panel closes what feeds it."""

    __tablename__ = "discrepancies"
    __table_args__ = (Index("ix_discrepancies_case", "firm_id", "case_id"),)

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"))
    case_id: Mapped[UUID] = mapped_column(ForeignKey("cases.id"))
    field: Mapped[str] = mapped_column(String(60))
    severity: Mapped[str] = mapped_column(String(10))
    conflicting: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    status: Mapped[str] = mapped_column(String(12), default=DiscrepancyStatus.OPEN)
    decided_via: Mapped[str] = mapped_column(String(20), default="")
    revision: Mapped[int] = mapped_column(default=1)
    found_at: Mapped[datetime] = mapped_column(default=utc_now)


class DiscrepancyResolution(Keyed, Base):
    """One decision, with its reason and the officer who answers for it; append-only."""

    __tablename__ = "discrepancy_resolutions"
    __table_args__ = (Index("ix_discrepancy_resolutions_case", "firm_id", "case_id"),)

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"))
    case_id: Mapped[UUID] = mapped_column(ForeignKey("cases.id"))
    discrepancy_id: Mapped[UUID] = mapped_column(ForeignKey("discrepancies.id"), index=True)
    type: Mapped[str] = mapped_column(String(20))
    rationale: Mapped[str] = mapped_column(Text)
    officer_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    via: Mapped[str] = mapped_column(String(20))
    at: Mapped[datetime] = mapped_column(default=utc_now)
