"""Stopping a run: its stream is cut, nothing pending is dispatched, a decided write is never cut (RUN-9)."""

from deputize.core.actor import Actor
from deputize.core.chain import Draft
from deputize.core.errors import IllegalMove, RunNotActive
from deputize.core.run import TERMINAL, RunStatus
from deputize.engine import access
from deputize.engine.ending import end
from deputize.engine.wiring import Wiring
from deputize.policy.plan import End
from deputize.store import attachments, leases, runs


async def cancel(w: Wiring, actor: Actor, run_id: str) -> None:
    """The owner stops their run. Raises Forbidden, NotFound, RunNotActive."""
    access.require(w, actor, "chat")
    async with w.db.read() as conn:
        row = await access.own_run(w, conn, actor, run_id)
    if RunStatus(row["status"]) in TERMINAL:
        raise RunNotActive()
    await stop(w, actor.tenant, run_id, by=actor.id)


async def stop(w: Wiring, tenant: str, run_id: str, *, by: str, code: str = "cancelled") -> bool:
    """Abort whatever the run is doing; False where it was over already.

    A run that somebody drives is told so in its record, with `code` as the reason, and its stream is cut; its
    driver ends it. A paused or abandoned one is ended here.
    """
    try:
        async with w.db.write(tenant, "stop") as tx:
            run = await runs.load(tx.conn, tenant, run_id, lock=True)
            if run is None or run.status in TERMINAL:
                return False
            abandoned = await leases.still_stale(tx.conn, tenant, run_id)
            if run.status is RunStatus.AWAITING_APPROVAL or abandoned:
                await end(w, tx, run, End(RunStatus.ABORTED, code), by=by)
                return True
            if not run.cancel_requested:
                await attachments.ask_to_end(tx, tenant, run_id, code)
                tx.note(Draft("run_stop_asked", by, {"owner": run.actor_id, "code": code}, run=run_id))
    except IllegalMove:
        return False
    w.hub.interrupt(run_id)
    return True
