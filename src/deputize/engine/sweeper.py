"""Chores on a timer: what is dead or overdue is ended, checkpoints are signed, what is too old is let go."""

import asyncio
from functools import partial

from deputize.core.errors import IllegalMove
from deputize.core.run import RunStatus
from deputize.engine import expiry, money
from deputize.engine.checkpointing import Schedule, checkpoint_due
from deputize.engine.ending import end
from deputize.engine.failures import log_failure
from deputize.engine.retention import Daily, retention_due
from deputize.engine.wiring import Wiring
from deputize.policy.plan import End
from deputize.store import approvals, leases, runs

BATCH = 50


async def sweep(w: Wiring) -> int:
    """End what nobody drives any more (RUN-8) and what nobody decided in time; how many were ended."""
    async with w.db.read() as conn:
        lost = await leases.stale(conn, BATCH)
        late = await approvals.overdue(conn, BATCH)
    ended = 0
    for tenant, run_id in lost:
        ended += await _lost(w, tenant, run_id)
    for tenant, run_id in late:
        ended += await expiry.expire(w, tenant, run_id)
    await money.expire(w)
    return ended


async def _lost(w: Wiring, tenant: str, run_id: str) -> bool:
    try:
        async with w.db.write(tenant, "lease-lost") as tx:
            run = await runs.load(tx.conn, tenant, run_id, lock=True)
            if run is None or not await leases.still_stale(tx.conn, tenant, run_id):
                return False
            await end(w, tx, run, End(RunStatus.ERROR, "RUN_LEASE_LOST"))
    except IllegalMove:
        return False
    return True


async def keep_sweeping(w: Wiring, every: float) -> None:
    """Sweep and sign until cancelled; a failure is logged and the next round tries again."""
    schedule, daily = Schedule(), Daily()
    while True:
        for chore in (
            sweep,
            partial(checkpoint_due, schedule=schedule),
            partial(retention_due, daily=daily),
        ):
            try:
                await chore(w)
            except Exception as error:
                log_failure("a chore", error)
        await asyncio.sleep(every)
