"""Several worker processes, killed and frozen at random: every event and every effect once, none lost (AUTO-1)."""

import asyncio
import random
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.engine import sweeper
from deputize.store import audit_read
from deputize.store.dialect import db_now
from deputize.store.tables import outbox, runs
from tests.conftest import Fresh
from tests.crash.workers import depot_of
from tests.engine.depot import Advice

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Worker:
    """A worker process, and what it calls itself in its leases."""

    process: Process
    name: str


@asynccontextmanager
async def crew(engine: AsyncEngine, post: Path) -> AsyncIterator[Callable[[], Awaitable[Worker]]]:
    """Starts workers that have begun when it returns them; whoever is left at the end is killed, frozen or not."""
    processes: list[Process] = []

    async def start() -> Worker:
        address = engine.url.render_as_string(hide_password=False)
        command = [sys.executable, "-m", "tests.crash.workers", address, str(post), "0.05"]
        process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=PIPE)
        processes.append(process)
        assert process.stdout is not None
        name = (await process.stdout.readline()).decode().strip()
        assert name
        return Worker(process, name)

    try:
        yield start
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def lapse(engine: AsyncEngine, name: str) -> None:
    """Its leases are over, as if they had been waited for; retries are due, as if their pause had."""
    async with engine.begin() as conn:
        for table in (outbox, runs):
            mine = (table.c.lease_owner == name, table.c.status == "running")
            await conn.execute(update(table).where(*mine).values(lease_until=db_now()))
        await conn.execute(update(outbox).where(outbox.c.status == "pending").values(not_before=db_now()))


async def freeze(engine: AsyncEngine, one: Worker) -> None:
    """Stop the process between two transactions: what it has locked in one, nobody could have before it wakes up."""
    while True:
        one.process.send_signal(signal.SIGSTOP)
        if await idle(engine, one):
            return
        one.process.send_signal(signal.SIGCONT)
        await asyncio.sleep(0.02)  # it has to move on


async def idle(engine: AsyncEngine, one: Worker) -> bool:
    """Whether the frozen process holds no transaction open."""
    if engine.dialect.name == "sqlite":
        return await asyncio.to_thread(writable, str(engine.url.database))
    async with engine.connect() as conn:
        query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = :name AND state <> 'idle'"
        return not await conn.scalar(text(query), {"name": f"worker {one.process.pid}"})


def writable(path: str) -> bool:
    """Whether a write transaction can begin, within what the living ones take for theirs."""
    for _ in range(10):
        with (
            closing(sqlite3.connect(path, timeout=0.2, isolation_level=None)) as conn,
            suppress(sqlite3.OperationalError),
        ):
            conn.execute("BEGIN IMMEDIATE")
            conn.execute("ROLLBACK")
            return True
    return False


async def waiting(engine: AsyncEngine) -> int:
    async with engine.connect() as conn:
        query = select(func.count()).select_from(outbox).where(outbox.c.status.in_(["pending", "running"]))
        return int(await conn.scalar(query) or 0)


def marks(dice: random.Random, events: int, count: int) -> list[int]:
    """At how many waiting jobs somebody is struck, the first time first."""
    return sorted(dice.sample(range(events // 4, 2 * events), count), reverse=True)


async def drained(
    engine: AsyncEngine, start: Callable[[], Awaitable[Worker]], working: list[Worker], kills: int, struck: list[int]
) -> None:
    """All is done by the living, while the first `kills` that are struck die and the others freeze until the end."""
    frozen: list[Worker] = []
    for turn, mark in enumerate(struck):
        while await waiting(engine) > mark:  # noqa: ASYNC110 - what other processes do cannot set an event here
            await asyncio.sleep(0.02)
        victim = working.pop(0)
        if turn < kills:
            victim.process.kill()
            await victim.process.wait()
        else:
            await freeze(engine, victim)
            frozen.append(victim)
        await lapse(engine, victim.name)
        working.append(await start())
    while await waiting(engine):  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.02)
    for one in frozen:
        one.process.send_signal(signal.SIGCONT)
    for one in (*working, *frozen):
        one.process.terminate()
        assert await one.process.wait() == 0, "told to stop, a worker ends in order"


async def through(fresh: Fresh, folder: Path, events: int, workers: int, kills: int, zombies: int) -> None:
    """`events` tickets and as many keyed mails through `workers` processes, of which some are killed or frozen."""
    engine, post, dice = await fresh(), folder / "post", random.Random(events)
    depot = await depot_of(engine.url.render_as_string(hide_password=False), post)
    for n in range(events):
        await depot.ticket(str(n))
        await depot.queue(f"k{n}", "hook")
    async with crew(engine, post) as start:
        await drained(
            engine, start, [await start() for _ in range(workers)], kills, marks(dice, events, kills + zombies)
        )
    while await sweeper.sweep(depot.w):
        pass
    assert Counter(advice.ticket for advice in await depot.all(Advice)) == Counter(str(n) for n in range(events))
    assert set(post.read_text().split()) == {f"north:k{n}" for n in range(events)}
    assert {row["status"] for row in await depot.letters()} == {"done"}
    assert all(row["status"] != "running" for row in await depot.passes())
    async with depot.w.db.read() as conn:
        assert (await audit_read.verify_database(conn, "north")).ok
    await depot.deputy.close()
    await depot.engine.dispose()


@pytest.mark.timeout(600)
async def test_two_workers_one_killed(fresh: Fresh, tmp_path: Path) -> None:
    """AUTO-1: a killed one loses nothing and doubles nothing."""
    await through(fresh, tmp_path, events=25, workers=2, kills=1, zombies=0)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("workers", [1, 2, 4])
async def test_many_events_many_kills(fresh: Fresh, tmp_path: Path, workers: int) -> None:
    """AUTO-1: on each database 60 processes are killed and 27 frozen past their lease, which wake up at the end."""
    await through(fresh, tmp_path, events=300, workers=workers, kills=20, zombies=9)
