"""What is asked of payments in one go: paying an invoice as far as it owes, a patient's history."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.documents import said
from deputize_hosts.clinic.errors import NotFound
from deputize_hosts.clinic.money import decimal_of, minor_of
from deputize_hosts.clinic.patients.models import Patient
from deputize_hosts.clinic.payments.balances import paid_of_invoices
from deputize_hosts.clinic.payments.figures import by_method, summary
from deputize_hosts.clinic.payments.models import Method
from deputize_hosts.clinic.payments.payable import payable_invoices
from deputize_hosts.clinic.payments.reading import READ, Receipt, Receipts, get, search
from deputize_hosts.clinic.payments.service import WRITE, Share, pay
from deputize_hosts.clinic.periods import currency_of, period


@dataclass(frozen=True, slots=True)
class Made:
    """A payment just recorded, and the minor units of it that stand on account."""

    receipt: Receipt
    on_account: int


async def pay_invoice(
    session: AsyncSession,
    actor: Caller,
    patient_id: UUID,
    amount: int,
    method: Method,
    *,
    now: datetime,
    paid_on: date | None = None,
    reference: str = "",
    invoice_id: UUID | None = None,
) -> Made:
    """Record a payment: for the invoice as far as it still owes, the rest on account.

    Raises what `pay` raises, NotPayable for an invoice that is not open.
    """
    clinic = require(actor, WRITE, READ)
    shares: list[Share] = []
    if invoice_id is not None:
        invoices = await payable_invoices(session, actor, clinic, patient_id, [invoice_id])
        owed = invoices[invoice_id].total - (await paid_of_invoices(session, [invoice_id]))[invoice_id]
        if min(amount, owed) > 0:
            shares.append(Share(min(amount, owed), invoice_id=invoice_id))
    made = await pay(
        session, actor, patient_id, amount, method, now=now, paid_on=paid_on, reference=reference, shares=shares
    )
    return Made(await get(session, actor, made.id), amount - sum(share.amount for share in shares))


async def of_patient(session: AsyncSession, actor: Caller, patient_id: UUID, *, page: int = 1) -> Receipts:
    """A patient's payments, ten a page. Raises NotFound, also for another clinic's patient."""
    clinic = require(actor, READ)
    if await session.scalar(select(Patient.id).where(Patient.id == patient_id, Patient.clinic_id == clinic)) is None:
        raise NotFound(actor, what=said(actor, "paciente", "patient"))
    return await search(session, actor, patient_id=patient_id, page=page, size=10)


__all__ = [
    "Made",
    "Method",
    "Receipt",
    "by_method",
    "currency_of",
    "decimal_of",
    "minor_of",
    "of_patient",
    "pay_invoice",
    "period",
    "summary",
]
