"""What is too old to be kept: found, blanked and deleted in batches (AUD-5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, exists, func, null, or_, select, union, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.chain import ERASED, PRUNED
from deputize.core.conversation import ConversationStatus
from deputize.core.event import TERMINAL_EVENTS
from deputize.store.dialect import micros
from deputize.store.session import Tx
from deputize.store.tables import (
    approvals,
    audit_entries,
    audit_heads,
    conversations,
    messages,
    outbox,
    run_events,
    runs,
    sightings,
    tool_calls,
    vault_entries,
    vaults,
)

_r, _c, _o, _e = runs.c, conversations.c, outbox.c, audit_entries.c
_NOTHING = null()
"""SQL's NULL: a column of JSON would take None for the JSON value."""
BLANK_CALL: dict[str, Any] = {
    "raw": "",
    "key": None,
    "sent": None,
    **dict.fromkeys(("extra", "arguments", "result", "links", "edited"), _NOTHING),
}
BLANK_CARD: dict[str, Any] = {
    "arguments": {},
    "preview": {"tool": "", "title": "", "effect": ""},
    "versions": {},
    "effect": "",
    "reason": None,
}
"""A card without its content; its digest, decision and times stay."""


@dataclass(frozen=True, slots=True)
class Before:
    """What is older than these moments goes: contents, records (runs, conversations), payloads of chain entries."""

    contents: datetime
    records: datetime
    entries: datetime


def _spoken(tenant: str, before: Before) -> ColumnElement[bool]:
    """Runs whose contents are due."""
    return (_r.tenant == tenant) & (_r.finished_at < before.contents) & _r.purged_at.is_(None)


def _silent(tenant: str, before: Before) -> ColumnElement[bool]:
    """Conversations whose whole transcript has gone."""
    left = exists().where(_r.tenant == tenant, _r.conversation_id == _c.id, _r.purged_at.is_(None))
    old = (_c.tenant == tenant) & (_c.updated_at < before.contents)
    return old & (_c.status != ConversationStatus.EXPIRED.value) & ~left


def _sent(tenant: str, before: Before) -> ColumnElement[bool]:
    """Effects that were delivered."""
    delivered = (_o.kind == "effect") & (_o.status == "done") & (_o.done_at < before.contents)
    return (_o.tenant == tenant) & delivered & or_(_o.payload.is_not(None), _o.receipt.is_not(None))


def _over(tenant: str, before: Before) -> ColumnElement[bool]:
    """Runs that nothing needs any more."""
    return (_r.tenant == tenant) & (_r.finished_at < before.records) & _r.purged_at.is_not(None)


def _gone(tenant: str, before: Before) -> ColumnElement[bool]:
    """Expired conversations without runs."""
    left = exists().where(_r.tenant == tenant, _r.conversation_id == _c.id)
    expired = _c.status == ConversationStatus.EXPIRED.value
    return (_c.tenant == tenant) & (_c.updated_at < before.records) & expired & ~left


def _told(tenant: str, before: Before) -> ColumnElement[bool]:
    """Chain entries whose payload is due."""
    old = (_e.tenant == tenant) & (_e.at < micros(before.entries))
    return old & _e.payload.is_not(None) & _e.kind.not_in((ERASED, PRUNED))


async def tenants(conn: AsyncConnection) -> list[str]:
    """All tenants of whom anything is kept."""
    every = union(select(_r.tenant), select(_c.tenant), select(_o.tenant), select(audit_heads.c.tenant))
    return sorted(str(tenant) for (tenant,) in await conn.execute(every))


async def due(conn: AsyncConnection, tenant: str, before: Before) -> dict[str, int]:
    """How many of each kind would go now; what depends on an earlier step is counted as it stands."""

    async def count(query: Select[Any]) -> int:
        return int(await conn.scalar(query) or 0)

    return {
        "transcripts": await count(select(func.count()).select_from(runs).where(_spoken(tenant, before))),
        "conversations_expired": await count(
            select(func.count()).select_from(conversations).where(_silent(tenant, before))
        ),
        "payloads": await count(select(func.count()).select_from(outbox).where(_sent(tenant, before))),
        "runs": await count(select(func.count()).select_from(runs).where(_over(tenant, before))),
        "conversations": await count(select(func.count()).select_from(conversations).where(_gone(tenant, before))),
        "entries": await count(select(func.count()).select_from(audit_entries).where(_told(tenant, before))),
    }


