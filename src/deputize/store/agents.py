"""Queries of automations' policies, of every version that they had, and of the passes that were made."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.automation import Policy
from deputize.core.clock import new_id
from deputize.store.dialect import upsert_ignore
from deputize.store.session import Tx, plain
from deputize.store.tables import agent_changes, agents, runs

SKIPPED = "skipped_"
"""What the code of a pass begins with in which no model was asked; such passes count against no cap."""
_a = agents.c


async def policy(conn: AsyncConnection, tenant: str, name: str, *, lock: bool = False) -> Policy | None:
    """The tenant's policy; `lock` holds the row for this transaction, so that claims are counted in order."""
    query = select(agents).where(_a.tenant == tenant, _a.name == name)
    if lock and conn.dialect.name == "postgresql":
        query = query.with_for_update()
    row = (await conn.execute(query)).first()
    return None if row is None else _policy(plain(row))


def _policy(row: dict[str, Any]) -> Policy:
    values = {name: row[name] for name in Policy.__dataclass_fields__}
    return Policy(**{**values, "allowed": tuple(values["allowed"])})


async def ensure(
    tx: Tx, tenant: str, name: str, start: Callable[[], Awaitable[Policy]], now: datetime, *, by: str
) -> tuple[Policy, bool]:
    """The tenant's policy under lock, and whether it was made just now, as `start` says, with its first history."""
    found = await policy(tx.conn, tenant, name, lock=True)
    if found is not None:
        return found, False
    first = replace(await start(), version=1)
    values = {**asdict(first), "allowed": list(first.allowed)}
    row = {"tenant": tenant, "name": name, **values, "updated_by": by, "updated_at": now}
    made = await tx.conn.execute(upsert_ignore(agents, row, tx.dialect))
    if made.rowcount == 1:
        await _record(tx, tenant, name, 1, by, None, values, now)
    found = await policy(tx.conn, tenant, name, lock=True)
    assert found is not None
    return found, made.rowcount == 1


async def change(tx: Tx, tenant: str, name: str, before: Policy, after: Policy, now: datetime, *, by: str) -> Policy:
    """Put `after` in place of `before`, one version higher; both stand in the history."""
    raised = replace(after, version=before.version + 1)
    old, new = ({**asdict(one), "allowed": list(one.allowed)} for one in (before, raised))
    await tx.conn.execute(
        update(agents).where(_a.tenant == tenant, _a.name == name).values(**new, updated_by=by, updated_at=now)
    )
    await _record(tx, tenant, name, raised.version, by, old, new, now)
    return raised


async def _record(
    tx: Tx, tenant: str, name: str, version: int, by: str, before: Any, after: Any, now: datetime
) -> None:
    await tx.conn.execute(
        insert(agent_changes).values(
            id=new_id(now),
            tenant=tenant,
            name=name,
            version=version,
            changed_by=by,
            before=before,
            after=after,
            changed_at=now,
        )
    )


async def history(conn: AsyncConnection, tenant: str, name: str, limit: int = 100) -> list[dict[str, Any]]:
    """Every recorded version of the policy, newest first."""
    c = agent_changes.c
    rows = await conn.execute(
        select(agent_changes).where(c.tenant == tenant, c.name == name).order_by(c.version.desc()).limit(limit)
    )
    return [plain(row) for row in rows]


async def passes_since(conn: AsyncConnection, tenant: str, name: str, since: datetime) -> int:
    """Passes since then in which a model was, or is about to be, asked."""
    r = runs.c
    count = await conn.scalar(
        select(func.count())
        .select_from(runs)
        .where(
            r.tenant == tenant,
            r.agent == name,
            r.mode == "autonomous",
            r.created_at >= since,
            or_(r.error_code.is_(None), ~r.error_code.startswith(SKIPPED, autoescape=True)),
        )
    )
    return int(count or 0)


async def unfinished(conn: AsyncConnection, tenant: str | None, name: str | None) -> list[tuple[str, str]]:
    """`(tenant, run id)` of what is not over: passes of `name`, or every run where it is None; of all tenants where
    `tenant` is None.
    """
    r = runs.c
    query = select(r.tenant, r.id).where(r.status.in_(["running", "awaiting_approval"]))
    if tenant is not None:
        query = query.where(r.tenant == tenant)
    if name is not None:
        query = query.where(r.agent == name)
    return [(str(of), str(run_id)) for of, run_id in await conn.execute(query)]
