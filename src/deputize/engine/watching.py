"""Looking out for what other processes say about runs that are driven here: cancelled, or no longer read (RUN-9)."""

import asyncio

from deputize.engine.cancelling import stop
from deputize.engine.failures import log_failure
from deputize.engine.wiring import Wiring
from deputize.store import attachments

EVERY = 0.5
"""Seconds between two looks while anything is driven or read here."""


async def look(w: Wiring) -> None:
    """Cut the streams of runs whose end was asked for elsewhere; end those whose last reader has gone for good."""
    if w.hub.streams:
        async with w.db.read() as conn:
            cancelled = await attachments.cancelled(conn, w.process, list(w.hub.streams))
        for run_id in cancelled:
            w.hub.interrupt(run_id)
    alone = [run_id for run_id in w.hub.tasks if not w.hub.read_here(run_id)]
    if alone:
        async with w.db.read() as conn:
            left = await attachments.left(conn, alone)
        for tenant, run_id, surface in left:
            declared = w.registry.surfaces.get(surface)
            if declared is not None and declared.disconnect == "abort":
                await stop(w, tenant, run_id, by="system", code="disconnected")


async def mark(w: Wiring) -> None:
    """Renew the marks of runs that are read here and driven elsewhere."""
    read = [run_id for run_id in w.hub.topics if run_id not in w.hub.tasks and w.hub.read_here(run_id)]
    if read:
        async with w.db.write("*", "readers") as tx:
            await attachments.mark(tx.conn, read, w.limits.disconnect_grace + 2 * EVERY)


async def keep_watching(w: Wiring, every: float = EVERY) -> None:
    """Look until cancelled, and renew the marks about once a second; a failure is logged, the next turn tries again."""
    turn = 0
    while True:
        await asyncio.sleep(every)
        turn += 1
        for chore in (look, mark) if turn % 2 else (look,):
            try:
                await chore(w)
            except Exception as error:
                log_failure("watching over runs", error)
