"""Group commit keeps each entry once, in one chain per tenant, and tells every caller the truth."""

import asyncio
from datetime import UTC, datetime

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.core.chain import Draft, NotCanonical
from deputize.store import audit_read
from deputize.store.appender import GroupAppender
from deputize.store.session import Database


class Frozen:
    def now(self) -> datetime:
        return datetime(2026, 5, 4, tzinfo=UTC)


def database_of(engine: AsyncEngine) -> Database:
    return Database(engine, lambda conn, _actor: AsyncSession(bind=conn), Frozen())


async def test_many_callers_few_commits(database: AsyncEngine) -> None:
    """AUD-1: 300 callers over three tenants, all kept, each chain whole."""
    db = database_of(database)
    commits: list[str] = []
    db.after_commit = commits.append
    appender = GroupAppender(db)
    await asyncio.gather(*(appender.append(f"t{n % 3}", Draft("viewed", "u", {"n": n})) for n in range(300)))
    await appender.close()
    assert len(commits) < 10
    async with database.connect() as conn:
        for tenant in ("t0", "t1", "t2"):
            assert str(await audit_read.verify_database(conn, tenant)) == "verified through 100"
    await db.close()


async def test_a_failure_reaches_its_callers_and_the_next_go_on(database: AsyncEngine) -> None:
    """AUD-3: loud, never silent; a draft that cannot be written fails alone."""
    db = database_of(database)
    appender = GroupAppender(db)

    def refuse(_label: str) -> None:
        raise RuntimeError("disk full")

    db.before_commit = refuse
    answers = await asyncio.gather(
        *(appender.append("t", Draft("viewed", "u", {})) for _ in range(3)), return_exceptions=True
    )
    assert [str(answer) for answer in answers] == ["disk full"] * 3
    db.before_commit = None
    with pytest.raises(NotCanonical):
        await appender.append("t", Draft("viewed", "u", {"x": 0.5}))
    await appender.append("t", Draft("viewed", "u", {}))
    async with database.connect() as conn:
        assert str(await audit_read.verify_database(conn, "t")) == "verified through 1"
    await db.close()
