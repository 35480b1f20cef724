"""What is paid, derived from allocations less refunds; nobody keeps a balance by hand."""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from deputize_hosts.clinic.payments.models import Allocation, RefundShare


async def _net(
    session: AsyncSession, key: InstrumentedAttribute[UUID | None], wanted: ColumnElement[bool]
) -> dict[UUID, int]:
    given = await session.execute(select(key, func.sum(Allocation.amount)).where(wanted).group_by(key))
    net = {own: int(amount) for own, amount in given if own is not None}
    back = await session.execute(
        select(key, func.sum(RefundShare.amount))
        .join(Allocation, Allocation.id == RefundShare.allocation_id)
        .where(wanted)
        .group_by(key)
    )
    for own, amount in back:
        if own is not None:
            net[own] -= int(amount)
    return net


async def paid_of_invoices(session: AsyncSession, invoices: Collection[UUID]) -> Mapping[UUID, int]:
    """Minor units paid by invoice, refunds taken off; 0 where nothing was."""
    net = await _net(session, Allocation.invoice_id, Allocation.invoice_id.in_(invoices)) if invoices else {}
    return {own: net.get(own, 0) for own in invoices}


async def paid_of_budgets(session: AsyncSession, budgets: Collection[UUID]) -> Mapping[UUID, int]:
    """Minor units paid in advance by quote, refunds taken off; 0 where nothing was."""
    net = await _net(session, Allocation.budget_id, Allocation.budget_id.in_(budgets)) if budgets else {}
    return {own: net.get(own, 0) for own in budgets}


async def left_of_allocations(session: AsyncSession, allocations: Collection[Allocation]) -> Mapping[UUID, int]:
    """What refunds have left of each allocation."""
    left = {one.id: one.amount for one in allocations}
    if left:
        rows = await session.execute(
            select(RefundShare.allocation_id, func.sum(RefundShare.amount))
            .where(RefundShare.allocation_id.in_(left))
            .group_by(RefundShare.allocation_id)
        )
        for own, amount in rows:
            left[own] -= int(amount)
    return left
