"""What triage suggested, for people: beside one order, as the attention list, accepted or dismissed by a person."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.workorders.caller import Caller, require
from deputize_hosts.workorders.errors import AlreadyDecided, NotFound
from deputize_hosts.workorders.orders import reading, service
from deputize_hosts.workorders.orders.fields import OrderChange
from deputize_hosts.workorders.orders.models import TriageSuggestion, WorkOrder
from deputize_hosts.workorders.orders.reading import ADMIN, READ, WRITE, flagged_orders
from deputize_hosts.workorders.orders.status import Priority
from deputize_hosts.workorders.users.models import User


@dataclass(frozen=True, slots=True)
class Attention:
    """One line of the attention list."""

    suggestion: TriageSuggestion
    order: WorkOrder
    owner: str


async def of_order(session: AsyncSession, actor: Caller, order_id: UUID) -> TriageSuggestion | None:
    """The newest suggestion about an order that the caller may read. Raises NotFound."""
    require(actor, READ)
    await reading.get(session, actor, order_id)
    found: TriageSuggestion | None = await session.scalar(
        select(TriageSuggestion)
        .where(TriageSuggestion.work_order_id == order_id)
        .order_by(TriageSuggestion.created_at.desc(), TriageSuggestion.id.desc())
        .limit(1)
    )
    return found


async def opted_out(session: AsyncSession, actor: Caller, order_id: UUID) -> bool:
    """Whether the order's owner keeps assistant and agents away (SEC-8). Raises NotFound."""
    require(actor, READ)
    listed = await reading.get(session, actor, order_id)
    return not await session.scalar(select(User.ai_enabled).where(User.id == listed.order.owner_id))


async def attention(session: AsyncSession, actor: Caller, *, size: int = 100) -> tuple[Attention, ...]:
    """Open orders that triage flagged and nobody has dealt with, the most recent first. For admins."""
    query = flagged_orders(require(actor, ADMIN)).order_by(TriageSuggestion.created_at.desc(), TriageSuggestion.id)
    rows = await session.execute(query.limit(size))
    return tuple(Attention(suggestion, order, owner) for suggestion, order, owner in rows)


async def accept(
    session: AsyncSession, actor: Caller, order_id: UUID, suggestion_id: UUID, version: int, now: datetime
) -> WorkOrder:
    """Set the suggested priority as the person who clicked. Raises NotFound, StaleVersion, AlreadyDecided."""
    require(actor, WRITE)
    suggestion = await _undecided(session, actor, order_id, suggestion_id)
    order = await service.update(
        session, actor, order_id, version, OrderChange(priority=Priority(suggestion.suggested_priority))
    )
    suggestion.applied, suggestion.decided_by, suggestion.decided_at = True, UUID(actor.id), now
    await session.flush()
    return order


async def dismiss(
    session: AsyncSession, actor: Caller, order_id: UUID, suggestion_id: UUID, now: datetime
) -> TriageSuggestion:
    """Put the suggestion aside; the order stays as it is. Raises NotFound, AlreadyDecided."""
    require(actor, WRITE)
    suggestion = await _undecided(session, actor, order_id, suggestion_id)
    suggestion.decided_by, suggestion.decided_at = UUID(actor.id), now
    await session.flush()
    return suggestion


async def _undecided(session: AsyncSession, actor: Caller, order_id: UUID, suggestion_id: UUID) -> TriageSuggestion:
    """The suggestion, locked, about an order that the caller may read."""
    listed = await reading.get(session, actor, order_id)
    suggestion = await session.scalar(
        select(TriageSuggestion)
        .where(TriageSuggestion.id == suggestion_id, TriageSuggestion.work_order_id == listed.order.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    if suggestion is None:
        raise NotFound(actor)
    if suggestion.decided_at is not None:
        raise AlreadyDecided(actor)
    return suggestion
