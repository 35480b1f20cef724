"""Queries of the vaults: sealed secrets and entries; what they hold is opened by the engine only."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.store.dialect import upsert_ignore
from deputize.store.session import Tx, plain
from deputize.store.tables import vault_entries, vaults


async def load(
    conn: AsyncConnection, tenant: str, conversation_id: str
) -> tuple[bytes | None, list[tuple[str, str, bytes]]]:
    """The sealed secret (None where there is no vault yet) and `(token, lookup, sealed)` of each entry."""
    secret = await conn.scalar(
        select(vaults.c.secret).where(vaults.c.tenant == tenant, vaults.c.conversation_id == conversation_id)
    )
    if secret is None:
        return None, []
    e = vault_entries.c
    rows = await conn.execute(
        select(e.token, e.lookup, e.sealed).where(e.tenant == tenant, e.conversation_id == conversation_id)
    )
    return bytes(secret), [(str(token), str(lookup), bytes(sealed)) for token, lookup, sealed in rows]


async def create(tx: Tx, tenant: str, conversation_id: str, secret: bytes, now: datetime) -> bytes:
    """Keep the sealed secret unless another process was first; the one that stands is returned."""
    row: dict[str, Any] = {"conversation_id": conversation_id, "tenant": tenant, "secret": secret, "created_at": now}
    await tx.conn.execute(upsert_ignore(vaults, row, tx.dialect))
    found = await tx.conn.scalar(
        select(vaults.c.secret).where(vaults.c.tenant == tenant, vaults.c.conversation_id == conversation_id)
    )
    return bytes(found or b"")


async def add(
    tx: Tx, tenant: str, conversation_id: str, entries: Sequence[tuple[str, str, bytes]]
) -> list[tuple[str, str, bytes]]:
    """Insert `(token, lookup, sealed)`; those that another process wrote first are left and returned."""
    if not entries:
        return []
    rows = [
        {"conversation_id": conversation_id, "tenant": tenant, "token": token, "lookup": lookup, "sealed": sealed}
        for token, lookup, sealed in entries
    ]
    await tx.conn.execute(upsert_ignore(vault_entries, rows, tx.dialect))
    e = vault_entries.c
    lookups = [lookup for _, lookup, _ in entries]
    found = await tx.conn.execute(
        select(vault_entries).where(e.tenant == tenant, e.conversation_id == conversation_id, e.lookup.in_(lookups))
    )
    ours = {(token, lookup) for token, lookup, _ in entries}
    theirs = [plain(row) for row in found if (row.token, row.lookup) not in ours]
    return [(row["token"], row["lookup"], bytes(row["sealed"])) for row in theirs]
