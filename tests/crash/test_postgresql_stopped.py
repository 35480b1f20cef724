"""The database fails while workers drain: nothing is stranded, nothing doubled, they go on by themselves (AUTO-1)."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import create_async_engine

from deputize.engine import sweeper, worker
from deputize.engine.worker import Health
from deputize.store import audit_read
from deputize.store.dialect import db_now
from deputize.store.migrate import upgrade
from deputize.store.tables import outbox, runs
from tests.crash.cluster import Cluster, cluster
from tests.crash.workers import depot_of
from tests.engine.depot import Advice, Depot

JOBS = 8
"""Letters, and as many tickets, for each time that the database fails."""


async def free(depot: Depot) -> None:
    """What was claimed when the database failed is due again, as if its lease had been waited for."""
    held, driven = sorted(depot.w.hub.held), sorted(depot.w.hub.driven())
    async with depot.w.db.write("*", "age") as tx:
        await tx.conn.execute(
            update(outbox).where(outbox.c.status == "running", outbox.c.id.not_in(held)).values(lease_until=db_now())
        )
        await tx.conn.execute(
            update(runs).where(runs.c.status == "running", runs.c.id.not_in(driven)).values(lease_until=db_now())
        )
        await tx.conn.execute(update(outbox).where(outbox.c.status == "pending").values(not_before=db_now()))


async def failing(where: Cluster, depot: Depot, times: int) -> None:
    """New work, and in the midst of it the database stops and comes back; each time at another moment."""
    dice, passed, due = random.Random(times), 0, asyncio.Event()
    wanted = 0

    def count(label: str) -> None:
        nonlocal passed
        passed += 1
        if passed >= wanted:
            due.set()

    depot.w.db.before_commit = count
    for turn in range(times):
        for n in range(turn * JOBS, (turn + 1) * JOBS):
            await depot.ticket(str(n))
            await depot.queue(f"k{n}", "hook")
        wanted = passed + dice.randrange(1, 4 * JOBS)
        due.clear()
        await due.wait()
        await asyncio.to_thread(where.stop)
        await asyncio.to_thread(where.start)
        await free(depot)


async def drained(depot: Depot) -> None:
    """Until nothing waits any more; what a lane gave up when the database failed is freed as it turns up."""
    while any(row["status"] in ("pending", "running") for row in await depot.letters()):
        await asyncio.sleep(0.05)
        await free(depot)


@pytest.mark.postgresql
@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.long)])
@pytest.mark.timeout(3000)
async def test_the_database_fails_while_draining(tmp_path: Path, times: int) -> None:
    with cluster() as where:
        engine = create_async_engine(where.url)
        await upgrade(engine)
        await engine.dispose()
        depot = await depot_of(where.url.render_as_string(hide_password=False), tmp_path / "post")
        stop, health = asyncio.Event(), Health()
        working = asyncio.create_task(worker.work(depot.w, stop, health))
        await failing(where, depot, times)
        await drained(depot)
        stop.set()
        await working
        await free(depot)
        while await sweeper.sweep(depot.w):
            pass
        names = [str(n) for n in range(times * JOBS)]
        assert Counter(advice.ticket for advice in await depot.all(Advice)) == Counter(names)
        assert set((tmp_path / "post").read_text().split()) == {f"north:k{n}" for n in names}
        assert {row["status"] for row in await depot.letters()} == {"done"}
        assert {row["status"] for row in await depot.passes()} <= {"complete", "error"}
        assert sum(row["status"] == "complete" for row in await depot.passes()) == len(names)
        async with depot.w.db.read() as conn:
            assert (await audit_read.verify_database(conn, "north")).ok
        await depot.deputy.close()
        await depot.engine.dispose()
