"""Rows of payments, their allocations, and refunds."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.clinic.rows import Base, Keyed, Stamped


class Method(StrEnum):
    """How money came."""

    CASH = "cash"
    CARD = "card"
    BANK_TRANSFER = "bank_transfer"
    DIRECT_DEBIT = "direct_debit"
    INSURANCE = "insurance"
    OTHER = "other"


METHODS: Mapping[Method, Mapping[str, str]] = {
    Method.CASH: {"es": "Efectivo", "en": "Cash"},
    Method.CARD: {"es": "Tarjeta", "en": "Card"},
    Method.BANK_TRANSFER: {"es": "Transferencia", "en": "Bank transfer"},
    Method.DIRECT_DEBIT: {"es": "Domiciliación", "en": "Direct debit"},
    Method.INSURANCE: {"es": "Seguro", "en": "Insurance"},
    Method.OTHER: {"es": "Otro", "en": "Other"},
}


class Payment(Keyed, Stamped, Base):
    """Money received from a patient, in minor units; it never changes, refunds stand beside it."""

    __tablename__ = "payments"
    __table_args__ = (
        CheckConstraint("amount > 0", name="amount"),
        Index("ix_payments_patient", "clinic_id", "patient_id"),
        Index("ix_payments_day", "clinic_id", "paid_on"),
    )

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    patient_id: Mapped[UUID] = mapped_column(ForeignKey("patients.id"))
    amount: Mapped[int] = mapped_column(BigInteger)
    currency: Mapped[str] = mapped_column(String(3), default="EUR")
    method: Mapped[str] = mapped_column(String(16))
    paid_on: Mapped[date]
    reference: Mapped[str] = mapped_column(String(80), default="")


class Allocation(Keyed, Base):
    """A part of a payment: for an invoice, for a quote, or (neither) on account. They sum to the payment."""

    __tablename__ = "payment_allocations"
    __table_args__ = (
        CheckConstraint("amount > 0", name="amount"),
        CheckConstraint("invoice_id IS NULL OR budget_id IS NULL", name="one_purpose"),
    )

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    payment_id: Mapped[UUID] = mapped_column(ForeignKey("payments.id"), index=True)
    invoice_id: Mapped[UUID | None] = mapped_column(ForeignKey("invoices.id"), index=True)
    budget_id: Mapped[UUID | None] = mapped_column(ForeignKey("budgets.id"), index=True)
    amount: Mapped[int] = mapped_column(BigInteger)


class Refund(Keyed, Stamped, Base):
    """Money given back out of one payment."""

    __tablename__ = "payment_refunds"
    __table_args__ = (CheckConstraint("amount > 0", name="amount"),)

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    payment_id: Mapped[UUID] = mapped_column(ForeignKey("payments.id"), index=True)
    amount: Mapped[int] = mapped_column(BigInteger)
    refunded_on: Mapped[date]
    reason: Mapped[str] = mapped_column(String(300))


class RefundShare(Keyed, Base):
    """From which allocation a refund took how much; they sum to the refund and never exceed the allocation."""

    __tablename__ = "payment_refund_shares"
    __table_args__ = (CheckConstraint("amount > 0", name="amount"),)

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    refund_id: Mapped[UUID] = mapped_column(ForeignKey("payment_refunds.id"), index=True)
    allocation_id: Mapped[UUID] = mapped_column(ForeignKey("payment_allocations.id"), index=True)
    amount: Mapped[int] = mapped_column(BigInteger)
