"""The one writer of the chain: appends entries as the last statements of a transaction (AUD-1)."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.chain import (
    ERASED,
    GENESIS,
    PRUNED,
    SALT_BYTES,
    SUBJECT_ERASED,
    Draft,
    canonical,
    entry_hash,
    header,
    payload_hash,
)
from deputize.store import subjects
from deputize.store.dialect import micros, upsert_ignore
from deputize.store.tables import audit_entries, audit_heads

_head = select(audit_heads.c.seq, audit_heads.c.hash).where(audit_heads.c.tenant == bindparam("t")).with_for_update()
_move = (
    update(audit_heads)
    .where(audit_heads.c.tenant == bindparam("t"))
    .values(seq=bindparam("to"), hash=bindparam("last"))
)
_insert = insert(audit_entries)


async def append(
    conn: AsyncConnection, tenant: str, drafts: Sequence[Draft], now: datetime, *, secret: bytes = b""
) -> int:
    """Link `drafts` to the tenant's chain: lock the head row, insert, move the head. Returns the new end.

    Three statements, whatever their number, and two more where drafts hold personal values (`secret` wraps
    their keys). The head row stays locked until the transaction ends, so this comes last. Raises
    NotCanonical for a payload outside canonical JSON, NoSecret for personal values without a secret.
    """
    if not drafts:
        return 0
    payloads = await _payloads(conn, tenant, drafts, now, secret)
    seq, prev = await _lock(conn, tenant)
    at = micros(now)
    rows: list[dict[str, Any]] = []
    for draft, payload in zip(drafts, payloads, strict=True):
        seq += 1
        salt = secrets.token_bytes(SALT_BYTES)
        text = header(tenant=tenant, seq=seq, at=at, draft=draft, payload=payload_hash(salt, payload), prev=prev)
        prev = entry_hash(text)
        rows.append(
            {
                "tenant": tenant,
                "seq": seq,
                "header": text.decode(),
                "hash": prev,
                "payload": payload.decode(),
                "salt": salt,
                "kind": draft.kind,
                "at": at,
                "run_id": draft.run,
                "actor_id": draft.actor,
            }
        )
    await conn.execute(_insert, rows if len(rows) > 1 else rows[0])
    await conn.execute(_move, {"t": tenant, "to": seq, "last": prev})
    return seq


async def _payloads(
    conn: AsyncConnection, tenant: str, drafts: Sequence[Draft], now: datetime, secret: bytes
) -> list[bytes]:
    people = {subject for draft in drafts for subject, _ in draft.personal.values()}
    keys = await subjects.keys(conn, tenant, people, now, secret) if people else {}
    out = []
    for draft in drafts:
        payload = dict(draft.payload)
        for name, (subject, value) in draft.personal.items():
            payload[name] = subjects.seal(keys[subject], tenant, subject, name, value)
        out.append(canonical(payload))
    return out


async def _lock(conn: AsyncConnection, tenant: str) -> tuple[int, str]:
    found = (await conn.execute(_head, {"t": tenant})).one_or_none()
    if found is None:
        first = {"tenant": tenant, "seq": 0, "hash": GENESIS}
        await conn.execute(upsert_ignore(audit_heads, first, conn.dialect.name))
        found = (await conn.execute(_head, {"t": tenant})).one()
    return found.seq, found.hash


async def erase_subject(conn: AsyncConnection, tenant: str, subject: str, now: datetime, *, by: str) -> int:
    """Destroy the subject's keys and write the entry that says so; the number of keys destroyed (AUD-5).

    The entries that named the person stay, and verify; what was sealed under the keys cannot be read again.
    """
    destroyed = await subjects.destroy(conn, tenant, subject, now)
    await append(conn, tenant, [Draft(SUBJECT_ERASED, by, {"subject": subject, "keys": destroyed})], now)
    return destroyed


async def erase_payloads(
    conn: AsyncConnection, tenant: str, before: datetime, now: datetime, *, by: str, reason: str, limit: int = 5000
) -> int:
    """Blank payloads and salts of up to `limit` entries older than `before`, after an entry that covers them.

    Entries of erasure and of pruning keep their own payload: without it nobody could tell a lawful blank from a
    torn page.
    Returns how many were blanked.
    """
    query = (
        select(audit_entries.c.seq)
        .where(
            audit_entries.c.tenant == tenant,
            audit_entries.c.at < micros(before),
            audit_entries.c.payload.is_not(None),
            audit_entries.c.kind.not_in((ERASED, PRUNED)),
        )
        .order_by(audit_entries.c.seq)
        .limit(limit)
    )
    numbers = list((await conn.execute(query)).scalars())
    if not numbers:
        return 0
    ranges = _ranges(numbers)
    draft = Draft(ERASED, by, {"ranges": [list(pair) for pair in ranges], "reason": reason})
    await append(conn, tenant, [draft], now)
    for first, last in ranges:
        await conn.execute(
            update(audit_entries)
            .where(audit_entries.c.tenant == tenant, audit_entries.c.seq.between(first, last))
            .values(payload=None, salt=None)
        )
    return len(numbers)


def _ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for number in numbers:
        if out and out[-1][1] == number - 1:
            out[-1] = (out[-1][0], number)
        else:
            out.append((number, number))
    return out
