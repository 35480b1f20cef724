"""Rows of quotes and their lines."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.clinic.budget.status import Status
from deputize_hosts.clinic.lines import PricedLine, Totalled, line_checks
from deputize_hosts.clinic.rows import Base, Keyed, Stamped


class Budget(Keyed, Stamped, Totalled, Base):
    """A quote. Its number counts within the year; later versions keep it. `valid_until` is its last day."""

    __tablename__ = "budgets"
    __table_args__ = (
        UniqueConstraint("clinic_id", "year", "number", "version"),
        CheckConstraint("valid_until >= valid_from", name="validity"),
        CheckConstraint("total = net + vat", name="sum"),
        Index("ix_budgets_patient", "clinic_id", "patient_id"),
    )

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    patient_id: Mapped[UUID] = mapped_column(ForeignKey("patients.id"))
    professional_id: Mapped[UUID | None] = mapped_column(ForeignKey("memberships.id"))
    year: Mapped[int]
    number: Mapped[int]
    version: Mapped[int] = mapped_column(default=1)
    status: Mapped[str] = mapped_column(String(12), default=Status.DRAFT)
    valid_from: Mapped[date]
    valid_until: Mapped[date]
    sent_at: Mapped[datetime | None]

    @property
    def code(self) -> str:
        """`P2026-0007`, with `v2` from the second version on."""
        tail = f" v{self.version}" if self.version > 1 else ""
        return f"P{self.year}-{self.number:04d}{tail}"


class BudgetItem(Keyed, PricedLine, Base):
    """One line of a quote."""

    __tablename__ = "budget_items"
    __table_args__ = (*line_checks(), UniqueConstraint("budget_id", "position"))

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    budget_id: Mapped[UUID] = mapped_column(ForeignKey("budgets.id", ondelete="CASCADE"), index=True)
