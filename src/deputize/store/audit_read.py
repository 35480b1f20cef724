"""Reading the chain: lists and single entries for people, streams of exact rows for the verifier and the export."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.chain import GENESIS, PRUNED, Entry, Finding, Verdict
from deputize.core.checkpoint import TrustedLog
from deputize.core.prefix import Prefix, read_prefix
from deputize.core.verify import Row, Verifier
from deputize.store import subjects
from deputize.store.dialect import from_micros, micros
from deputize.store.tables import audit_entries, audit_heads

BATCH = 500
_e = audit_entries.c


async def entries(
    conn: AsyncConnection,
    tenant: str,
    *,
    kind: str | None = None,
    run: str | None = None,
    actor: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    page: int = 1,
    page_size: int = 50,
    secret: bytes = b"",
) -> tuple[list[Entry], int]:
    """A page of the tenant's entries, newest first, and how many there are in all.

    `since` is inclusive, `until` exclusive; `page` counts from 1. With the deployment's `secret` personal
    values come decrypted, where their keys live.
    """
    where = _where(tenant, kind=kind, run=run, actor=actor, since=since, until=until)
    total = (await conn.execute(select(func.count()).select_from(audit_entries).where(*where))).scalar_one()
    query = select(audit_entries).where(*where).order_by(_e.seq.desc()).limit(page_size).offset((page - 1) * page_size)
    found = [_entry(row) for row in await conn.execute(query)]
    return await _revealed(conn, tenant, found, secret), total


async def entry(conn: AsyncConnection, tenant: str, seq: int, *, secret: bytes = b"") -> Entry | None:
    """One entry, or None where the tenant has no such number."""
    row = (await conn.execute(select(audit_entries).where(_e.tenant == tenant, _e.seq == seq))).one_or_none()
    if row is None:
        return None
    return (await _revealed(conn, tenant, [_entry(row)], secret))[0]


async def runs_between(
    conn: AsyncConnection, tenant: str, since: datetime | None, until: datetime | None, limit: int
) -> list[str]:
    """Runs that the entries of a period name, in order of their ids, which is that of their starts."""
    where = _where(tenant, kind=None, run=None, actor=None, since=since, until=until)
    query = select(_e.run_id).where(*where, _e.run_id.is_not(None)).distinct().order_by(_e.run_id).limit(limit)
    return [str(ident) for ident in (await conn.execute(query)).scalars()]


async def head(conn: AsyncConnection, tenant: str) -> tuple[int, str] | None:
    """The chain's end as the database keeps it: (sequence, hash); None for a tenant without entries."""
    query = select(audit_heads.c.seq, audit_heads.c.hash).where(audit_heads.c.tenant == tenant)
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else (row.seq, row.hash)


async def tenants(conn: AsyncConnection) -> list[str]:
    """All tenants that have a chain, in order of name."""
    return list((await conn.execute(select(audit_heads.c.tenant).order_by(audit_heads.c.tenant))).scalars())


async def prefix(conn: AsyncConnection, tenant: str) -> Prefix | None:
    """What stands for a beginning that was pruned, as the chain's own entry says it; None where nothing has gone.

    None too where no entry fits what is missing: the verifier then finds the entries missing.
    """
    first = (await conn.execute(select(func.min(_e.seq)).where(_e.tenant == tenant))).scalar_one()
    if first is None or first == 1:
        return None
    query = select(_e.payload).where(_e.tenant == tenant, _e.kind == PRUNED, _e.payload.is_not(None))
    for payload in (await conn.execute(query.order_by(_e.seq.desc()))).scalars():
        try:
            found = read_prefix(json.loads(payload))
        except ValueError:
            continue
        if found.size == first - 1:
            return found
    return None


async def stream(
    conn: AsyncConnection, tenant: str, *, after: int = 0, until: int | None = None
) -> AsyncIterator[Sequence[Row]]:
    """Exact rows in order of sequence, in batches, never the whole chain in memory."""
    query = (
        select(_e.header, _e.hash, _e.payload, _e.salt, _e.seq, _e.kind, _e.at, _e.actor_id, _e.run_id)
        .where(_e.tenant == tenant, _e.seq > after)
        .order_by(_e.seq)
    )
    if until is not None:
        query = query.where(_e.seq <= until)
    result = await conn.stream(query.execution_options(yield_per=BATCH))
    async for batch in result.partitions():
        yield [Row(r[0], r[1], r[2], r[3], tuple(r[4:])) for r in batch]


async def verify_database(
    conn: AsyncConnection,
    tenant: str,
    notes: Sequence[str] = (),
    trusted: Sequence[TrustedLog] = (),
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Verify the tenant's chain up to its head as it is now; `progress(done, all)` is told after each batch.

    Writers may go on meanwhile, at any isolation level: what they append after the head was read is left to
    the next verification. A pruning that came in between makes it begin anew.
    """
    end = await head(conn, tenant) or (0, GENESIS)
    gone = await prefix(conn, tenant)
    verifier = Verifier(tenant, notes, trusted, gone)
    async for batch in stream(conn, tenant, until=end[0]):
        for row in batch:
            verifier.feed(row)
        if progress is not None:
            progress(verifier.through, end[0])
        if verifier.stopped:
            break
    verdict = verifier.finish(end)
    if not verdict.ok and await prefix(conn, tenant) != gone:
        return await verify_database(conn, tenant, notes, trusted, progress=progress)
    return verdict if not verdict.ok else await _beyond(conn, tenant, verdict)


async def _beyond(conn: AsyncConnection, tenant: str, verdict: Verdict) -> Verdict:
    """Entries above the head: an append commits both together, so the head, read last, is never behind."""
    last = (await conn.execute(select(func.max(_e.seq)).where(_e.tenant == tenant))).scalar_one() or 0
    end = await head(conn, tenant) or (0, GENESIS)
    if last <= end[0]:
        return verdict
    return replace(verdict, finding=Finding.TAMPERED, at=end[0] + 1, damage="entries stand above the head")


def _where(tenant: str, **by: Any) -> list[ColumnElement[bool]]:
    where: list[ColumnElement[bool]] = [_e.tenant == tenant]
    for column, value in ((_e.kind, by["kind"]), (_e.run_id, by["run"]), (_e.actor_id, by["actor"])):
        if value is not None:
            where.append(column == value)
    if by["since"] is not None:
        where.append(_e.at >= micros(by["since"]))
    if by["until"] is not None:
        where.append(_e.at < micros(by["until"]))
    return where


def _entry(row: Any) -> Entry:
    said = json.loads(row.header)
    return Entry(
        tenant=said["tenant"],
        seq=said["seq"],
        at=from_micros(said["at"]),
        kind=said["kind"],
        actor=said["actor"],
        run=said["run"],
        hash=row.hash,
        prev=said["prev"],
        payload=None if row.payload is None else json.loads(row.payload),
    )


async def _revealed(conn: AsyncConnection, tenant: str, found: list[Entry], secret: bytes) -> list[Entry]:
    if not secret:
        return found
    clear = await subjects.reveal(conn, tenant, [entry.payload or {} for entry in found], secret)
    return [
        entry if not personal else replace(entry, personal=personal)
        for entry, personal in zip(found, clear, strict=True)
    ]
