"""Rows of remembered facts."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.casedesk.rows import Base, Keyed, utc_now


class Memory(Keyed, Base):
    """One fact, about a case or about the firm's work in general."""

    __tablename__ = "memories"
    __table_args__ = (Index("ix_memories_firm", "firm_id", "at"),)

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"))
    case_id: Mapped[UUID | None] = mapped_column(ForeignKey("cases.id"))
    author_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    fact: Mapped[str] = mapped_column(Text)
    via: Mapped[str] = mapped_column(String(20))
    at: Mapped[datetime] = mapped_column(default=utc_now)
