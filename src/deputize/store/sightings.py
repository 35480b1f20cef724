"""Queries of what a conversation has seen: ids with their versions, and trusted destinations."""

from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.store.dialect import upsert_set
from deputize.store.session import Tx, plain
from deputize.store.tables import sightings

_s = sightings.c
_SEEN = select(sightings).where(
    _s.tenant == bindparam("of_tenant"),
    _s.conversation_id == bindparam("of_conversation"),
    _s.value.in_(bindparam("values", expanding=True)),
)
"""Made once, for each call asks it: building a statement costs as much as running it."""


async def see(
    tx: Tx,
    tenant: str,
    conversation_id: str,
    run_id: str,
    seen: Iterable[tuple[str, str, str | None, bool]],
) -> None:
    """Remember `(entity kind or @destination kind, id or value, version, trusted)` as seen by this run."""
    newest: dict[tuple[str, str], tuple[str | None, bool]] = {}
    for what, value, version, trusted in seen:
        old = newest.get((what, value), (None, False))
        newest[what, value] = (version or old[0], trusted or old[1])
    if not newest:
        return
    rows = [
        {
            "conversation_id": conversation_id,
            "run_id": run_id,
            "what": what,
            "value": value[:400],
            "tenant": tenant,
            "version": version,
            "trusted": trusted,
        }
        for (what, value), (version, trusted) in newest.items()
    ]
    by = ("conversation_id", "run_id", "what", "value")
    await tx.conn.execute(upsert_set(sightings, rows, tx.dialect, by, "version"))


async def seen(
    conn: AsyncConnection, tenant: str, conversation_id: str, pairs: Collection[tuple[str, str]]
) -> list[dict[str, Any]]:
    """Sightings of these ids in the conversation, by any of its runs."""
    of = {"of_tenant": tenant, "of_conversation": conversation_id}
    rows = await conn.execute(_SEEN, {**of, "values": sorted({value for _, value in pairs})})
    return [plain(row) for row in rows]


async def trusted_values(conn: AsyncConnection, tenant: str, conversation_id: str) -> list[tuple[str, str]]:
    """`(destination kind, canonical value)` that trusted fields of results have shown (TOOL-7)."""
    s = sightings.c
    rows = await conn.execute(
        select(s.what, s.value).where(
            s.tenant == tenant, s.conversation_id == conversation_id, s.trusted, s.what.startswith("@")
        )
    )
    return [(str(what)[1:], str(value)) for what, value in rows]
