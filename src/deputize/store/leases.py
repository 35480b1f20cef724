"""Queries of leases: which process drives a run, in the database's time (RUN-8)."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import BigInteger, bindparam, insert, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.run import RunStatus
from deputize.store.dialect import db_now, later, span
from deputize.store.session import Tx
from deputize.store.tables import runs

_r = runs.c


_KEEP = (
    update(runs)
    .where(
        _r.tenant == bindparam("of_tenant"),
        _r.id == bindparam("of_id"),
        _r.status == RunStatus.RUNNING.value,
        _r.lease_owner == bindparam("of_owner"),
    )
    .values(lease_until=later(bindparam("micros", type_=BigInteger)))
)
_BEGIN = insert(runs).values(lease_until=later(bindparam("micros", type_=BigInteger)))
"""Statements of every turn are made once: building one costs as much as running it."""


class LeaseLost(Exception):
    """The run, or the outbox row, is no longer this process's; whatever it was about to write is rolled back."""


async def take(tx: Tx, tenant: str, run_id: str, owner: str, seconds: float) -> None:
    """Give the run to this process; the epoch grows, so that a former driver can notice."""
    await tx.conn.execute(
        update(runs)
        .where(_r.tenant == tenant, _r.id == run_id)
        .values(lease_owner=owner, lease_until=later(literal(span(seconds), BigInteger)), epoch=_r.epoch + 1)
    )


async def begin(tx: Tx, tenant: str, owner: str, seconds: float, **values: Any) -> None:
    """Insert a run that this process drives; a repeated idempotency key breaks the unique constraint (RUN-11)."""
    lease = {"lease_owner": owner, "micros": span(seconds), "epoch": 1}
    await tx.conn.execute(_BEGIN, {"tenant": tenant, "status": RunStatus.RUNNING.value, **lease, **values})


async def keep(tx: Tx, tenant: str, run_id: str, owner: str, seconds: float) -> None:
    """The fence: the run is still running and still this process's, and now for longer. Raises LeaseLost."""
    mine = {"of_tenant": tenant, "of_id": run_id, "of_owner": owner}
    kept = await tx.conn.execute(_KEEP, {**mine, "micros": span(seconds)})
    if kept.rowcount != 1:
        raise LeaseLost("another process has taken this over, or ended it")


async def beat(conn: AsyncConnection, owner: str, run_ids: Collection[str], seconds: float) -> None:
    """Extend the leases of these runs, of all tenants, where they are this process's."""
    await conn.execute(
        update(runs)
        .where(_r.id.in_(run_ids), _r.lease_owner == owner, _r.status == RunStatus.RUNNING.value)
        .values(lease_until=later(literal(span(seconds), BigInteger)))
    )


async def stale(conn: AsyncConnection, limit: int) -> list[tuple[str, str]]:
    """`(tenant, run id)` of running runs whose driver has gone, over all tenants."""
    rows = await conn.execute(
        select(_r.tenant, _r.id).where(_r.status == RunStatus.RUNNING.value, _r.lease_until <= db_now()).limit(limit)
    )
    return [(str(tenant), str(run_id)) for tenant, run_id in rows]


async def still_stale(conn: AsyncConnection, tenant: str, run_id: str) -> bool:
    """Asked again inside the sweeper's transaction: the driver may have come back."""
    found = await conn.scalar(
        select(_r.id).where(
            _r.tenant == tenant,
            _r.id == run_id,
            _r.status == RunStatus.RUNNING.value,
            _r.lease_until <= db_now(),
        )
    )
    return found is not None
