"""Which runs were about given records: their calls named one of them, or the screen showed it (AUD-6)."""

from collections.abc import Collection

from sqlalchemy import Text, cast, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.store.tables import runs, tool_calls


async def runs_about(conn: AsyncConnection, tenant: str, ids: Collection[str], limit: int) -> list[str]:
    """Up to `limit` runs of the tenant that were about one of the host's ids, oldest first.

    A run that only met a record in a list is not about it.
    """
    wanted = sorted({ident for ident in ids if ident})
    if not wanted:
        return []
    r, t = runs.c, tool_calls.c
    asked = or_(*(cast(t.arguments, Text).contains(ident, autoescape=True) for ident in wanted))
    shown = or_(*(cast(r.context, Text).contains(ident, autoescape=True) for ident in wanted))
    named = select(t.run_id).where(t.tenant == tenant, asked)
    query = select(r.id).where(r.tenant == tenant, or_(r.id.in_(named), shown))
    return list((await conn.execute(query.order_by(r.created_at, r.id).limit(limit))).scalars())
