"""Who drives a run: taken up with a lease in database time, given back at a pause or an end (RUN-8)."""

from deputize.core.run import Run, RunStatus
from deputize.engine.wiring import Wiring
from deputize.store import leases, runs
from deputize.store.session import Tx


async def fence(w: Wiring, tx: Tx, run_id: str) -> None:
    """First statement of every write transaction of a run's driver: still ours, and for longer. Raises LeaseLost."""
    await leases.keep(tx, tx.tenant, run_id, w.process, w.limits.lease)


async def take_up(w: Wiring, tx: Tx, run: Run) -> None:
    """Move a paused run back to running, under this process's lease, in the decision's own transaction.

    Whoever read it before is forgotten: a run resumed by a decision over JSON counts as attached (RUN-9).
    """
    await runs.move(tx, run.tenant, run.id, RunStatus.RUNNING, w.clock.now(), attached_until=None)
    await leases.take(tx, run.tenant, run.id, w.process, w.limits.lease)
