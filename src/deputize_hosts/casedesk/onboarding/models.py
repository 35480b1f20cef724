"""Rows of documents that a customer is asked to send."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.casedesk.rows import Base, Keyed, utc_now

DOCUMENTS = ("register_extract", "identity_document", "proof_of_address", "ownership_chart", "bank_letter")
"""What can be asked for; a fixed list, so that no request can say more to a customer than it should."""


class DocumentRequest(Keyed, Base):
    """One document asked for; `received_at` is empty until it came."""

    __tablename__ = "document_requests"
    __table_args__ = (Index("ix_document_requests_case", "firm_id", "case_id"),)

    firm_id: Mapped[UUID] = mapped_column(ForeignKey("firms.id"))
    case_id: Mapped[UUID] = mapped_column(ForeignKey("cases.id"))
    document: Mapped[str] = mapped_column(String(24))
    requested_at: Mapped[datetime] = mapped_column(default=utc_now)
    received_at: Mapped[datetime | None]
