"""How much waits, over all tenants: for operators' figures only."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.run import RunStatus
from deputize.store.tables import approvals, outbox, runs

UNFINISHED = (RunStatus.RUNNING.value, RunStatus.AWAITING_APPROVAL.value)
UNDONE = ("pending", "running", "failed", "unknown")


@dataclass(frozen=True, slots=True)
class Waiting:
    """Runs by status, pending cards, and rows of the outbox by (kind, status); what there is none of is 0."""

    runs: Mapping[str, int]
    approvals: int
    outbox: Mapping[tuple[str, str], int]


async def counts(conn: AsyncConnection) -> Waiting:
    """Counted over all tenants; what is done and over is not looked at."""
    r, a, o = runs.c, approvals.c, outbox.c
    by_status = dict.fromkeys(UNFINISHED, 0)
    rows = await conn.execute(select(r.status, func.count()).where(r.status.in_(UNFINISHED)).group_by(r.status))
    by_status |= {str(status): int(count) for status, count in rows}
    pending = await conn.scalar(select(func.count()).select_from(approvals).where(a.status == "pending"))
    undone = {(kind, status): 0 for kind in ("effect", "event") for status in UNDONE}
    rows = await conn.execute(
        select(o.kind, o.status, func.count()).where(o.status.in_(UNDONE)).group_by(o.kind, o.status)
    )
    undone |= {(str(kind), str(status)): int(count) for kind, status, count in rows}
    return Waiting(by_status, int(pending or 0), undone)


async def answers(conn: AsyncConnection) -> bool:
    """Whether the database answers at all."""
    return bool(await conn.scalar(text("SELECT 1")) == 1)
