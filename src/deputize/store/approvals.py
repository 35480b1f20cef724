"""Queries of approvals: staged, decided by one conditional update, closed, waiting, overdue."""

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.approval import Approval, ApprovalStatus
from deputize.core.run import ToolCall
from deputize.store.calls import read_approval, with_approvals
from deputize.store.dialect import db_now
from deputize.store.session import Tx, plain
from deputize.store.tables import approvals, runs, tool_calls


async def insert_pending(tx: Tx, tenant: str, actor_id: str, run_id: str, approval: Approval, effect: str) -> None:
    """Insert a pending approval with the canonical text over which its digest was taken."""
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
    card: Approval,
    to: ApprovalStatus,
    *,
    by: str,
    now: datetime,
    via: str,
    reason: str | None = None,
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
            a.id == card.id,
            a.status == ApprovalStatus.PENDING.value,
            a.digest == card.digest,
            a.expires_at > db_now(),
            waiting,
        )
        .values(status=to.value, decided_by=by, decided_at=now, reason=reason, via=via)
    )
    return changed.rowcount == 1


async def serve(tx: Tx, tenant: str, approval_id: str) -> None:
    """Its whole preview was given to somebody who may decide it (APPR-1)."""
    a = approvals.c
    await tx.conn.execute(update(approvals).where(a.tenant == tenant, a.id == approval_id).values(served=True))


async def was_served(conn: AsyncConnection, tenant: str, approval_id: str) -> bool:
    """Whether the whole preview was ever given to somebody who may decide it."""
    a = approvals.c
    return bool((await conn.execute(select(a.served).where(a.tenant == tenant, a.id == approval_id))).scalar())


async def effect_of(conn: AsyncConnection, tenant: str, call_id: str) -> str:
    """The canonical JSON under the digest of the call's newest approval."""
    a = approvals.c
    query = select(a.effect).where(a.tenant == tenant, a.call_id == call_id).order_by(a.created_at.desc(), a.id.desc())
    return str((await conn.execute(query.limit(1))).scalar_one())


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
    return list(await with_approvals(conn, [plain(row) for row in rows]))


async def of_call(conn: AsyncConnection, tenant: str, call_id: str) -> list[Approval]:
    """All approvals of a call, oldest first, each with its frozen preview as far as that is retained."""
    a = approvals.c
    query = select(approvals).where(a.tenant == tenant, a.call_id == call_id).order_by(a.created_at, a.id)
    return [read_approval(plain(row)) for row in await conn.execute(query)]


async def overdue(conn: AsyncConnection, limit: int) -> list[tuple[str, str]]:
    """`(tenant, run id)` of pending approvals whose time is over, over all tenants (the sweeper)."""
    a = approvals.c
    rows = await conn.execute(
        select(a.tenant, a.run_id)
        .where(a.status == ApprovalStatus.PENDING.value, a.expires_at <= db_now())
        .limit(limit)
    )
    return [(str(tenant), str(run_id)) for tenant, run_id in rows]
