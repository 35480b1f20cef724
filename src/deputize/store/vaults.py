"""Queries of the vaults: sealed secrets and entries; what they hold is opened by the engine only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.store.dialect import upsert_ignore
from deputize.store.session import Tx
from deputize.store.tables import vault_entries, vaults


@dataclass(frozen=True, slots=True)
class SealedEntry:
    """One row: its keyed hash, its token, whether it repeats another row's token, and the sealed rest."""

    lookup: str
    token: str
    alias: bool
    sealed: bytes


_e = vault_entries.c
_COLUMNS = (_e.lookup, _e.token, _e.alias, _e.sealed)
_SECRET = select(vaults.c.secret).where(
    vaults.c.tenant == bindparam("of_tenant"), vaults.c.conversation_id == bindparam("of_conversation")
)
_ENTRIES = select(*_COLUMNS).where(
    _e.tenant == bindparam("of_tenant"), _e.conversation_id == bindparam("of_conversation")
)
"""Statements of every turn are made once: building one costs as much as running it."""


async def load(conn: AsyncConnection, tenant: str, conversation_id: str) -> tuple[bytes | None, list[SealedEntry]]:
    """The sealed secret (None where there is no vault yet) and the entries."""
    of = {"of_tenant": tenant, "of_conversation": conversation_id}
    secret = await conn.scalar(_SECRET, of)
    if secret is None:
        return None, []
    rows = await conn.execute(_ENTRIES, of)
    return bytes(secret), [SealedEntry(lookup, token, alias, bytes(blob)) for lookup, token, alias, blob in rows]


async def create(tx: Tx, tenant: str, conversation_id: str, secret: bytes, now: datetime) -> None:
    """Keep the sealed secret of a new conversation."""
    row: dict[str, Any] = {"conversation_id": conversation_id, "tenant": tenant, "secret": secret, "created_at": now}
    await tx.conn.execute(upsert_ignore(vaults, row, tx.dialect))


async def add(tx: Tx, tenant: str, conversation_id: str, entries: Sequence[SealedEntry]) -> list[SealedEntry]:
    """Insert; rows that another process wrote first for the same value or token are left and returned."""
    if not entries:
        return []
    rows = [
        {
            "conversation_id": conversation_id,
            "tenant": tenant,
            "lookup": entry.lookup,
            "token": entry.token,
            "alias": entry.alias,
            "sealed": entry.sealed,
        }
        for entry in entries
    ]
    done = await tx.conn.execute(upsert_ignore(vault_entries, rows, tx.dialect))
    if done.rowcount == len(rows):
        return []
    found = await tx.conn.execute(
        select(*_COLUMNS).where(
            _e.tenant == tenant,
            _e.conversation_id == conversation_id,
            or_(_e.lookup.in_([entry.lookup for entry in entries]), _e.token.in_([entry.token for entry in entries])),
        )
    )
    ours = {(entry.lookup, entry.token, entry.sealed) for entry in entries}
    standing = [SealedEntry(lookup, token, alias, bytes(blob)) for lookup, token, alias, blob in found]
    return [row for row in standing if (row.lookup, row.token, row.sealed) not in ours]
