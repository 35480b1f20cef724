"""Queries of tool calls, of their approvals, and of what a conversation has seen."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.approval import Approval, ApprovalStatus
from deputize.core.preview import Preview
from deputize.core.run import Outcome, ToolCall
from deputize.store.dialect import db_now, upsert_ignore
from deputize.store.session import Tx, plain
from deputize.store.tables import approvals, runs, sightings, tool_calls

_PREVIEW = TypeAdapter(Preview)


def _approval(row: Mapping[str, Any]) -> Approval:
    return Approval(
        id=row["id"],
        call_id=row["call_id"],
        status=ApprovalStatus(row["status"]),
        digest=row["digest"],
        arguments=row["arguments"],
        preview=_PREVIEW.validate_python(row["preview"]),
        versions=row["versions"],
        by=row["by_whom"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        reason=row["reason"],
    )


def _call(row: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> ToolCall:
    return ToolCall(
        id=row["id"],
        run_id=row["run_id"],
        step=row["step"],
        position=row["position"],
        tool=row["tool"],
        kind=row["kind"],
        raw=row["raw"],
        provider_id=row["provider_id"],
        extra=row["extra"] or {},
        arguments=row["arguments"],
        key=row["key"],
        outcome=Outcome(row["outcome"]) if row["outcome"] else None,
        code=row["code"],
        result=row["result"],
        sent=row["sent"],
        truncated=row["truncated"],
        from_record=row["from_record"],
        latency_ms=row["latency_ms"],
        created_at=row["created_at"],
        approval=_approval(found[-1]) if found else None,
        stagings=len(found),
        links=tuple(row["links"] or ()),
        staged_version=row["staged_version"],
        executed_version=row["executed_version"],
    )


async def _with_approvals(conn: AsyncConnection, rows: Sequence[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    staged = [row["id"] for row in rows if row["kind"] != "read"]
    if staged:
        a = approvals.c
        for row in await conn.execute(select(approvals).where(a.call_id.in_(staged)).order_by(a.created_at, a.id)):
            found.setdefault(row.call_id, []).append(plain(row))
    return tuple(_call(row, found.get(row["id"], ())) for row in rows)


async def of_run(conn: AsyncConnection, tenant: str, run_id: str) -> tuple[ToolCall, ...]:
    """All calls of a run in call order, each with its newest approval."""
    t = tool_calls.c
    rows = await conn.execute(
        select(tool_calls).where(t.tenant == tenant, t.run_id == run_id).order_by(t.step, t.position)
    )
    return await _with_approvals(conn, [plain(row) for row in rows])


async def of_conversation(conn: AsyncConnection, tenant: str, conversation_id: str) -> tuple[ToolCall, ...]:
    """All calls of a conversation, oldest first."""
    t = tool_calls.c
    rows = await conn.execute(
        select(tool_calls)
        .where(t.tenant == tenant, t.conversation_id == conversation_id)
        .order_by(t.created_at, t.step, t.position)
    )
    return await _with_approvals(conn, [plain(row) for row in rows])


async def get(conn: AsyncConnection, tenant: str, call_id: str) -> ToolCall | None:
    """One call of the tenant."""
    t = tool_calls.c
    row = (await conn.execute(select(tool_calls).where(t.tenant == tenant, t.id == call_id))).first()
    return (await _with_approvals(conn, [plain(row)]))[0] if row else None


async def insert_calls(tx: Tx, tenant: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the calls that a step emitted."""
    if rows:
        await tx.conn.execute(insert(tool_calls), [{"tenant": tenant, **row} for row in rows])


async def update_call(tx: Tx, tenant: str, call_id: str, **values: Any) -> None:
    """Set columns of one call."""
    t = tool_calls.c
    await tx.conn.execute(update(tool_calls).where(t.tenant == tenant, t.id == call_id).values(**values))


async def finish(tx: Tx, tenant: str, call_id: str, outcome: Outcome, **values: Any) -> bool:
    """Give the call its one result; False if it already had one."""
    t = tool_calls.c
    changed = await tx.conn.execute(
        update(tool_calls)
        .where(t.tenant == tenant, t.id == call_id, t.outcome.is_(None))
        .values(outcome=outcome.value, **values)
    )
    return changed.rowcount == 1


async def stage(tx: Tx, tenant: str, actor_id: str, run_id: str, approval: Approval, effect: str, ttl: float) -> None:
    """Insert a pending approval; its life of `ttl` seconds is counted in the database's time (APPR-6)."""
    await tx.conn.execute(
        insert(approvals).values(
            id=approval.id,
            tenant=tenant,
            run_id=run_id,
            call_id=approval.call_id,
            actor_id=actor_id,
            status=approval.status.value,
            by_whom=approval.by,
            digest=approval.digest,
            arguments=dict(approval.arguments),
            preview=asdict(approval.preview),
            versions=dict(approval.versions),
            effect=effect,
            created_at=approval.created_at,
            expires_at=approval.expires_at,
        )
    )


