"""Recording payments, giving money back, and applying what stands on account, with every rule that holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.billing.models import Invoice
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.clock import today
from deputize_hosts.clinic.documents import clinic_of, patient_of, said
from deputize_hosts.clinic.errors import InvalidValue, NotFound
from deputize_hosts.clinic.money import MOST, decimal_of, shown_money
from deputize_hosts.clinic.money_errors import TooMuch
from deputize_hosts.clinic.patient_timeline.service import Area, record
from deputize_hosts.clinic.patients.fields import tidy
from deputize_hosts.clinic.payments.balances import left_of_allocations, paid_of_budgets, paid_of_invoices
from deputize_hosts.clinic.payments.models import Allocation, Method, Payment, Refund, RefundShare
from deputize_hosts.clinic.payments.payable import check_budgets, lock_invoices, payable_invoices, settle

WRITE = "payments.record.write"


@dataclass(frozen=True, slots=True)
class Share:
    """Minor units for an invoice or for a quote."""

    amount: int
    invoice_id: UUID | None = None
    budget_id: UUID | None = None


def too_much(actor: Caller, most: int, currency: str = "EUR") -> TooMuch:
    """The refusal with the most that is possible."""
    return TooMuch(
        actor,
        alternatives={"most": str(decimal_of(most))},
        most_es=shown_money(most, "es", currency),
        most_en=shown_money(most, "en", currency),
    )


async def pay(
    session: AsyncSession,
    actor: Caller,
    patient_id: UUID,
    amount: int,
    method: Method,
    *,
    now: datetime,
    paid_on: date | None = None,
    reference: str = "",
    shares: Sequence[Share] = (),
) -> Payment:
    """Record money received. What the shares leave over stands on account, so that allocations sum to the amount.

    Raises NotFound (also for another patient's invoice or quote), InvalidValue, NotPayable, TooMuch.
    """
    clinic = require(actor, WRITE)
    patient = await patient_of(session, actor, clinic, patient_id, archived=True)
    on = paid_on or today(actor, now)
    if not 0 < amount <= MOST:
        raise InvalidValue(actor, "amount", "tiene que ser mayor que cero", "has to be more than zero")
    if on > today(actor, now):
        raise InvalidValue(actor, "paid_on", "no puede ser un día futuro", "cannot be a day to come")
    wanted = _merged(actor, shares)
    if sum(wanted.values()) > amount:
        raise InvalidValue(actor, "allocations", "suman más que el cobro", "sum to more than the payment")
    invoices = await payable_invoices(session, actor, clinic, patient_id, [i for i, _ in wanted if i])
    await check_budgets(session, actor, clinic, patient_id, [b for _, b in wanted if b])
    await _check_room(session, actor, clinic, invoices, wanted)
    payment = Payment(
        clinic_id=clinic,
        patient_id=patient.id,
        amount=amount,
        currency=(await clinic_of(session, clinic)).currency,
        method=method.value,
        paid_on=on,
        reference=tidy(reference)[:80],
    )
    session.add(payment)
    await session.flush()
    rest = amount - sum(wanted.values())
    parts = [*wanted.items(), *([((None, None), rest)] if rest else [])]
    session.add_all(
        Allocation(clinic_id=clinic, payment_id=payment.id, invoice_id=invoice, budget_id=budget, amount=part)
        for (invoice, budget), part in parts
    )
    await session.flush()
    await settle(session, invoices.values())
    shown = shown_money(amount, "es", payment.currency).replace("\u00a0", " ")
    record(session, clinic, patient.id, Area.PAYMENT, "payment_recorded", payment.id, shown)
    await session.flush()
    return payment


def _merged(actor: Caller, shares: Sequence[Share]) -> dict[tuple[UUID | None, UUID | None], int]:
    wanted: dict[tuple[UUID | None, UUID | None], int] = {}
    for share in shares:
        if (share.invoice_id is None) == (share.budget_id is None):
            raise InvalidValue(actor, "allocations", "cada una, a una sola cosa", "each is for one thing")
        if share.amount <= 0:
            raise InvalidValue(actor, "allocations", "mayores que cero", "more than zero each")
        key = (share.invoice_id, share.budget_id)
        wanted[key] = wanted.get(key, 0) + share.amount
    return wanted


async def _check_room(
    session: AsyncSession,
    actor: Caller,
    clinic: UUID,
    invoices: Mapping[UUID, Invoice],
    wanted: Mapping[tuple[UUID | None, UUID | None], int],
) -> None:
    """No invoice and no quote is paid beyond its total. Raises TooMuch."""
    paid = await paid_of_invoices(session, list(invoices))
    budgets = [budget for _, budget in wanted if budget]
    advance = await paid_of_budgets(session, budgets)
    totals = await check_budgets(session, actor, clinic, None, budgets)
    for (invoice, budget), part in wanted.items():
        if invoice is not None and part > (room := invoices[invoice].total - paid[invoice]):
            raise too_much(actor, room, invoices[invoice].currency)
        if budget is not None and part > (room := totals[budget] - advance[budget]):
            raise too_much(actor, room)


async def refund(
    session: AsyncSession, actor: Caller, payment_id: UUID, amount: int, reason: str, *, now: datetime
) -> Refund:
    """Give money back out of a payment: first what stands on account, then quotes, then invoices.

    Invoices that were paid with it owe it again. Raises NotFound, InvalidValue, TooMuch.
    """
    clinic = require(actor, WRITE)
    payment = await _locked(session, actor, clinic, payment_id)
    why = tidy(reason)[:300]
    if not why:
        raise InvalidValue(actor, "reason", "hace falta", "is needed")
    if amount <= 0:
        raise InvalidValue(actor, "amount", "tiene que ser mayor que cero", "has to be more than zero")
    allocations = await allocations_of(session, payment.id)
    invoices = await lock_invoices(session, [one.invoice_id for one in allocations if one.invoice_id])
    left = await left_of_allocations(session, allocations)
    if amount > sum(left.values()):
        raise too_much(actor, sum(left.values()), payment.currency)
    made = Refund(clinic_id=clinic, payment_id=payment.id, amount=amount, refunded_on=today(actor, now), reason=why)
    session.add(made)
    await session.flush()
    rest = amount
    for one in sorted(allocations, key=lambda a: (a.invoice_id is not None, a.budget_id is not None, str(a.id))):
        part = min(rest, left[one.id])
        if part:
            session.add(RefundShare(clinic_id=clinic, refund_id=made.id, allocation_id=one.id, amount=part))
            rest -= part
    await session.flush()
    await settle(session, invoices.values())
    shown = shown_money(amount, "es", payment.currency).replace("\u00a0", " ")
    record(session, clinic, payment.patient_id, Area.PAYMENT, "payment_refunded", payment.id, shown)
    await session.flush()
    return made


async def apply_credit(session: AsyncSession, actor: Caller, invoice_id: UUID) -> int:
    """Pay an open invoice with what its patient has on account or paid in advance for its quote.

    Returns the minor units applied. Raises NotFound, NotPayable, TooMuch where there is no credit.
    """
    clinic = require(actor, WRITE)
    query = select(Invoice.patient_id).where(Invoice.id == invoice_id, Invoice.clinic_id == clinic)
    patient_id = await session.scalar(query)
    if patient_id is None:
        raise NotFound(actor, what=said(actor, "factura", "invoice"))
    credit = await credits_of(session, clinic, patient_id, lock=True)
    invoice = (await payable_invoices(session, actor, clinic, patient_id, [invoice_id]))[invoice_id]
    usable = [one for one in credit if one.budget_id is None or one.budget_id == invoice.budget_id]
    usable.sort(key=lambda one: (one.budget_id is None, str(one.id)))
    left = await left_of_allocations(session, usable)
    room = invoice.total - (await paid_of_invoices(session, [invoice.id]))[invoice.id]
    applied = 0
    for one in usable:
        part = min(room - applied, left[one.id])
        if part <= 0:
            continue
        if part == one.amount:
            one.invoice_id, one.budget_id = invoice.id, None
        else:
            one.amount -= part
            session.add(Allocation(clinic_id=clinic, payment_id=one.payment_id, invoice_id=invoice.id, amount=part))
        applied += part
    if not applied:
        raise too_much(actor, 0, invoice.currency)
    await session.flush()
    await settle(session, [invoice])
    return applied


async def credits_of(session: AsyncSession, clinic: UUID, patient_id: UUID, *, lock: bool = False) -> list[Allocation]:
    """Allocations of a patient's payments that pay no invoice; their payments locked if asked."""
    own = select(Payment.id).where(Payment.clinic_id == clinic, Payment.patient_id == patient_id).order_by(Payment.id)
    payments = list(await session.scalars(own.with_for_update() if lock else own))
    query = select(Allocation).where(Allocation.payment_id.in_(payments), Allocation.invoice_id.is_(None))
    rows = await session.scalars(query.execution_options(populate_existing=True))
    return list(rows)


async def allocations_of(session: AsyncSession, payment_id: UUID) -> tuple[Allocation, ...]:
    """The parts of a payment."""
    query = select(Allocation).where(Allocation.payment_id == payment_id).order_by(Allocation.id)
    return tuple(await session.scalars(query.execution_options(populate_existing=True)))


async def _locked(session: AsyncSession, actor: Caller, clinic: UUID, payment_id: UUID) -> Payment:
    query = select(Payment).where(Payment.id == payment_id, Payment.clinic_id == clinic)
    payment = await session.scalar(query.with_for_update().execution_options(populate_existing=True))
    if payment is None:
        raise NotFound(actor, what=said(actor, "cobro", "payment"))
    return payment


async def credit_for(session: AsyncSession, actor: Caller, invoice_id: UUID) -> int:
    """What an invoice's patient has on account or paid in advance for its quote, in minor units. Raises NotFound."""
    clinic = require(actor, "payments.record.read")
    query = select(Invoice).where(Invoice.id == invoice_id, Invoice.clinic_id == clinic)
    invoice = await session.scalar(query)
    if invoice is None:
        raise NotFound(actor, what=said(actor, "factura", "invoice"))
    credit = await credits_of(session, clinic, invoice.patient_id)
    usable = [one for one in credit if one.budget_id is None or one.budget_id == invoice.budget_id]
    return sum((await left_of_allocations(session, usable)).values())
