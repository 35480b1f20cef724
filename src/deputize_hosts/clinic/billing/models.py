"""Rows of invoices and their lines."""

from datetime import date
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.clinic.billing.status import Status
from deputize_hosts.clinic.lines import PricedLine, Totalled, line_checks
from deputize_hosts.clinic.rows import Base, Keyed, Stamped


class Invoice(Keyed, Stamped, Totalled, Base):
    """An invoice. Series, number and dates come with the issue; what is paid is derived from allocations."""

    __tablename__ = "invoices"
    __table_args__ = (
        UniqueConstraint("clinic_id", "series", "number"),
        CheckConstraint("total = net + vat", name="sum"),
        CheckConstraint(
            "(status IN ('draft', 'voided')) = (number IS NULL AND series IS NULL AND issued_on IS NULL)",
            name="numbered",
        ),
        Index("ix_invoices_patient", "clinic_id", "patient_id"),
        Index("ix_invoices_issued", "clinic_id", "issued_on"),
    )

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    patient_id: Mapped[UUID] = mapped_column(ForeignKey("patients.id"))
    professional_id: Mapped[UUID | None] = mapped_column(ForeignKey("memberships.id"))
    budget_id: Mapped[UUID | None] = mapped_column(ForeignKey("budgets.id"))
    series: Mapped[str | None] = mapped_column(String(12))
    number: Mapped[int | None]
    status: Mapped[str] = mapped_column(String(12), default=Status.DRAFT)
    issued_on: Mapped[date | None]
    due_on: Mapped[date | None]

    @property
    def code(self) -> str:
        """`F2026-0012`; nothing before the issue."""
        return f"{self.series}-{self.number:04d}" if self.number else ""


class InvoiceItem(Keyed, PricedLine, Base):
    """One line of an invoice."""

    __tablename__ = "invoice_items"
    __table_args__ = (*line_checks(), UniqueConstraint("invoice_id", "position"))

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    invoice_id: Mapped[UUID] = mapped_column(ForeignKey("invoices.id", ondelete="CASCADE"), index=True)
