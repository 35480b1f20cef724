"""Rows of feedback on findings."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.casedesk.rows import Base, Keyed, utc_now


class Opinion(StrEnum):
    """What somebody thought of a finding."""

    USEFUL = "useful"
    NOT_USEFUL = "not_useful"
    WRONG = "wrong"


class FindingFeedback(Keyed, Base):
    """An opinion on a discrepancy; it decides nothing."""

    __tablename__ = "finding_feedback"
    __table_args__ = (Index("ix_finding_feedback_discrepancy", "firm_id", "discrepancy_id"),)

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"))
    discrepancy_id: Mapped[UUID] = mapped_column(ForeignKey("discrepancies.id"))
    author_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    opinion: Mapped[str] = mapped_column(String(12))
    comment: Mapped[str] = mapped_column(Text, default="")
    via: Mapped[str] = mapped_column(String(20))
    at: Mapped[datetime] = mapped_column(default=utc_now)
