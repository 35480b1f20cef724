"""Several worker processes, killed and frozen at random: every event and every effect once, none lost (AUTO-1)."""

import asyncio
import random
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.store import audit_read
from deputize.store.tables import outbox
from tests.conftest import Fresh
from tests.crash.workers import depot_of
from tests.engine.depot import Advice

ROOT = Path(__file__).parent.parent.parent


async def start(engine: AsyncEngine, post: Path, pause: float) -> Process:
    """One worker process that has begun."""
    address = engine.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tests.crash.workers", address, str(post), str(pause)]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


async def waiting(engine: AsyncEngine) -> int:
    async with engine.connect() as conn:
        query = select(func.count()).select_from(outbox).where(outbox.c.status.in_(["pending", "running"]))
        return int(await conn.scalar(query) or 0)


async def through(fresh: Fresh, folder: Path, events: int, workers: int, kills: int, zombies: int) -> None:
    """`events` tickets and as many keyed mails through `workers` processes, of which some are killed or frozen."""
    engine, post, dice = await fresh(), folder / "post", random.Random(events)
    depot = await depot_of(engine.url.render_as_string(hide_password=False), post)
    for n in range(events):
        await depot.ticket(str(n))
        await depot.queue(f"k{n}", "hook")
    marks = sorted(dice.sample(range(events // 4, 2 * events), kills + zombies), reverse=True)
    working = [await start(engine, post, 0.05) for _ in range(workers)]
    frozen: list[Process] = []
    for turn, mark in enumerate(marks):
        while await waiting(engine) > mark:  # noqa: ASYNC110 - what other processes do cannot set an event here
            await asyncio.sleep(0.02)
        victim = working.pop(0)
        if turn < kills:
            victim.kill()
            await victim.wait()
        else:
            victim.send_signal(signal.SIGSTOP)
            frozen.append(victim)
        working.append(await start(engine, post, 0.05))
    while await waiting(engine):  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.02)
    for one in frozen:
        one.send_signal(signal.SIGCONT)
    for one in (*working, *frozen):
        one.terminate()
        assert await one.wait() == 0, "told to stop, a worker ends in order"
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
    """AUTO-1: a killed one loses nothing and doubles nothing; nobody ages its leases, they run out."""
    await through(fresh, tmp_path, events=25, workers=2, kills=1, zombies=0)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("workers", [1, 2, 4])
async def test_many_events_many_kills(fresh: Fresh, tmp_path: Path, workers: int) -> None:
    """AUTO-1: 10,000 events in all on each database, with kills and processes frozen past their lease."""
    await through(fresh, tmp_path, events=3334, workers=workers, kills=20, zombies=9)
