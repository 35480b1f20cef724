"""Looking out for what other processes say about runs that are driven here: cancelled, or no longer read (RUN-9)."""

import asyncio
import time

from deputize.engine.cancelling import stop
from deputize.engine.failures import log_failure
from deputize.engine.wiring import Wiring
from deputize.store import attachments
from deputize.store.bell import Bell, listening

RETRY = 30.0
"""Seconds after which a process that could not listen tries again."""
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
    """Look until cancelled, at once where the bell rings; a failure is logged, the next turn tries again."""
    while True:
        try:
            async with listening(w.db.reader) as bell:
                await _watch(w, bell, every)
        except Exception as error:
            log_failure("listening for other processes", error)
        await asyncio.sleep(every)


async def _watch(w: Wiring, bell: Bell, every: float) -> None:
    """Until the bell's connection is lost, or it is time to try for one; marks are renewed about once a second."""
    began = marked = time.monotonic()
    while not bell.lost.is_set() and (bell.hung or time.monotonic() - began < RETRY):
        await bell.wait(every, lambda: w.hub.streams)
        chores = [look]
        if time.monotonic() - marked >= 2 * every:
            chores, marked = [look, mark], time.monotonic()
        for chore in chores:
            try:
                await chore(w)
            except Exception as error:
                log_failure("watching over runs", error)
