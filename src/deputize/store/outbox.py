"""The outbox's queries: what leaves the house and what automations wait for, written with the deed itself."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, and_, bindparam, case, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.clock import new_id
from deputize.core.digest import plain
from deputize.core.effect import Enqueued, Queued
from deputize.store.dialect import db_now, later, span, upsert_ignore
from deputize.store.leases import LeaseLost as LeaseLost
from deputize.store.session import Tx
from deputize.store.tables import outbox, switches

EFFECT = "effect"
EVENT = "event"
LOST = "lease_lost"
_o = outbox.c


async def put(
    conn: AsyncConnection,
    tenant: str,
    queued: Sequence[Queued],
    events: Sequence[Enqueued],
    now: datetime,
    *,
    run_id: str | None = None,
    call_id: str | None = None,
    actor_id: str | None = None,
) -> None:
    """Write effects and events in the caller's transaction; one that is already there (by key) is left alone."""
    rows = [_row(tenant, EFFECT, item.channel, item.key, None, plain(item.payload), now) for item in queued]
    rows += [_row(tenant, EVENT, item.type, item.subject, item.subject, None, now) for item in events]
    for row in rows:
        row |= {"run_id": run_id, "call_id": call_id, "actor_id": actor_id}
    if rows:
        await conn.execute(upsert_ignore(outbox, rows, conn.dialect.name))


def _row(
    tenant: str, kind: str, type_: str, key: str, subject: str | None, payload: Any, now: datetime
) -> dict[str, Any]:
    return {
        "id": new_id(now),
        "tenant": tenant,
        "kind": kind,
        "type": type_,
        "subject": subject,
        "key": key,
        "payload": payload,
        "not_before": db_now(),
        "created_at": now,
    }


@dataclass(frozen=True, slots=True)
class Claimed:
    """One row under this worker's lease. `lost` means that a former worker vanished while it held it."""

    id: str
    tenant: str
    kind: str
    type: str
    key: str
    subject: str | None
    payload: Any
    attempts: int
    epoch: int
    lost: bool
    run_id: str | None
    call_id: str | None
    actor_id: str | None


async def claim(
    conn: AsyncConnection,
    kind: str,
    types: Collection[str],
    owner: str,
    seconds: float,
    *,
    tenant: str | None = None,
    subject: str | None = None,
) -> Claimed | None:
    """Take the next row that is due, of one or of all tenants, in one statement; None where there is none.

    Due is what waits and whose time has come, and what a worker held whose lease is over: that counts as an
    attempt, and its error is then `lease_lost`. An effect of a copilot's call waits while the copilot is
    switched off; what a host's own page queued goes out.
    """
    statement = _claim(kind, tenant is not None, subject is not None)
    given = {"types": list(types), "of_tenant": tenant, "of_subject": subject, "by": owner, "lease": span(seconds)}
    taken = await conn.execute(statement, {name: value for name, value in given.items() if value is not None})
    row = taken.one_or_none()
    if row is None:
        return None
    values = {name: getattr(row, name) for name in Claimed.__dataclass_fields__ if name != "lost"}
    return Claimed(**values, lost=row.error == LOST)


@lru_cache
def _claim(kind: str, one_tenant: bool, one_subject: bool) -> Any:
    """The claim's statement, made once: building it costs as much as running it."""
    t = outbox.alias("due")
    query = select(t.c.id).where(t.c.kind == kind, t.c.type.in_(bindparam("types", expanding=True)), _due(t.c))
    if one_tenant:
        query = query.where(t.c.tenant == bindparam("of_tenant"))
    if one_subject:
        query = query.where(t.c.subject == bindparam("of_subject"))
    if kind == EFFECT:
        off = select(switches.c.name).where(
            switches.c.tenant.in_(["*", t.c.tenant]), switches.c.name == "*", switches.c.enabled.is_(False)
        )
        query = query.where(or_(t.c.call_id.is_(None), ~exists(off)))
    first = query.order_by(t.c.not_before, t.c.id).limit(1).with_for_update(skip_locked=True).scalar_subquery()
    gone = _o.status == "running"
    return (
        update(outbox)
        .where(_o.id == first, _due(_o))
        .values(
            status="running",
            lease_owner=bindparam("by"),
            lease_until=_LATER,
            epoch=_o.epoch + 1,
            attempts=_o.attempts + case((gone, 1), else_=0),
            error=case((gone, LOST), else_=None),
        )
        .returning(outbox)
    )


async def hurry(tx: Tx, tenant: str, type_: str, subject: str) -> None:
    """Make an event due now that waits, was handled before, or was given up; what is under way is left alone."""
    await tx.conn.execute(
        update(outbox)
        .where(_o.tenant == tenant, _o.kind == EVENT, _o.type == type_, _o.subject == subject, _o.status != "running")
        .values(status="pending", attempts=0, error=None, not_before=db_now(), done_at=None)
    )


