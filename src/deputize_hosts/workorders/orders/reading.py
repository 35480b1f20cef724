"""Finding orders: one's own, an admin's view of all, and the figures. Every function refuses the system."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from uuid import UUID

from sqlalchemy import ColumnElement, Select, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.workorders.caller import Caller, may, require
from deputize_hosts.workorders.errors import NotFound
from deputize_hosts.workorders.orders.fields import fold, tidy
from deputize_hosts.workorders.orders.models import OrderWords, TriageSuggestion, WorkOrder
from deputize_hosts.workorders.orders.status import OPEN, Priority, Status
from deputize_hosts.workorders.users.models import User

READ = "orders.read"
WRITE = "orders.write"
ADMIN = "orders.admin"
_RANK = case({priority.value: n for n, priority in enumerate(Priority)}, value=WorkOrder.priority, else_=0)


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a list is narrowed. `late_on` keeps open orders that were due before that day.

    Every word of `query` must stand in the order's number or text, or, with `by_owner`, in its owner's name.
    """

    status: frozenset[Status] = frozenset()
    priority: Priority | None = None
    number: int | None = None
    late_on: date | None = None
    query: str = ""
    owner: UUID | None = None
    by_owner: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """An order and whose it is."""

    order: WorkOrder
    owner: str


@dataclass(frozen=True, slots=True)
class Found:
    """One page of a list and how many there are in all."""

    items: tuple[Listed, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Metrics:
    """Figures of an organisation. `late` are open orders past their due date, `flagged` those on the attention list."""

    total: int
    by_status: dict[str, int] = field(default_factory=dict)
    open_by_priority: dict[str, int] = field(default_factory=dict)
    open_by_owner: dict[str, int] = field(default_factory=dict)
    late: int = 0
    flagged: int = 0


def _like(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _conditions(organisation: UUID, wanted: Wanted) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [WorkOrder.organisation_id == organisation]
    if wanted.status:
        found.append(WorkOrder.status.in_([status.value for status in sorted(wanted.status)]))
    if wanted.priority is not None:
        found.append(WorkOrder.priority == wanted.priority.value)
    if wanted.number is not None:
        found.append(WorkOrder.number == wanted.number)
    if wanted.late_on is not None:
        found += [WorkOrder.due_on < wanted.late_on, WorkOrder.status.in_(OPEN)]
    if wanted.owner is not None:
        found.append(WorkOrder.owner_id == wanted.owner)
    for word in filter(None, (word.lstrip("#") for word in fold(tidy(wanted.query)).split())):
        found.append(_holds(organisation, word, by_owner=wanted.by_owner))
    return found


def _holds(organisation: UUID, word: str, *, by_owner: bool) -> ColumnElement[bool]:
    like = _like(word)
    texts = select(OrderWords.order_id).where(
        OrderWords.organisation_id == organisation, OrderWords.folded.like(like, escape="\\")
    )
    if not by_owner:
        return WorkOrder.id.in_(texts)
    people = select(User.id).where(User.organisation_id == organisation, User.name.ilike(like, escape="\\"))
    return or_(WorkOrder.id.in_(texts), WorkOrder.owner_id.in_(people))


async def _page(session: AsyncSession, organisation: UUID, wanted: Wanted, page: int, size: int) -> Found:
    """Open ones first, the most pressing on top, then by due date, then the newest."""
    conditions = _conditions(organisation, wanted)
    total = await session.scalar(select(func.count()).select_from(WorkOrder).where(*conditions)) or 0
    closed = case((WorkOrder.status.in_(OPEN), 0), else_=1)
    query = (
        select(WorkOrder, User.name)
        .join(User, User.id == WorkOrder.owner_id)
        .where(*conditions)
        .order_by(
            closed, _RANK.desc(), WorkOrder.due_on.is_(None), WorkOrder.due_on, WorkOrder.number.desc(), WorkOrder.id
        )
        .offset((page - 1) * size)
        .limit(size)
    )
    return Found(tuple(Listed(order, owner) for order, owner in await session.execute(query)), total)


async def list_mine(
    session: AsyncSession, actor: Caller, wanted: Wanted = Wanted(), *, page: int = 1, size: int = 20
) -> Found:
    """The caller's own orders, whoever else they may see."""
    organisation = require(actor, READ)
    own = replace(wanted, owner=UUID(actor.id), by_owner=False)
    return await _page(session, organisation, own, page, size)


async def list_all(
    session: AsyncSession, actor: Caller, wanted: Wanted = Wanted(), *, page: int = 1, size: int = 20
) -> Found:
    """Everybody's orders; the query may name owners too. For admins."""
    return await _page(session, require(actor, ADMIN), replace(wanted, by_owner=True), page, size)


async def get(session: AsyncSession, actor: Caller, order_id: UUID) -> Listed:
    """One order: the caller's own, or any for admins. Raises NotFound, also for another organisation's."""
    organisation = require(actor, READ)
    query = (
        select(WorkOrder, User.name)
        .join(User, User.id == WorkOrder.owner_id)
        .where(WorkOrder.organisation_id == organisation, WorkOrder.id == order_id)
    )
    if not may(actor, ADMIN):
        query = query.where(WorkOrder.owner_id == UUID(actor.id))
    row = (await session.execute(query)).one_or_none()
    if row is None:
        raise NotFound(actor)
    return Listed(*row)


async def named(session: AsyncSession, actor: Caller, ids: Sequence[UUID]) -> tuple[WorkOrder, ...]:
    """The orders of those ids that the organisation has. For admins."""
    organisation = require(actor, ADMIN)
    return tuple(
        await session.scalars(select(WorkOrder).where(WorkOrder.organisation_id == organisation, WorkOrder.id.in_(ids)))
    )


async def metrics(session: AsyncSession, actor: Caller, today: date) -> Metrics:
    """Counts over all orders of the organisation. For admins."""
    organisation = require(actor, ADMIN)
    rows = await session.execute(
        select(WorkOrder.status, WorkOrder.priority, User.name, func.count())
        .join(User, User.id == WorkOrder.owner_id)
        .where(WorkOrder.organisation_id == organisation)
        .group_by(WorkOrder.status, WorkOrder.priority, User.name)
    )
    by_status: Counter[str] = Counter({status.value: 0 for status in Status})
    by_priority: Counter[str] = Counter({priority.value: 0 for priority in Priority})
    by_owner: Counter[str] = Counter()
    for status, priority, owner, count in rows:
        by_status[status] += count
        if status in OPEN:
            by_priority[priority] += count
            by_owner[owner] += count
    late = select(func.count()).select_from(WorkOrder).where(*_conditions(organisation, Wanted(late_on=today)))
    return Metrics(
        total=by_status.total(),
        by_status=dict(by_status),
        open_by_priority=dict(by_priority),
        open_by_owner=dict(by_owner.most_common()),
        late=await session.scalar(late) or 0,
        flagged=await session.scalar(select(func.count()).select_from(flagged_orders(organisation).subquery())) or 0,
    )


def flagged_orders(organisation: UUID) -> Select[TriageSuggestion, WorkOrder, str]:
    """The attention list as a query: open orders whose newest suggestion is flagged and not dealt with."""
    newest = (
        select(TriageSuggestion.id)
        .where(TriageSuggestion.work_order_id == WorkOrder.id)
        .order_by(TriageSuggestion.created_at.desc(), TriageSuggestion.id.desc())
        .limit(1)
        .correlate(WorkOrder)
        .scalar_subquery()
    )
    return (
        select(TriageSuggestion, WorkOrder, User.name)
        .join(WorkOrder, WorkOrder.id == TriageSuggestion.work_order_id)
        .join(User, User.id == WorkOrder.owner_id)
        .where(
            WorkOrder.organisation_id == organisation,
            WorkOrder.status.in_(OPEN),
            TriageSuggestion.flag_for_dispatcher.is_(True),
            TriageSuggestion.decided_at.is_(None),
            TriageSuggestion.id == newest,
        )
    )
