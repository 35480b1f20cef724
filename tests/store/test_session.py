"""The committer: strict entries stand or fall with the deed, best effort ones follow it and fail loudly (AUD-3)."""

import logging

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession
from sqlalchemy.pool import QueuePool

from deputize.core.actor import Actor
from deputize.core.chain import Draft, NotCanonical
from deputize.store import audit_read
from deputize.store.session import AuditMode, Database, Undo
from deputize.testing.clock import FrozenClock

DEED = Draft("copilot_action", "ana", {"n": 1})
IMPOSSIBLE = Draft("copilot_action", "ana", {"n": 1.5})
"""Has no canonical form, so that the writer of the chain refuses it."""


def session(conn: AsyncConnection, actor: Actor) -> AsyncSession:
    return AsyncSession(bind=conn)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


async def opened(engine: AsyncEngine, clock: FrozenClock, mode: AuditMode) -> Database:
    async with engine.begin() as conn:
        await conn.execute(text("CREATE TABLE deeds (n int)"))
    return Database(engine, session, clock, b"a secret of the tests", mode)


async def deed(db: Database, draft: Draft) -> None:
    async with db.write("t", "deed") as tx:
        await tx.conn.execute(text("INSERT INTO deeds VALUES (1)"))
        tx.note(draft)


async def state(db: Database) -> tuple[int, str]:
    async with db.read() as conn:
        count = (await conn.execute(text("SELECT count(*) FROM deeds"))).scalar_one()
        return count, str(await audit_read.verify_database(conn, "t"))


async def test_strict_writes_neither_the_deed_nor_its_entry(database: AsyncEngine, clock: FrozenClock) -> None:
    db = await opened(database, clock, "strict")
    await deed(db, DEED)
    with pytest.raises(NotCanonical):
        await deed(db, IMPOSSIBLE)
    assert await state(db) == (1, "verified through 1")
    assert db.audit_failures == 0
    await db.close()


async def test_best_effort_keeps_the_deed_and_says_loudly_what_was_lost(
    database: AsyncEngine, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    """ADR-0116: a failure never blocks the tool; it is a warning with traceback, and counted."""
    db = await opened(database, clock, "best_effort")
    told: list[str] = []
    with caplog.at_level(logging.WARNING, logger="deputize.store"):
        await deed(db, IMPOSSIBLE)
    (said,) = caplog.records
    assert said.levelno == logging.WARNING
    assert "deed" in said.getMessage()
    assert said.exc_info is not None
    assert said.exc_info[0] is not None
    assert db.audit_failures == 1
    async with db.write("t", "deed") as tx:
        await tx.conn.execute(text("INSERT INTO deeds VALUES (2)"))
        tx.note(DEED)
        tx.on_commit(lambda: told.append("after"))
    assert told == ["after"]
    assert await state(db) == (2, "verified through 1")
    await db.close()


async def test_best_effort_writes_the_entry_in_a_transaction_of_its_own(
    database: AsyncEngine, clock: FrozenClock
) -> None:
    """The deed is committed before the entry is begun; a rolled-back deed leaves no entry."""
    db = await opened(database, clock, "best_effort")
    seen: list[str] = []

    def committed(label: str) -> None:
        seen.append(label)

    db.after_commit = committed
    await deed(db, DEED)
    async with db.write("t", "deed") as tx:
        tx.note(DEED)
        raise Undo
    assert seen == ["deed"]
    assert await state(db) == (1, "verified through 1")
    await db.close()


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
async def test_the_read_only_pool_closes_with_the_hosts(database: AsyncEngine, clock: FrozenClock) -> None:
    """A host that disposes of its engine and never closes the deputy leaves no connection to the file open."""
    db = await opened(database, clock, "strict")
    async with db.read() as conn:
        await conn.execute(text("SELECT 1"))
    pool = db.reader.pool
    assert isinstance(pool, QueuePool)
    assert pool.checkedin() == 1
    await database.dispose()
    assert pool.checkedin() == 0
