"""Looking at invoices: the list, one with its lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.billing.models import Invoice, InvoiceItem
from deputize_hosts.clinic.billing.status import OPEN
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.documents import said
from deputize_hosts.clinic.errors import NotFound
from deputize_hosts.clinic.patients.models import Patient
from deputize_hosts.clinic.payments.balances import paid_of_invoices

READ = "billing.read"


@dataclass(frozen=True, slots=True)
class Bill:
    """An invoice with its patient and what was paid of it, and its lines where they were asked for."""

    invoice: Invoice
    patient: Patient
    paid: int
    items: Sequence[InvoiceItem] = ()

    @property
    def balance(self) -> int:
        """Minor units that are still owed; 0 for drafts and cancelled ones."""
        return self.invoice.total - self.paid if self.invoice.status in {s.value for s in OPEN} else 0

    def overdue(self, on: date) -> bool:
        """Something is owed and its day has passed."""
        return self.balance > 0 and self.invoice.due_on is not None and self.invoice.due_on < on


@dataclass(frozen=True, slots=True)
class Bills:
    """One page of a list and how many there are in all."""

    items: tuple[Bill, ...]
    total: int


async def search(
    session: AsyncSession,
    actor: Caller,
    *,
    status: str = "",
    patient_id: UUID | None = None,
    overdue_on: date | None = None,
    page: int = 1,
    size: int = 20,
) -> Bills:
    """Invoices, drafts first, then the newest; with `overdue_on` only open ones that were due before that day.

    `status` is one of the states, or `open` for whatever is still owed.
    """
    wanted = [Invoice.clinic_id == require(actor, READ)]
    if status == "open" or overdue_on is not None:
        wanted.append(Invoice.status.in_([one.value for one in OPEN]))
    elif status:
        wanted.append(Invoice.status == status)
    if patient_id is not None:
        wanted.append(Invoice.patient_id == patient_id)
    if overdue_on is not None:
        wanted.append(Invoice.due_on < overdue_on)
    total = await session.scalar(select(func.count()).select_from(Invoice).where(*wanted)) or 0
    found = await session.execute(
        select(Invoice, Patient)
        .join(Patient, Patient.id == Invoice.patient_id)
        .where(*wanted)
        .order_by(Invoice.number.is_not(None), Invoice.issued_on.desc(), Invoice.number.desc(), Invoice.id)
        .offset((page - 1) * size)
        .limit(size)
    )
    rows = found.all()
    paid = await paid_of_invoices(session, [invoice.id for invoice, _ in rows])
    return Bills(tuple(Bill(invoice, patient, paid[invoice.id]) for invoice, patient in rows), total)


async def get(session: AsyncSession, actor: Caller, invoice_id: UUID) -> Bill:
    """One invoice with its lines. Raises NotFound, also for another clinic's."""
    clinic = require(actor, READ)
    query = select(Invoice, Patient).join(Patient, Patient.id == Invoice.patient_id)
    row = (await session.execute(query.where(Invoice.id == invoice_id, Invoice.clinic_id == clinic))).one_or_none()
    if row is None:
        raise NotFound(actor, what=said(actor, "factura", "invoice"))
    paid = await paid_of_invoices(session, [invoice_id])
    return Bill(row[0], row[1], paid[invoice_id], await lines_of(session, invoice_id))


async def lines_of(session: AsyncSession, invoice_id: UUID) -> tuple[InvoiceItem, ...]:
    """The lines in order."""
    query = select(InvoiceItem).where(InvoiceItem.invoice_id == invoice_id).order_by(InvoiceItem.position)
    return tuple(await session.scalars(query))
