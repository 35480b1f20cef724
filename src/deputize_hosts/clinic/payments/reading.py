"""Looking at payments: the list, one with its parts, and a patient's ledger."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.billing.models import Invoice
from deputize_hosts.clinic.billing.status import STANDING
from deputize_hosts.clinic.budget.models import Budget
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.documents import said
from deputize_hosts.clinic.errors import NotFound
from deputize_hosts.clinic.patients.models import Patient
from deputize_hosts.clinic.payments.balances import left_of_allocations
from deputize_hosts.clinic.payments.models import Allocation, Payment, Refund

READ = "payments.record.read"


@dataclass(frozen=True, slots=True)
class Part:
    """One allocation with what refunds left of it; `code` names the invoice or quote, empty on account."""

    allocation: Allocation
    left: int
    code: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """A payment with its patient, what was given back of it, and its parts where they were asked for."""

    payment: Payment
    patient: Patient
    refunded: int
    parts: Sequence[Part] = ()
    refunds: Sequence[Refund] = ()


@dataclass(frozen=True, slots=True)
class Receipts:
    """One page of a list and how many there are in all."""

    items: tuple[Receipt, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Ledger:
    """A patient's account, in minor units: `paid` is net of refunds and equals the three that follow it."""

    paid: int
    on_invoices: int
    on_budgets: int
    on_account: int
    invoiced: int

    @property
    def balance(self) -> int:
        """What is still owed on standing invoices."""
        return self.invoiced - self.on_invoices


async def search(
    session: AsyncSession,
    actor: Caller,
    *,
    patient_id: UUID | None = None,
    first: date | None = None,
    last: date | None = None,
    page: int = 1,
    size: int = 20,
) -> Receipts:
    """Payments, the newest first."""
    wanted = [Payment.clinic_id == require(actor, READ)]
    if patient_id is not None:
        wanted.append(Payment.patient_id == patient_id)
    if first is not None:
        wanted.append(Payment.paid_on >= first)
    if last is not None:
        wanted.append(Payment.paid_on <= last)
    total = await session.scalar(select(func.count()).select_from(Payment).where(*wanted)) or 0
    found = await session.execute(
        select(Payment, Patient)
        .join(Patient, Patient.id == Payment.patient_id)
        .where(*wanted)
        .order_by(Payment.paid_on.desc(), Payment.created_at.desc(), Payment.id)
        .offset((page - 1) * size)
        .limit(size)
    )
    rows = found.all()
    back = await session.execute(
        select(Refund.payment_id, func.sum(Refund.amount))
        .where(Refund.payment_id.in_([payment.id for payment, _ in rows]))
        .group_by(Refund.payment_id)
    )
    refunded = {own: int(amount) for own, amount in back}
    return Receipts(tuple(Receipt(pay, who, refunded.get(pay.id, 0)) for pay, who in rows), total)


async def get(session: AsyncSession, actor: Caller, payment_id: UUID) -> Receipt:
    """One payment with its parts and refunds. Raises NotFound, also for another clinic's."""
    clinic = require(actor, READ)
    query = select(Payment, Patient).join(Patient, Patient.id == Payment.patient_id)
    row = (await session.execute(query.where(Payment.id == payment_id, Payment.clinic_id == clinic))).one_or_none()
    if row is None:
        raise NotFound(actor, what=said(actor, "cobro", "payment"))
    parts = await session.execute(
        select(Allocation, Invoice, Budget)
        .outerjoin(Invoice, Invoice.id == Allocation.invoice_id)
        .outerjoin(Budget, Budget.id == Allocation.budget_id)
        .where(Allocation.payment_id == payment_id)
        .order_by(Allocation.invoice_id, Allocation.id)
    )
    rows = parts.all()
    left = await left_of_allocations(session, [allocation for allocation, _, _ in rows])
    refunds = tuple(
        await session.scalars(
            select(Refund).where(Refund.payment_id == payment_id).order_by(Refund.created_at, Refund.id)
        )
    )
    made = tuple(
        Part(allocation, left[allocation.id], invoice.code if invoice else budget.code if budget else "")
        for allocation, invoice, budget in rows
    )
    return Receipt(row[0], row[1], sum(one.amount for one in refunds), made, refunds)


async def ledger(session: AsyncSession, actor: Caller, patient_id: UUID) -> Ledger:
    """A patient's account; it needs the permissions of collections and of invoices. Raises NotFound."""
    clinic = require(actor, READ, "billing.read")
    if await session.scalar(select(Patient.id).where(Patient.id == patient_id, Patient.clinic_id == clinic)) is None:
        raise NotFound(actor, what=said(actor, "paciente", "patient"))
    query = select(Allocation).join(Payment, Payment.id == Allocation.payment_id)
    rows = list(await session.scalars(query.where(Payment.clinic_id == clinic, Payment.patient_id == patient_id)))
    left = await left_of_allocations(session, rows)
    on_invoices = sum(left[one.id] for one in rows if one.invoice_id)
    on_budgets = sum(left[one.id] for one in rows if one.budget_id)
    invoiced = await session.scalar(
        select(func.sum(Invoice.total)).where(
            Invoice.clinic_id == clinic,
            Invoice.patient_id == patient_id,
            Invoice.status.in_([status.value for status in STANDING]),
        )
    )
    paid = sum(left.values())
    return Ledger(paid, on_invoices, on_budgets, paid - on_invoices - on_budgets, int(invoiced or 0))
