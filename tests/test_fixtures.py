"""The fixtures themselves: databases are fresh, alike and migrated, and what is missing fails."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, insert, inspect, select
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.store.tables import metadata, switches
from tests.conftest import Fresh
from tests.databases import Databases
from tests.needs import missing

START = datetime(2026, 3, 2, tzinfo=UTC)


async def count(engine: AsyncEngine) -> int:
    """Rows in one of our tables."""
    async with engine.connect() as conn:
        return (await conn.execute(select(func.count()).select_from(switches))).scalar_one()


@pytest.mark.parametrize("round_", [1, 2])
async def test_each_test_gets_a_database_that_nobody_has_written_to(database: AsyncEngine, round_: int) -> None:
    assert await count(database) == 0
    async with database.begin() as conn:
        row = {"tenant": "*", "name": "*", "enabled": True, "generation": round_, "updated_at": START}
        await conn.execute(insert(switches).values(row))
    assert await count(database) == 1


async def test_all_our_tables_are_there(database: AsyncEngine) -> None:
    async with database.connect() as conn:
        names = set(await conn.run_sync(lambda sync: inspect(sync).get_table_names()))
    assert names >= set(metadata.tables)


async def test_a_template_of_the_tests_own_is_filled_once(fresh: Fresh, databases: Databases) -> None:
    filled: list[str] = []

    async def prepare(engine: AsyncEngine) -> None:
        filled.append(engine.dialect.name)
        async with engine.begin() as conn:
            await conn.run_sync(metadata.create_all)
            await conn.execute(insert(switches).values(tenant="*", name="seeded", enabled=True, updated_at=START))

    first, second = await fresh("seeded", prepare), await fresh("seeded", prepare)
    assert filled == [databases.name]
    assert await count(first) == await count(second) == 1
    assert first.url != second.url


def test_a_missing_piece_fails_and_skips_only_where_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEPUTIZE_ALLOW_MISSING", raising=False)
    with pytest.raises(pytest.fail.Exception):
        missing("a piece")
    monkeypatch.setenv("DEPUTIZE_ALLOW_MISSING", "1")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception):
        missing("a piece")
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception):
        missing("a piece")


@pytest.mark.browser
def test_the_browser_is_installed(chromium: Path) -> None:
    assert os.access(chromium, os.X_OK)
