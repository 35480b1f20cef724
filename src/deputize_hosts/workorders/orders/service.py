"""Creating, changing and deleting orders: owner or admin, at the version they read; and the one write of triage.

Reading stands in `reading`; what tools need of it is handed on here, so that they know one module.
"""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize import enqueue
from deputize_hosts.workorders.caller import Caller, may, require, require_triage
from deputize_hosts.workorders.clock import today
from deputize_hosts.workorders.errors import (
    IllegalMove,
    InvalidValue,
    NotFound,
    OrderClosed,
    StaleVersion,
)
from deputize_hosts.workorders.orders.fields import (
    DESCRIPTION,
    TITLE,
    OrderChange,
    OrderData,
    description_of,
    folded,
    title_of,
)
from deputize_hosts.workorders.orders.models import OrderCounter, OrderWords, WorkOrder
from deputize_hosts.workorders.orders.reading import ADMIN, WRITE, Wanted, get, list_all, list_mine, metrics
from deputize_hosts.workorders.orders.status import MOVES, OPEN, STATUS_NAMES, Priority, Status, said_moves
from deputize_hosts.workorders.users.models import User

CREATED = "work_order.created"
"""The event that triage waits for."""


async def create(
    session: AsyncSession, actor: Caller, data: OrderData, *, owner: UUID | None = None, now: datetime | None = None
) -> WorkOrder:
    """A new pending order, the caller's own unless an admin names another owner.

    Triage is told in the same transaction, unless the owner has opted out (SEC-8). Raises InvalidValue, NotFound.
    """
    organisation = require(actor, WRITE)
    if owner is not None and str(owner) != actor.id:
        require(actor, ADMIN)
    title, description = title_of(actor, data.title), description_of(actor, data.description)
    holder = await _owner(session, actor, organisation, owner or UUID(actor.id))
    order = WorkOrder(
        organisation_id=organisation,
        number=await _next_number(session, organisation),
        title=title,
        description=description,
        priority=data.priority.value,
        status=Status.PENDING.value,
        owner_id=holder.id,
        due_on=data.due_on,
        version=1,
    )
    if now is not None:
        order.created_at = order.updated_at = now
    session.add(order)
    await session.flush()
    await _keep_words(session, order)
    if holder.ai_enabled:
        enqueue(session, CREATED, subject=order.id, tenant=actor.tenant)
    return order


async def update(session: AsyncSession, actor: Caller, order_id: UUID, version: int, change: OrderChange) -> WorkOrder:
    """Change what differs, at the version that was read. Raises NotFound, StaleVersion, InvalidValue, IllegalMove."""
    order = await _locked(session, actor, order_id, version)
    before = _values(order)
    if change.title is not None:
        order.title = title_of(actor, change.title)
    if change.description is not None:
        order.description = description_of(actor, change.description)
    if change.priority is not None:
        order.priority = change.priority.value
    if change.clear_due:
        order.due_on = None
    elif change.due_on is not None:
        order.due_on = change.due_on
    if change.status is not None and change.status != order.status:
        _move(actor, order, change.status)
    if _values(order) != before:
        order.version += 1
        await session.flush()
        await _keep_words(session, order)
    return order


async def delete(session: AsyncSession, actor: Caller, order_id: UUID, version: int) -> WorkOrder:
    """Remove an order and what was suggested about it. Raises NotFound, StaleVersion."""
    order = await _locked(session, actor, order_id, version)
    await session.delete(order)
    await session.flush()
    return order


async def triage_patch(
    session: AsyncSession, actor: Caller, order_id: UUID, priority: Priority, version: int
) -> WorkOrder:
    """The one write that the triage capability reaches: the priority of an open order, nothing else (SEC-6).

    Raises NotAllowed for people, NotFound, StaleVersion, OrderClosed.
    """
    organisation = require_triage(actor)
    order = await _one(session, actor, organisation, order_id, None)
    if order.version != version:
        raise StaleVersion(actor, number=order.number, alternatives={"version": order.version})
    if order.status not in OPEN:
        raise OrderClosed(actor, number=order.number)
    if order.priority != priority.value:
        order.priority = priority.value
        order.version += 1
        await session.flush()
    return order


async def _locked(session: AsyncSession, actor: Caller, order_id: UUID, version: int) -> WorkOrder:
    organisation = require(actor, WRITE)
    order = await _one(session, actor, organisation, order_id, None if may(actor, ADMIN) else UUID(actor.id))
    if order.version != version:
        raise StaleVersion(actor, number=order.number, alternatives={"version": order.version})
    return order


async def _one(
    session: AsyncSession, actor: Caller, organisation: UUID, order_id: UUID, owner: UUID | None
) -> WorkOrder:
    """The order as it is now, locked until the transaction ends."""
    query = select(WorkOrder).where(WorkOrder.organisation_id == organisation, WorkOrder.id == order_id)
    if owner is not None:
        query = query.where(WorkOrder.owner_id == owner)
    order = await session.scalar(query.with_for_update().execution_options(populate_existing=True))
    if order is None:
        raise NotFound(actor)
    return order


async def _owner(session: AsyncSession, actor: Caller, organisation: UUID, owner: UUID) -> User:
    user = await session.scalar(
        select(User).where(User.organisation_id == organisation, User.id == owner, User.active.is_(True))
    )
    if user is None:
        raise InvalidValue(actor, "owner", "nobody here by that id", "aquí no hay nadie con ese identificador")
    return user


async def _next_number(session: AsyncSession, organisation: UUID) -> int:
    counter = await session.scalar(
        select(OrderCounter)
        .where(OrderCounter.organisation_id == organisation)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    if counter is None:
        counter = OrderCounter(organisation_id=organisation, last=1000)
        session.add(counter)
    counter.last += 1
    await session.flush()
    return counter.last


def _values(order: WorkOrder) -> tuple[object, ...]:
    return order.title, order.description, order.priority, order.status, order.due_on


def _move(actor: Caller, order: WorkOrder, after: Status) -> None:
    before = Status(order.status)
    if after not in MOVES[before]:
        raise IllegalMove(
            actor,
            alternatives={"allowed": [move.value for move in MOVES[before]]},
            **{f"before_{lang}": STATUS_NAMES[before][lang].lower() for lang in ("en", "es")},
            **{f"after_{lang}": STATUS_NAMES[after][lang].lower() for lang in ("en", "es")},
            **{f"allowed_{lang}": said_moves(before, lang) for lang in ("en", "es")},
        )
    order.status = after.value


async def _keep_words(session: AsyncSession, order: WorkOrder) -> None:
    words = await session.get(OrderWords, order.id)
    if words is None:
        words = OrderWords(order_id=order.id, organisation_id=order.organisation_id)
        session.add(words)
    words.folded = folded(order.number, order.title, order.description)
    await session.flush()


__all__ = [
    "CREATED",
    "DESCRIPTION",
    "OPEN",
    "TITLE",
    "OrderChange",
    "OrderData",
    "Priority",
    "Status",
    "Wanted",
    "create",
    "delete",
    "get",
    "list_all",
    "list_mine",
    "metrics",
    "today",
    "triage_patch",
    "update",
]