async def database_time(conn: AsyncConnection) -> datetime:
    """The database's own time."""
    return (await conn.execute(select(db_now()))).scalar_one()


async def decide(
    tx: Tx,
    tenant: str,
    approval_id: str,
    digest: str,
    to: ApprovalStatus,
    *,
    by: str,
    now: datetime,
    reason: str | None,
    via: str,
) -> bool:
    """The one conditional update of a decision (APPR-3): pending, this digest, not expired, run awaiting."""
    a = approvals.c
    waiting = (
        select(runs.c.id)
        .where(runs.c.id == a.run_id, runs.c.tenant == tenant, runs.c.status == "awaiting_approval")
        .exists()
    )
    changed = await tx.conn.execute(
        update(approvals)
        .where(
            a.tenant == tenant,
            a.id == approval_id,
            a.status == ApprovalStatus.PENDING.value,
            a.digest == digest,
            a.expires_at > db_now(),
            waiting,
        )
        .values(status=to.value, decided_by=by, decided_at=now, reason=reason, via=via)
    )
    return changed.rowcount == 1


async def close_pending(
    tx: Tx, tenant: str, run_id: str, to: ApprovalStatus, now: datetime, by: str | None = None
) -> list[str]:
    """End the run's pending approvals without a decision; the ids of their calls are returned."""
    a = approvals.c
    rows = await tx.conn.execute(
        update(approvals)
        .where(a.tenant == tenant, a.run_id == run_id, a.status == ApprovalStatus.PENDING.value)
        .values(status=to.value, decided_at=now, decided_by=by)
        .returning(a.call_id)
    )
    return [str(row[0]) for row in rows]


async def waiting_for(conn: AsyncConnection, tenant: str, actor_id: str | None) -> list[ToolCall]:
    """Calls with a pending approval of this actor's runs (of all, where None), oldest first."""
    a, t = approvals.c, tool_calls.c
    where = [a.tenant == tenant, a.status == ApprovalStatus.PENDING.value, a.expires_at > db_now()]
    if actor_id is not None:
        where.append(a.actor_id == actor_id)
    rows = await conn.execute(
        select(tool_calls).join(approvals, a.call_id == t.id).where(*where).order_by(a.created_at)
    )
    return list(await _with_approvals(conn, [plain(row) for row in rows]))


async def overdue(conn: AsyncConnection, limit: int) -> list[tuple[str, str]]:
    """`(tenant, run id)` of pending approvals whose time is over, over all tenants (the sweeper)."""
    a = approvals.c
    rows = await conn.execute(
        select(a.tenant, a.run_id)
        .where(a.status == ApprovalStatus.PENDING.value, a.expires_at <= db_now())
        .limit(limit)
    )
    return [(str(tenant), str(run_id)) for tenant, run_id in rows]


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
    await tx.conn.execute(upsert_ignore(sightings, rows, tx.dialect))
    s = sightings.c
    for row in rows:
        if row["version"] is not None:
            await tx.conn.execute(
                update(sightings)
                .where(
                    s.conversation_id == conversation_id,
                    s.run_id == run_id,
                    s.what == row["what"],
                    s.value == row["value"],
                )
                .values(version=row["version"])
            )


async def seen(
    conn: AsyncConnection, tenant: str, conversation_id: str, pairs: Collection[tuple[str, str]]
) -> list[dict[str, Any]]:
    """Sightings of these ids in the conversation, by any of its runs."""
    s = sightings.c
    rows = await conn.execute(
        select(sightings).where(
            s.tenant == tenant,
            s.conversation_id == conversation_id,
            s.value.in_({value for _, value in pairs}),
        )
    )
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


async def actions_since(
    conn: AsyncConnection, tenant: str, actor_id: str, conversation_id: str, since: datetime
) -> tuple[int, int]:
    """Actions of the actor since then, and of this conversation in all; refused ones do not count (TOOL-10)."""
    t = tool_calls.c
    counted = t.outcome.in_(["ok", "failed", "rejected", "expired", "stale", "unknown_effect"])
    query = select(
        func.count().filter(t.actor_id == actor_id, t.created_at > since),
        func.count().filter(t.conversation_id == conversation_id),
    ).where(t.tenant == tenant, (t.actor_id == actor_id) | (t.conversation_id == conversation_id), counted)
    minute, whole = (await conn.execute(query)).one()
    return int(minute), int(whole)
