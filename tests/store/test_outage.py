"""Which errors say that the database is away."""

from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from deputize.store.outage import is_outage


async def failed(engine: AsyncEngine, statement: str) -> BaseException:
    with pytest.raises((DBAPIError, OSError, PoolTimeout)) as caught:
        async with engine.connect() as conn:
            await conn.execute(text(statement))
    return caught.value


async def test_a_wrong_statement_is_no_outage(database: AsyncEngine) -> None:
    assert not is_outage(await failed(database, "SELECT nothing FROM nowhere"))
    assert not is_outage(await failed(database, "SELEKT 1"))
    assert not is_outage(ValueError("x"))


async def test_a_database_that_cannot_be_opened_is_one(tmp_path: Path) -> None:
    for url in (
        f"sqlite+aiosqlite:///{tmp_path / 'nowhere' / 'x.db'}",
        "postgresql+asyncpg://nobody@127.0.0.1:9/none",
    ):
        engine = create_async_engine(url)
        assert is_outage(await failed(engine, "SELECT 1"))
        await engine.dispose()


async def test_a_pool_that_is_used_up_is_one(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'x.db'}"
    engine = create_async_engine(url, pool_size=1, max_overflow=0, pool_timeout=0.05)
    async with engine.connect():
        assert is_outage(await failed(engine, "SELECT 1"))
    await engine.dispose()


async def test_a_lock_that_is_not_given_is_one(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'x.db'}?timeout=0"
    engine = create_async_engine(url)
    async with engine.connect() as first:
        await first.execute(text("CREATE TABLE t (n int)"))
        await first.commit()
        await first.execute(text("BEGIN IMMEDIATE"))
        assert is_outage(await failed(engine, "INSERT INTO t VALUES (1)"))
        await first.rollback()
    await engine.dispose()
