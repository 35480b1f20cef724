"""The bell: one process asks, the others hear of it with the commit; without a connection there is the timer."""

import asyncio

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from deputize.store import bell
from deputize.store.dialect import read_only_engine

LONG = 200.0
"""Seconds that no test waits: it fails at its own limit before."""


async def ask(engine: AsyncEngine) -> None:
    """A commit that rings."""
    async with engine.begin() as conn:
        await conn.execute(text("INSERT INTO deputize_chores (name, begun_at, by_process) VALUES ('x', 0, 'p')"))
        await bell.ring(conn)


@pytest.mark.timeout(60)
async def test_what_is_asked_elsewhere_is_heard(database: AsyncEngine) -> None:
    """RUN-9, AUTO-7: with the commit on PostgreSQL, at the next glance on SQLite; each time anew."""
    reader = read_only_engine(database)
    async with bell.listening(reader) as hung:
        assert hung.hung
        if database.dialect.name == "sqlite":
            await hung.wait(bell.GLANCE)  # takes note of where the counter stands
        waiting = asyncio.create_task(hung.wait(LONG))
        await ask(database)
        await waiting
        assert not hung.rung.is_set()
        await hung.wait(bell.GLANCE)
    await reader.dispose()


@pytest.mark.timeout(60)
async def test_the_bell_takes_no_connection_of_the_pool(database: AsyncEngine) -> None:
    """SSE-3: a host's pool of one still has its one."""
    small = create_async_engine(database.url, pool_size=1, max_overflow=0, pool_timeout=5)
    async with bell.listening(small) as hung, small.connect() as conn:
        assert hung.hung
        assert await conn.scalar(text("SELECT 1")) == 1
    await small.dispose()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("databases", ["postgresql"], indirect=True)
async def test_a_lost_connection_is_noticed(database: AsyncEngine) -> None:
    async with bell.listening(database) as hung:
        async with database.begin() as conn:
            await conn.execute(
                text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
            )
        await hung.lost.wait()


async def test_without_a_database_there_is_the_timer(tmp_path: object) -> None:
    """A process that cannot listen polls, and says so once."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path}/nowhere/at/all.db")
    async with bell.listening(engine) as hung:
        assert not hung.hung
        await hung.wait(0.01)
    await engine.dispose()
