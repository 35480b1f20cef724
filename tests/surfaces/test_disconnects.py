"""Readers that leave at any moment: no connection of the pool is lost, kept or left in a transaction (SSE-3, RUN-9)."""

import asyncio
import random
from collections.abc import AsyncIterator

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from deputize.core.actor import Actor
from deputize.core.provider import Done, TextDelta
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import says
from tests.conftest import Fresh
from tests.engine.desk import EVA
from tests.surfaces.serving import PREFIX, Served, served

POOL = 5
TEAM = [f"reader{n}" for n in range(8)]
QUIET = {"AI_DISCONNECT_GRACE_MS": 0, "AI_RATE_LIMIT_MAX": 100_000, "AI_MAX_MESSAGES_PER_SESSION": 10_000}
QUIET |= {"AI_DAILY_SPEND_USD": 100, "AI_GLOBAL_DAILY_SPEND_USD": 1000, "AI_MAX_ACTIONS_PER_MINUTE": 100_000}


@pytest.fixture
async def pool(fresh: Fresh) -> AsyncIterator[AsyncEngine]:
    """An engine with five connections and not one more; who waits for one longer than 20 s fails."""
    made = await fresh()
    engine = create_async_engine(made.url, pool_size=POOL, max_overflow=0, pool_timeout=20)
    yield engine
    await engine.dispose()


async def leaving(site: Served, who: str, chance: random.Random, times: int) -> int:
    """Ask again and again, and leave each time after some number of bytes, often none; how many were left early."""
    early = 0
    session = (await site.post("/sessions", {"surface": "desk"}, who)).json()["id"]
    for _ in range(times):
        site.desk.provider.then([*(TextDelta(f"word {n} ") for n in range(8)), Done("stop")])
        headers = {**site.as_(who), "Accept": "text/event-stream"}
        path, patience = f"{PREFIX}/sessions/{session}/messages", chance.randrange(0, 900)
        try:
            async with asyncio.timeout(chance.choice((None, None, 0.001, 0.02, 0.05))):
                async with site.client.stream("POST", path, content='{"content":"hi"}', headers=headers) as answer:
                    got = 0
                    async for piece in answer.aiter_raw():
                        got += len(piece)
                        if got > patience:
                            break
                    early += got > patience
        except (TimeoutError, httpx2.TransportError):
            early += 1
    return early


async def settled(site: Served) -> None:
    """Every run that was driven is over, whatever became of its readers."""
    while tasks := list(site.desk.w.hub.tasks.values()):
        await asyncio.wait(tasks)
    readers = [task for task in asyncio.all_tasks() if task.get_name().startswith(("reader ", "grace "))]
    await asyncio.gather(*readers, return_exceptions=True)


async def healthy(engine: AsyncEngine) -> None:
    """All of the pool's connections can be had at once, and the server sees none in a transaction."""
    async with asyncio.timeout(20):
        held = [await engine.connect() for _ in range(POOL)]
    try:
        if engine.dialect.name == "postgresql":
            asked = text(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'"
            )
            for conn in held[1:]:
                await conn.rollback()
            assert await held[0].scalar(asked) == 0
    finally:
        for conn in held:
            await conn.close()


async def disconnected(engine: AsyncEngine, clock: FrozenClock, each: int, seed: int) -> None:
    async with served(engine, clock, settings=QUIET) as site:
        for name in TEAM:
            site.hire(Actor(name, "north", label=name, grants=EVA.grants))
        chances = [random.Random(seed * 100 + n) for n in range(len(TEAM))]
        left = await asyncio.gather(
            *(leaving(site, who, chance, each) for who, chance in zip(TEAM, chances, strict=True))
        )
        await settled(site)
        assert sum(left) > len(TEAM) * each // 4, "hardly anybody left early: this shows nothing"
        await healthy(engine)
        site.desk.provider.turns.clear()
        site.desk.provider.then(says("All is well."))
        session = (await site.post("/sessions", {"surface": "desk"})).json()["id"]
        frames = await site.stream("POST", f"/sessions/{session}/messages", {"content": "hi"})
        assert frames[-1].data["status"] == "complete"


async def test_readers_that_leave_at_random_leave_the_pool_healthy(pool: AsyncEngine, clock: FrozenClock) -> None:
    """SSE-3: the run's task owns its sessions; a reader only reads events."""
    await disconnected(pool, clock, each=3, seed=1)


@pytest.mark.long
@pytest.mark.timeout(1800)
async def test_two_hundred_readers_that_leave_at_random(pool: AsyncEngine, clock: FrozenClock) -> None:
    """SSE-3: 200 disconnects with a pool of five connections."""
    await disconnected(pool, clock, each=25, seed=2)