@dataclass(frozen=True, slots=True)
class Due:
    """There are effects to be sent, or events of this type and tenant to be handled."""

    kind: str
    type: str = ""
    tenant: str = ""


async def due(conn: AsyncConnection, channels: Collection[str], events: Collection[str]) -> list[Due]:
    """What is due, of all tenants: effects first, then events by type and tenant, the longest waiting first."""
    wanted = or_(and_(_o.kind == EFFECT, _o.type.in_(channels)), and_(_o.kind == EVENT, _o.type.in_(events)))
    tenant = case((_o.kind == EVENT, _o.tenant), else_="").label("of")
    type_ = case((_o.kind == EVENT, _o.type), else_="").label("what")
    rows = await conn.execute(
        select(_o.kind, type_, tenant)
        .where(wanted, _due(_o))
        .group_by(_o.kind, type_, tenant)
        .order_by(_o.kind, func.min(_o.not_before))
    )
    return [Due(*(str(part) for part in row)) for row in rows]


async def under_way(conn: AsyncConnection, tenant: str, type_: str) -> int:
    """How many events of the type are being worked on now, by living workers of all processes (AUTO-3)."""
    count = await conn.scalar(
        select(func.count())
        .select_from(outbox)
        .where(
            _o.tenant == tenant,
            _o.kind == EVENT,
            _o.type == type_,
            _o.status == "running",
            _o.lease_until > db_now(),
        )
    )
    return int(count or 0)


async def fence(tx: Tx, tenant: str, mine: Claimed, owner: str, seconds: float) -> None:
    """First statement of every write transaction of a worker: still mine, and mine for longer. Raises LeaseLost."""
    kept = await tx.conn.execute(_FENCE, {**_named(tenant, mine), "by": owner, "lease": span(seconds)})
    if kept.rowcount != 1:
        raise LeaseLost("another worker has taken this over")


async def beat(conn: AsyncConnection, owner: str, ids: Collection[str], seconds: float) -> None:
    """Extend the leases of the rows that this process is working on, over all tenants."""
    await conn.execute(
        update(outbox)
        .where(_o.id.in_(ids), _o.lease_owner == owner, _o.status == "running")
        .values(lease_until=_LATER),
        {"lease": span(seconds)},
    )


async def finish(tx: Tx, tenant: str, mine: Claimed, now: datetime, receipt: str | None = None) -> None:
    """Done. Raises LeaseLost."""
    await _close(tx, tenant, mine, status="done", error=None, receipt=receipt, done_at=now)


async def again(tx: Tx, tenant: str, mine: Claimed, error: str | None, seconds: float, *, counted: bool = True) -> None:
    """Wait `seconds` and try again; `counted` makes it an attempt. Raises LeaseLost."""
    attempts = mine.attempts + counted
    await _close(tx, tenant, mine, status="pending", error=error, attempts=attempts, seconds=seconds)


async def bury(tx: Tx, tenant: str, mine: Claimed, error: str, now: datetime) -> None:
    """Give it up; it waits for a person among the failed. Raises LeaseLost."""
    await _close(tx, tenant, mine, status="failed", error=error, attempts=mine.attempts + 1, done_at=now)


async def doubt(tx: Tx, tenant: str, mine: Claimed, error: str, now: datetime) -> None:
    """Nobody knows whether it left; it waits for a person among the unknown. Raises LeaseLost."""
    await _close(tx, tenant, mine, status="unknown", error=error, done_at=now)


async def _close(tx: Tx, tenant: str, mine: Claimed, **values: Any) -> None:
    if "seconds" in values:
        values["lease"] = span(values.pop("seconds"))
    done = await tx.conn.execute(_CLOSE["lease" in values], {**_named(tenant, mine), **values})
    if done.rowcount != 1:
        raise LeaseLost("another worker has taken this over")


def _due(columns: Any) -> Any:
    """What waits and whose time has come, and what is held under a lease that is over."""
    waiting = and_(columns.status == "pending", columns.not_before <= db_now())
    lost = and_(columns.status == "running", columns.lease_until <= db_now())
    return or_(waiting, lost)


def _named(tenant: str, mine: Claimed) -> dict[str, Any]:
    """The parameters by which a claimed row is found, where it is still this worker's."""
    return {"of_tenant": tenant, "of_id": mine.id, "of_epoch": mine.epoch}


_LATER: Any = later(bindparam("lease", type_=BigInteger))
_MINE = (
    _o.tenant == bindparam("of_tenant"),
    _o.id == bindparam("of_id"),
    _o.status == "running",
    _o.epoch == bindparam("of_epoch"),
)
_FENCE = update(outbox).where(*_MINE, _o.lease_owner == bindparam("by")).values(lease_until=_LATER)
_CLOSED = update(outbox).where(*_MINE).values(lease_owner=None, lease_until=None)
_CLOSE = {False: _CLOSED, True: _CLOSED.values(not_before=_LATER)}