async def _ids(tx: Tx, column: Any, where: ColumnElement[bool], limit: int) -> list[str]:
    """Some of them, held against other processes where the database can."""
    query = select(column).where(where).order_by(column).limit(limit).with_for_update(skip_locked=True)
    return [str(ident) for (ident,) in await tx.conn.execute(query)]


async def purge_transcripts(tx: Tx, tenant: str, before: Before, now: datetime, limit: int) -> int:
    """Messages, events, arguments, results, cards and sightings of finished runs; how many runs that were.

    The calls stay with tool, outcome and times, the runs with their figures, and of the events only the last.
    """
    found = await _ids(tx, _r.id, _spoken(tenant, before), limit)
    if not found:
        return 0
    t, a, s = tool_calls.c, approvals.c, sightings.c
    ended = run_events.c.type.in_(TERMINAL_EVENTS)
    await tx.conn.execute(delete(messages).where(messages.c.tenant == tenant, messages.c.run_id.in_(found)))
    await tx.conn.execute(
        delete(run_events).where(run_events.c.tenant == tenant, run_events.c.run_id.in_(found), ~ended)
    )
    await tx.conn.execute(delete(sightings).where(s.tenant == tenant, s.run_id.in_(found)))
    await tx.conn.execute(update(tool_calls).where(t.tenant == tenant, t.run_id.in_(found)).values(**BLANK_CALL))
    await tx.conn.execute(update(approvals).where(a.tenant == tenant, a.run_id.in_(found)).values(**BLANK_CARD))
    await tx.conn.execute(
        update(runs).where(_r.tenant == tenant, _r.id.in_(found)).values(purged_at=now, context={}, address=None)
    )
    spoken_in = select(_r.conversation_id).where(_r.tenant == tenant, _r.id.in_(found))
    await tx.conn.execute(
        update(conversations).where(_c.tenant == tenant, _c.id.in_(spoken_in)).values(title="", context={})
    )
    return len(found)


async def expire_conversations(tx: Tx, tenant: str, before: Before, limit: int) -> list[str]:
    """Those whose transcript has gone are `expired`, and their vault goes with it; their ids."""
    found = await _ids(tx, _c.id, _silent(tenant, before), limit)
    if found:
        await tx.conn.execute(
            update(conversations)
            .where(_c.tenant == tenant, _c.id.in_(found))
            .values(status=ConversationStatus.EXPIRED.value, title="", context={})
        )
        await _drop_vaults(tx, tenant, found)
    return found


async def _drop_vaults(tx: Tx, tenant: str, found: Sequence[str]) -> None:
    entries, seen = vault_entries.c, sightings.c
    await tx.conn.execute(delete(vault_entries).where(entries.tenant == tenant, entries.conversation_id.in_(found)))
    await tx.conn.execute(delete(vaults).where(vaults.c.tenant == tenant, vaults.c.conversation_id.in_(found)))
    await tx.conn.execute(delete(sightings).where(seen.tenant == tenant, seen.conversation_id.in_(found)))


async def blank_payloads(tx: Tx, tenant: str, before: Before, limit: int) -> int:
    """What delivered effects said, and what the outside answered; that they were delivered stays."""
    found = await _ids(tx, _o.id, _sent(tenant, before), limit)
    if found:
        await tx.conn.execute(
            update(outbox).where(_o.tenant == tenant, _o.id.in_(found)).values(payload=_NOTHING, receipt=None)
        )
    return len(found)


async def delete_runs(tx: Tx, tenant: str, before: Before, limit: int) -> int:
    """Runs with their calls, cards and last event."""
    found = await _ids(tx, _r.id, _over(tenant, before), limit)
    if found:
        for table in (run_events, approvals, tool_calls):
            await tx.conn.execute(delete(table).where(table.c.tenant == tenant, table.c.run_id.in_(found)))
        await tx.conn.execute(delete(runs).where(_r.tenant == tenant, _r.id.in_(found)))
    return len(found)


async def delete_conversations(tx: Tx, tenant: str, before: Before, limit: int) -> int:
    """Expired conversations of which no run is left."""
    found = await _ids(tx, _c.id, _gone(tenant, before), limit)
    if found:
        await _drop_vaults(tx, tenant, found)
        await tx.conn.execute(delete(conversations).where(_c.tenant == tenant, _c.id.in_(found)))
    return len(found)


async def forget_addresses(tx: Tx, before: datetime) -> int:
    """Keyed hashes of addresses, in all tenants, of runs begun before then; a minute is all that they serve."""
    done = await tx.conn.execute(
        update(runs).where(_r.address.is_not(None), _r.created_at < before).values(address=None)
    )
    return int(done.rowcount)
