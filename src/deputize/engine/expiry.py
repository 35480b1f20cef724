"""Cards whose time is over: the approval expires, and the run with it (APPR-6)."""

from deputize.core.approval import ApprovalStatus
from deputize.core.errors import IllegalMove
from deputize.core.run import RunStatus
from deputize.engine.ending import end
from deputize.engine.wiring import Wiring
from deputize.policy.plan import End
from deputize.store import approvals, runs


async def expire(w: Wiring, tenant: str, run_id: str) -> bool:
    """Expire the run if its card is overdue on the database's time; False where there was nothing to expire."""
    try:
        async with w.db.write(tenant, "expire") as tx:
            run = await runs.load(tx.conn, tenant, run_id, lock=True)
            if run is None or run.status is not RunStatus.AWAITING_APPROVAL:
                return False
            now = await approvals.database_time(tx.conn)
            due = any(
                call.approval is not None
                and call.approval.status is ApprovalStatus.PENDING
                and call.approval.expires_at <= now
                for call in run.calls
            )
            if not due:
                return False
            await end(w, tx, run, End(RunStatus.EXPIRED, "approval_expired"), card=ApprovalStatus.EXPIRED)
    except IllegalMove:
        return False
    return True
