"""Rows of cases, of the persons behind companies, of evidence and notes."""

from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, ForeignKey, Index, Numeric, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.casedesk.rows import Base, Keyed, Stamped, utc_now


class CaseStatus(StrEnum):
    """Where a case stands."""

    OPEN = "open"
    IN_REVIEW = "in_review"
    APPROVED = "approved"
    REJECTED = "rejected"


MOVES = {
    CaseStatus.OPEN: (CaseStatus.IN_REVIEW, CaseStatus.REJECTED),
    CaseStatus.IN_REVIEW: (CaseStatus.APPROVED, CaseStatus.REJECTED, CaseStatus.OPEN),
    CaseStatus.APPROVED: (CaseStatus.IN_REVIEW,),
    CaseStatus.REJECTED: (CaseStatus.IN_REVIEW,),
}
"""The one table of moves; approval also passes the gate."""

RISKS = ("low", "medium", "high")


class Case(Keyed, Stamped, Base):
    """A company under examination. `customer_id` is who follows it on the portal; the rest is the desk's alone."""

    __tablename__ = "cases"
    __table_args__ = (
        UniqueConstraint("firm_id", "reference"),
        UniqueConstraint("firm_id", "country", "registration_number"),
    )

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"), index=True)
    reference: Mapped[str] = mapped_column(String(20))
    company_name: Mapped[str] = mapped_column(String(160))
    registration_number: Mapped[str] = mapped_column(String(40))
    country: Mapped[str] = mapped_column(String(2))
    status: Mapped[str] = mapped_column(String(12), default=CaseStatus.OPEN)
    risk_level: Mapped[str] = mapped_column(String(8), default="medium")
    screening_hits: Mapped[int] = mapped_column(default=0)
    screening_summary: Mapped[str] = mapped_column(Text, default="")
    officer_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    customer_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"), index=True)


class CasePerson(Keyed, Stamped, Base):
    """A person behind the company: `role` is `ubo`, `director` or `signatory`, `ownership` a percentage."""

    __tablename__ = "case_persons"

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"))
    case_id: Mapped[UUID] = mapped_column(ForeignKey("cases.id"), index=True)
    name: Mapped[str] = mapped_column(String(160))
    birth_date: Mapped[date | None]
    nationality: Mapped[str] = mapped_column(String(2), default="")
    ownership: Mapped[Decimal | None] = mapped_column(Numeric(5, 2))
    role: Mapped[str] = mapped_column(String(12))


class Evidence(Keyed, Base):
    """A document or register extract; `fields` are what was read from it, `text` is the document's own words."""

    __tablename__ = "evidence"
    __table_args__ = (Index("ix_evidence_case", "firm_id", "case_id"),)

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"))
    case_id: Mapped[UUID] = mapped_column(ForeignKey("cases.id"))
    source: Mapped[str] = mapped_column(String(24))
    title: Mapped[str] = mapped_column(String(200))
    fields: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    text: Mapped[str] = mapped_column(Text, default="")
    received_at: Mapped[datetime] = mapped_column(default=utc_now)


class CaseNote(Keyed, Base):
    """What somebody wrote down about the case."""

    __tablename__ = "case_notes"
    __table_args__ = (Index("ix_case_notes_case", "firm_id", "case_id"),)

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"))
    case_id: Mapped[UUID] = mapped_column(ForeignKey("cases.id"))
    author_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    body: Mapped[str] = mapped_column(Text)
    via: Mapped[str] = mapped_column(String(20))
    at: Mapped[datetime] = mapped_column(default=utc_now)
