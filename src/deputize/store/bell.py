"""The bell: what one process asks of another is heard at once where the database can tell, and soon everywhere."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

log = logging.getLogger("deputize.store")

CHANNEL = "deputize_asked"
GLANCE = 0.1
"""Seconds between two looks at SQLite's counter of other connections' commits: far cheaper than a query."""


async def ring(conn: AsyncConnection) -> None:
    """Everybody who listens is told with this transaction's commit. Rare deeds only: PostgreSQL queues such commits."""
    if conn.dialect.name == "postgresql":
        await conn.execute(text("SELECT pg_notify(:channel, '')"), {"channel": CHANNEL})


class Bell:
    """Waits until something may have been asked elsewhere; a plain timer where it cannot listen."""

    def __init__(self, version: Any = None, *, hung: bool = True) -> None:
        self.hung = hung
        """Whether it listens; False where only the timer counts."""
        self.rung = asyncio.Event()
        self.lost = asyncio.Event()
        """The connection is gone; from then on only the timer counts."""
        self._version, self._seen = version, 0

    async def wait(self, seconds: float, wanted: Callable[[], Any] = lambda: True) -> None:
        """Return when the bell has rung, or after `seconds`; nobody looks at SQLite while it is not `wanted`."""
        if self._version is not None:
            await self._glance(seconds, wanted)
        else:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.rung.wait(), seconds)
        self.rung.clear()

    async def _glance(self, seconds: float, wanted: Callable[[], Any]) -> None:
        for _ in range(max(1, round(seconds / GLANCE))):
            await asyncio.sleep(GLANCE)
            if not wanted():
                continue
            seen = await self._version()
            if seen != self._seen:
                self._seen = seen
                return


@asynccontextmanager
async def listening(engine: AsyncEngine) -> AsyncIterator[Bell]:
    """A bell on a connection of its own, outside the pool, or one that only times where there is none to be had."""
    conn = None
    try:
        conn = await engine.connect()
        raw = (await conn.get_raw_connection()).driver_connection
        await conn.run_sync(lambda sync: sync.detach())
        bell = await _hung(conn.dialect.name, raw)
    except Exception as error:
        log.warning("no bell: what other processes ask is seen by polling (%s)", type(error).__qualname__)
        bell = Bell(hung=False)
    try:
        yield bell
    finally:
        if conn is not None:
            with suppress(Exception):
                await conn.close()


async def _hung(dialect: str, raw: Any) -> Bell:
    if dialect == "sqlite":

        async def version() -> int:
            async with raw.execute("PRAGMA data_version") as cursor:
                return int((await cursor.fetchone())[0])

        return Bell(version)
    bell = Bell()
    await raw.add_listener(CHANNEL, lambda *_: bell.rung.set())  # asyncpg's; another driver has no bell
    raw.add_termination_listener(lambda *_: bell.lost.set())
    return bell
