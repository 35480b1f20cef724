"""Figures of collections: what came in, how, through whom, and how old the debts are."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.auth.models import Membership
from deputize_hosts.clinic.billing.models import Invoice
from deputize_hosts.clinic.billing.status import OPEN
from deputize_hosts.clinic.budget.models import Budget
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.documents import clinic_of
from deputize_hosts.clinic.payments.balances import paid_of_invoices
from deputize_hosts.clinic.payments.models import Allocation, Method, Payment, Refund, RefundShare

READ = "payments.reports.read"
AGES = ("not_due", "1_30", "31_60", "61_90", "over_90")
"""Days past the due date."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A period's collections, in minor units; refunds count on the day they are made."""

    first: date
    last: date
    currency: str
    payments: int
    collected: int
    refunded: int
    on_invoices: int
    on_budgets: int
    on_account: int

    @property
    def net(self) -> int:
        """What stayed."""
        return self.collected - self.refunded


async def summary(session: AsyncSession, actor: Caller, first: date, last: date) -> Summary:
    """Collections of a period, both days included; the split is that of the payments as they are applied now."""
    clinic = require(actor, READ)
    paid = (Payment.clinic_id == clinic, Payment.paid_on >= first, Payment.paid_on <= last)
    count, collected = (await session.execute(select(func.count(), func.sum(Payment.amount)).where(*paid))).one()
    refunded = await session.scalar(
        select(func.sum(Refund.amount)).where(
            Refund.clinic_id == clinic, Refund.refunded_on >= first, Refund.refunded_on <= last
        )
    )
    parts = select(func.sum(Allocation.amount)).join(Payment, Payment.id == Allocation.payment_id).where(*paid)
    invoices = int(await session.scalar(parts.where(Allocation.invoice_id.is_not(None))) or 0)
    budgets = int(await session.scalar(parts.where(Allocation.budget_id.is_not(None))) or 0)
    whole = int(collected or 0)
    currency = (await clinic_of(session, clinic)).currency
    rest = whole - invoices - budgets
    return Summary(first, last, currency, count, whole, int(refunded or 0), invoices, budgets, rest)


async def by_method(session: AsyncSession, actor: Caller, first: date, last: date) -> Mapping[Method, tuple[int, int]]:
    """How many payments and how much by method, the largest first."""
    clinic = require(actor, READ)
    rows = await session.execute(
        select(Payment.method, func.count(), func.sum(Payment.amount))
        .where(Payment.clinic_id == clinic, Payment.paid_on >= first, Payment.paid_on <= last)
        .group_by(Payment.method)
        .order_by(func.sum(Payment.amount).desc(), Payment.method)
    )
    return {Method(method): (count, int(amount)) for method, count, amount in rows}


async def by_professional(session: AsyncSession, actor: Caller, first: date, last: date) -> Mapping[str, int]:
    """Collected by the professional of the invoice or quote that was paid, net; empty for the rest."""
    clinic = require(actor, READ)
    given = func.sum(RefundShare.amount)
    back = select(RefundShare.allocation_id, given.label("back")).group_by(RefundShare.allocation_id).subquery()
    who = func.coalesce(Invoice.professional_id, Budget.professional_id)
    amount = func.sum(Allocation.amount - func.coalesce(back.c.back, 0))
    rows = await session.execute(
        select(who, amount)
        .select_from(Allocation)
        .join(Payment, Payment.id == Allocation.payment_id)
        .outerjoin(Invoice, Invoice.id == Allocation.invoice_id)
        .outerjoin(Budget, Budget.id == Allocation.budget_id)
        .outerjoin(back, back.c.allocation_id == Allocation.id)
        .where(Payment.clinic_id == clinic, Payment.paid_on >= first, Payment.paid_on <= last)
        .group_by(who)
    )
    found: dict[UUID | None, int] = {own: int(total) for own, total in rows}
    people = await session.scalars(select(Membership).where(Membership.clinic_id == clinic))
    names = {person.id: person.name for person in people}
    ordered = sorted(found.items(), key=lambda pair: -pair[1])
    return {names.get(own, "") if own else "": total for own, total in ordered if total}


async def ageing(session: AsyncSession, actor: Caller, on: date) -> Mapping[str, tuple[int, int]]:
    """Open invoices and their balance by age."""
    clinic = require(actor, READ)
    query = select(Invoice).where(Invoice.clinic_id == clinic, Invoice.status.in_([status.value for status in OPEN]))
    rows = list(await session.scalars(query))
    paid = await paid_of_invoices(session, [row.id for row in rows])
    found = {age: (0, 0) for age in AGES}
    for row in rows:
        late = (on - (row.due_on or on)).days
        age = AGES[0] if late <= 0 else AGES[min(1 + (late - 1) // 30, 4)]
        count, amount = found[age]
        found[age] = (count + 1, amount + row.total - paid[row.id])
    return found
