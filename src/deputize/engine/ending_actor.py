"""Logout, lock or deletion of a person: their runs are aborted and their cards expire (RUN-9)."""

from deputize.core.actor import Actor
from deputize.engine.cancelling import stop
from deputize.engine.wiring import Wiring
from deputize.store import runs


async def end_actor(w: Wiring, actor: Actor) -> int:
    """Stop every run of the actor that is not over; how many were stopped."""
    async with w.db.read() as conn:
        unfinished = await runs.unfinished_of(conn, actor.tenant, actor.id)
    stopped = 0
    for run_id in unfinished:
        stopped += await stop(w, actor.tenant, run_id, by=actor.id, code="signed_out")
    return stopped
