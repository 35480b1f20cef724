"""Readers that leave: after the grace an abandoned run is aborted, where its surface says so (RUN-9)."""

import asyncio

from deputize.core.actor import Actor
from deputize.engine.cancelling import stop
from deputize.engine.failures import log_failure
from deputize.engine.wiring import Wiring
from deputize.store import attachments, runs

_pending: set["asyncio.Task[None]"] = set()
"""Tasks that wait out a grace; kept so that they are not collected."""


def left(w: Wiring, actor: Actor, run_id: str) -> None:
    """A reader of the run has gone; called when its stream closes, whatever the reason."""
    if run_id not in w.hub.tasks:
        return
    task = asyncio.create_task(_after_grace(w, actor.tenant, run_id), name=f"grace {run_id}")
    _pending.add(task)
    task.add_done_callback(_pending.discard)


async def _after_grace(w: Wiring, tenant: str, run_id: str) -> None:
    await asyncio.sleep(w.limits.disconnect_grace)
    if run_id not in w.hub.tasks or w.hub.read_here(run_id):
        return
    try:
        async with w.db.read() as conn:
            if await attachments.attached(conn, tenant, run_id):
                return  # read in another process; whoever watches over runs here ends it once that is over
            row = await runs.row(conn, tenant, run_id)
        surface = w.registry.surfaces.get(row["surface"]) if row else None
        if surface is not None and surface.disconnect == "abort":
            await stop(w, tenant, run_id, by="system", code="disconnected")
    except Exception as error:
        log_failure("aborting an abandoned run", error)


async def shut_down(w: Wiring, seconds: float = 1.5) -> None:
    """At the end of the process: decisions are seen through, streams cut, drivers get a moment to write theirs down."""
    if w.hub.deeds:
        await asyncio.wait(w.hub.deeds, timeout=seconds)
    tasks = [task for task in w.hub.tasks.values() if not task.done()]
    for run_id in list(w.hub.streams):
        w.hub.interrupt(run_id)
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)
    for task in [*tasks, *_pending]:
        task.cancel()
    await asyncio.gather(*tasks, *_pending, return_exceptions=True)
