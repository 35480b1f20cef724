"""The heartbeat: what this process drives or works on stays its own for another lease, and nothing else (RUN-8)."""

import asyncio

from deputize.engine.failures import log_failure
from deputize.engine.wiring import Wiring
from deputize.store import leases, outbox

NOBODY = "*"
"""The tenant argument of chores that serve all tenants and write no chain entry."""
BEATS = 3
"""Beats in the length of one lease: two may fail before it is over."""


async def beat(w: Wiring) -> None:
    """Extend the leases of the runs, passes and outbox rows that are under way here.

    What a fault of ours left behind, owned but not driven, is not held: its lease runs out and it is swept.
    """
    rows, driven = sorted(w.hub.held), sorted(w.hub.driven())
    if rows:
        async with w.db.write(NOBODY, "heartbeat") as tx:
            await outbox.beat(tx.conn, w.process, rows, w.limits.lease)
    if driven:
        async with w.db.write(NOBODY, "heartbeat") as tx:
            await leases.beat(tx.conn, w.process, driven, w.limits.lease)


async def keep_beating(w: Wiring) -> None:
    """Beat until cancelled, apart from all other chores, which may take long; a failure is logged."""
    while True:
        await asyncio.sleep(w.limits.lease / BEATS)
        try:
            await beat(w)
        except Exception as error:
            log_failure("a heartbeat", error)
