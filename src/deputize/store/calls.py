"""Queries of tool calls, of their approvals, and of what a conversation has seen."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.approval import Approval, ApprovalStatus
from deputize.core.preview import Preview
from deputize.core.run import Outcome, ToolCall
from deputize.store.session import Tx, plain
from deputize.store.tables import approvals, tool_calls

_PREVIEW = TypeAdapter(Preview)


_t = tool_calls.c
_INSERT = insert(tool_calls)
_OF_RUN = (
    select(tool_calls)
    .where(_t.tenant == bindparam("of_tenant"), _t.run_id == bindparam("of_run"))
    .order_by(_t.step, _t.position)
)
_OF_CONVERSATION = (
    select(tool_calls)
    .where(_t.tenant == bindparam("of_tenant"), _t.conversation_id == bindparam("of_conversation"))
    .order_by(_t.created_at, _t.run_id, _t.step, _t.position)
)
_FINISH = update(tool_calls).where(
    _t.tenant == bindparam("of_tenant"), _t.id == bindparam("of_id"), _t.outcome.is_(None)
)
"""Statements of every turn are made once: building one costs as much as running it."""


def read_approval(row: Mapping[str, Any]) -> Approval:
    """An approval from its row."""
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
        approval=read_approval(found[-1]) if found else None,
        stagings=len(found),
        links=tuple(row["links"] or ()),
        edited=tuple(row["edited"] or ()),
        staged_version=row["staged_version"],
        executed_version=row["executed_version"],
    )


async def with_approvals(conn: AsyncConnection, rows: Sequence[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    """Calls from rows that were read under their tenants, each with its newest approval."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    staged = [row["id"] for row in rows if row["kind"] != "read"]
    if staged:
        a = approvals.c
        for row in await conn.execute(select(approvals).where(a.call_id.in_(staged)).order_by(a.created_at, a.id)):
            found.setdefault(row.call_id, []).append(plain(row))
    return tuple(_call(row, found.get(row["id"], ())) for row in rows)


async def of_run(conn: AsyncConnection, tenant: str, run_id: str) -> tuple[ToolCall, ...]:
    """All calls of a run in call order, each with its newest approval."""
    rows = await conn.execute(_OF_RUN, {"of_tenant": tenant, "of_run": run_id})
    return await with_approvals(conn, [plain(row) for row in rows])


async def of_conversation(conn: AsyncConnection, tenant: str, conversation_id: str) -> tuple[ToolCall, ...]:
    """All calls of a conversation, oldest first."""
    rows = await conn.execute(_OF_CONVERSATION, {"of_tenant": tenant, "of_conversation": conversation_id})
    return await with_approvals(conn, [plain(row) for row in rows])


async def get(conn: AsyncConnection, tenant: str, call_id: str) -> ToolCall | None:
    """One call of the tenant."""
    t = tool_calls.c
    row = (await conn.execute(select(tool_calls).where(t.tenant == tenant, t.id == call_id))).first()
    return (await with_approvals(conn, [plain(row)]))[0] if row else None


async def insert_calls(tx: Tx, tenant: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the calls that a step emitted."""
    if rows:
        await tx.conn.execute(_INSERT, [{"tenant": tenant, **row} for row in rows])


async def update_call(tx: Tx, tenant: str, call_id: str, **values: Any) -> None:
    """Set columns of one call."""
    t = tool_calls.c
    await tx.conn.execute(update(tool_calls).where(t.tenant == tenant, t.id == call_id).values(**values))


async def finish(tx: Tx, tenant: str, call_id: str, outcome: Outcome, **values: Any) -> bool:
    """Give the call its one result; False if it already had one."""
    given = {"of_tenant": tenant, "of_id": call_id, "outcome": outcome.value, **values}
    changed = await tx.conn.execute(_FINISH, given)
    return changed.rowcount == 1


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
