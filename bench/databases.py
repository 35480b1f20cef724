"""Fresh databases with our tables for benchmarks, and the plain one-row commit that they are compared with."""

import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import Column, Integer, MetaData, String, Table, insert
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.core.clock import SystemClock
from deputize.store.session import Database
from tests.databases import Databases, SqliteFiles, connect
from tests.postgresql import server

plain = Table("plain", MetaData(), Column("id", Integer, primary_key=True), Column("text", String(600)))
TEXT = "x" * 500


@asynccontextmanager
async def database(databases: Databases) -> AsyncIterator[AsyncEngine]:
    """A fresh database with our tables and the plain one."""
    url = await databases.fresh()
    engine = connect(url)
    async with engine.begin() as conn:
        await conn.run_sync(plain.metadata.create_all)
    yield engine
    await engine.dispose()
    await databases.drop(url)


@asynccontextmanager
async def both() -> AsyncIterator[list[Databases]]:
    """SQLite in a temporary folder and a PostgreSQL server of our own (without fsync, as in the tests)."""
    with tempfile.TemporaryDirectory() as folder, server() as postgresql:
        yield [SqliteFiles(Path(folder)), postgresql]
        await postgresql.close()


def door(engine: AsyncEngine) -> Database:
    """The product's own way to write: on SQLite callers of one process wait their turn instead of polling."""
    return Database(engine, lambda conn, _actor: AsyncSession(bind=conn), SystemClock())


async def plain_commits(engine: AsyncEngine, count: int) -> float:
    """Plain one-row commits a second, one after the other: the anchor."""
    begun = time.perf_counter()
    for _ in range(count):
        async with engine.begin() as conn:
            await conn.execute(insert(plain), {"text": TEXT})
    return count / (time.perf_counter() - begun)


def p99(values: list[float]) -> float:
    """The 99th percentile."""
    return sorted(values)[max(0, int(len(values) * 0.99) - 1)]
