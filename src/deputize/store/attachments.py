"""Queries of what processes tell each other about a live run: its readers' mark, and that its end was asked for."""

from collections.abc import Collection

from sqlalchemy import BigInteger, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.store.bell import ring
from deputize.store.dialect import db_now, later, span
from deputize.store.session import Tx
from deputize.store.tables import runs

_r = runs.c


async def mark(conn: AsyncConnection, run_ids: Collection[str], seconds: float) -> None:
    """Somebody reads these runs, of all tenants, for `seconds` from now; forgotten once nobody renews it."""
    until = later(literal(span(seconds), BigInteger))
    await conn.execute(update(runs).where(_r.id.in_(run_ids), _r.status == "running").values(attached_until=until))


async def left(conn: AsyncConnection, run_ids: Collection[str]) -> list[tuple[str, str, str]]:
    """`(tenant, run id, surface)` of those running, of all tenants, that were read and whose mark has run out."""
    rows = await conn.execute(
        select(_r.tenant, _r.id, _r.surface).where(
            _r.id.in_(run_ids), _r.status == "running", _r.attached_until <= db_now()
        )
    )
    return [(str(tenant), str(run_id), str(surface)) for tenant, run_id, surface in rows]


async def attached(conn: AsyncConnection, tenant: str, run_id: str) -> bool:
    """Whether a reader of some process has renewed its mark on the run."""
    found = await conn.scalar(select(_r.id).where(_r.tenant == tenant, _r.id == run_id, _r.attached_until > db_now()))
    return found is not None


async def ask_to_end(tx: Tx, tenant: str, run_id: str, code: str) -> None:
    """Tell the run's driver to end it, and why; who listens hears of it with the commit (RUN-9)."""
    await tx.conn.execute(
        update(runs).where(_r.tenant == tenant, _r.id == run_id).values(cancel_requested=True, error_code=code)
    )
    await ring(tx.conn)


async def why_asked(conn: AsyncConnection, tenant: str, run_id: str) -> str | None:
    """The reason for which the run's end was asked for, where it was."""
    return await conn.scalar(
        select(_r.error_code).where(_r.tenant == tenant, _r.id == run_id, _r.cancel_requested.is_(True))
    )


async def cancelled(conn: AsyncConnection, owner: str, run_ids: Collection[str]) -> list[str]:
    """Those of the runs that this process drives, of all tenants, whose end was asked for or whose lease is gone."""
    rows = await conn.execute(select(_r.id, _r.cancel_requested, _r.lease_owner).where(_r.id.in_(run_ids)))
    return [str(run_id) for run_id, asked, driver in rows if asked or driver != owner]
