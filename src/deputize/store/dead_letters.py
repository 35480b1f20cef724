"""The outbox's rows that wait for a person: listed, put back, settled."""

from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.store.dialect import db_now
from deputize.store.session import Tx, plain
from deputize.store.tables import outbox

_o = outbox.c


async def page_of(
    conn: AsyncConnection, tenant: str, kind: str, status: str | None, offset: int, limit: int
) -> tuple[list[dict[str, Any]], int]:
    """Rows of a kind and status, newest first, with the total; payloads are left out."""
    where = [_o.tenant == tenant, _o.kind == kind]
    if status is not None:
        where.append(_o.status == status)
    total = await conn.scalar(select(func.count()).select_from(outbox).where(*where))
    columns = [column for column in outbox.columns if column.name != "payload"]
    rows = await conn.execute(
        select(*columns).where(*where).order_by(_o.created_at.desc(), _o.id.desc()).offset(offset).limit(limit)
    )
    return [plain(row) for row in rows], int(total or 0)


async def one(conn: AsyncConnection, tenant: str, kind: str, ident: str) -> dict[str, Any] | None:
    """One row of that kind, payload included."""
    row = (await conn.execute(select(outbox).where(_o.tenant == tenant, _o.kind == kind, _o.id == ident))).first()
    return plain(row) if row else None


async def put_back(tx: Tx, tenant: str, kind: str, ident: str, status: str) -> bool:
    """From `status` back to pending, with all attempts anew; False where it is not in that status."""
    done = await tx.conn.execute(
        update(outbox)
        .where(_o.tenant == tenant, _o.kind == kind, _o.id == ident, _o.status == status)
        .values(status="pending", attempts=0, error=None, not_before=db_now(), done_at=None)
    )
    return done.rowcount == 1


async def declare_done(tx: Tx, tenant: str, ident: str, receipt: str, now: datetime) -> bool:
    """A person says that the unknown effect did leave; False where it is not unknown."""
    done = await tx.conn.execute(
        update(outbox)
        .where(_o.tenant == tenant, _o.kind == "effect", _o.id == ident, _o.status == "unknown")
        .values(status="done", receipt=receipt, done_at=now)
    )
    return done.rowcount == 1


async def counts(conn: AsyncConnection, tenant: str) -> dict[str, int]:
    """How many rows of each `kind.status` the tenant has."""
    rows = await conn.execute(
        select(_o.kind, _o.status, func.count()).where(_o.tenant == tenant).group_by(_o.kind, _o.status)
    )
    return {f"{kind}.{status}": int(count) for kind, status, count in rows}
