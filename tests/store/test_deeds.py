"""What services leave to be done is written with the host's commit, or dropped with its rollback (APPR-5, AUD-3)."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, event, func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession
from sqlalchemy.orm import Session

from deputize import enqueue, note, on_commit, queue
from deputize.core.actor import Actor
from deputize.core.effect import Enqueued, Queued
from deputize.store import outbox as outbox_queries
from deputize.store.deeds import House, collecting, settle
from deputize.store.tables import audit_entries, audit_heads, metadata, outbox

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ACTOR = Actor(id="u1", tenant="north", grants=frozenset({"*"}))


class Frozen:
    def now(self) -> datetime:
        return NOW


@pytest.fixture
async def session(database: AsyncEngine) -> AsyncIterator[AsyncSession]:
    settle(database, House(clock=Frozen(), tenant="north"))
    async with AsyncSession(database) as opened:
        yield opened


async def written(engine: AsyncEngine) -> tuple[list[str], int]:
    """Keys in the outbox, and the length of the tenant's chain."""
    async with engine.connect() as conn:
        keys = (await conn.execute(select(outbox.c.key).order_by(outbox.c.key))).scalars().all()
        entries = (await conn.execute(select(func.count()).select_from(audit_entries))).scalar_one()
    return list(keys), entries


async def test_deeds_commit_with_the_hosts_transaction(session: AsyncSession, database: AsyncEngine) -> None:
    queue(session, "email", {"to": "ana@example.org", "at": NOW}, key="a")
    enqueue(session, "order.created", subject=7)
    note(session, ACTOR, "order_created", subject=7, details={"by": "desk"})
    assert await written(database) == ([], 0)
    await session.commit()
    assert await written(database) == (["7", "a"], 1)
    async with database.connect() as conn:
        row = (await conn.execute(select(outbox).where(outbox.c.key == "a"))).mappings().one()
        entry = (await conn.execute(select(audit_entries))).mappings().one()
    assert (row["kind"], row["type"], row["tenant"], row["status"]) == ("effect", "email", "north", "pending")
    assert row["payload"] == {"to": "ana@example.org", "at": "2026-03-02T09:00:00.000000Z"}
    assert (row["created_at"], row["attempts"], row["epoch"]) == (NOW, 0, 0)
    assert row["not_before"] is not None  # the database's time, by which workers claim
    assert entry["payload"] == '{"details":{"by":"desk"},"subject":"7"}'


async def test_h5_what_is_changed_afterwards_changes_no_record(session: AsyncSession, database: AsyncEngine) -> None:
    """H5: an entry and a mail are what they were when they were asked for, however deep the change."""
    details: dict[str, Any] = {"fields": ["a"], "by": {"desk": 1}}
    mail: dict[str, Any] = {"to": "ana@example.org", "lines": [{"text": "one"}]}
    note(session, ACTOR, "order_changed", subject=7, details=details)
    queue(session, "email", mail, key="a")
    details["fields"].append("b")
    details["by"]["desk"] = 2
    mail["to"] = "eve@example.org"
    mail["lines"][0]["text"] = "two"
    await session.commit()
    async with database.connect() as conn:
        row = (await conn.execute(select(outbox))).mappings().one()
        entry = (await conn.execute(select(audit_entries))).mappings().one()
    assert entry["payload"] == '{"details":{"by":{"desk":1},"fields":["a"]},"subject":"7"}'
    assert row["payload"] == {"to": "ana@example.org", "lines": [{"text": "one"}]}


async def test_a_rollback_drops_them_and_a_later_commit_writes_only_its_own(
    session: AsyncSession, database: AsyncEngine
) -> None:
    queue(session, "email", {}, key="lost")
    await session.execute(select(outbox))
    queue(session, "email", {}, key="lost too")
    await session.rollback()
    queue(session, "email", {}, key="kept")
    await session.commit()
    assert (await written(database))[0] == ["kept"]


async def test_closing_without_a_commit_drops_them(session: AsyncSession, database: AsyncEngine) -> None:
    await session.execute(select(outbox))
    queue(session, "email", {}, key="lost")
    await session.close()
    await session.execute(select(outbox))
    await session.commit()
    assert (await written(database))[0] == []


async def test_a_savepoint_keeps_or_drops_its_own(session: AsyncSession, database: AsyncEngine) -> None:
    queue(session, "email", {}, key="outer")
    async with session.begin_nested():
        queue(session, "email", {}, key="kept")
        inner = await session.begin_nested()
        queue(session, "email", {}, key="lost with the inner")
        await inner.rollback()
    outer = await session.begin_nested()
    async with session.begin_nested():
        queue(session, "email", {}, key="released, then lost with the one around")
    await outer.rollback()
    await session.commit()
    assert (await written(database))[0] == ["kept", "outer"]


async def test_the_chain_is_locked_last_of_all(session: AsyncSession, database: AsyncEngine) -> None:
    said: list[str] = []
    event.listen(database.sync_engine, "before_cursor_execute", lambda *a: said.append(a[2]))
    note(session, ACTOR, "x", subject=1)
    queue(session, "email", {}, key="a")
    await session.execute(insert(audit_heads).values(tenant="other", seq=0, hash="0"))
    await session.commit()
    wrote = [statement for statement in said if statement.startswith(("INSERT", "UPDATE"))]
    assert "deputize_outbox" in wrote[1]
    assert "deputize_audit_heads" in wrote[-1]
    assert await written(database) == (["a"], 1)


async def test_a_hook_runs_after_the_real_commit_only(
    session: AsyncSession, database: AsyncEngine, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[str] = []

    async def later() -> None:
        seen.append("awaited")

    def breaks() -> None:
        raise RuntimeError("nobody is told")

    on_commit(session, breaks)
    on_commit(session, partial(seen.append, "done"))
    on_commit(session, later)
    await session.execute(select(outbox))
    async with session.begin_nested():
        pass
    assert seen == []
    await session.commit()
    assert seen == ["done", "awaited"]
    assert "a hook after the commit failed" in caplog.text
    on_commit(session, partial(seen.append, "never"))
    await session.rollback()
    await session.commit()
    assert seen == ["done", "awaited"]


async def test_a_commit_that_fails_leaves_nothing_and_runs_no_hook(
    session: AsyncSession, database: AsyncEngine
) -> None:
    seen: list[str] = []
    await session.execute(insert(audit_heads).values(tenant="t", seq=0, hash="0"))
    queue(session, "email", {}, key="lost")
    on_commit(session, partial(seen.append, "never"))
    with pytest.raises(IntegrityError):
        await session.execute(insert(audit_heads).values(tenant="t", seq=0, hash="0"))
    await session.rollback()
    await session.commit()
    assert await written(database) == ([], 0)
    assert seen == []


async def test_the_same_deed_is_written_once(session: AsyncSession, database: AsyncEngine) -> None:
    for _ in range(2):
        queue(session, "email", {}, key="a")
        enqueue(session, "made", subject="a")
        await session.commit()
    queue(session, "sms", {}, key="a")
    queue(session, "email", {}, key="a", tenant="south")
    await session.commit()
    assert (await written(database))[0] == ["a"] * 4


async def test_a_deed_of_nobodys_tenant_fails_the_commit(database: AsyncEngine) -> None:
    settle(database, House(clock=Frozen()))
    async with AsyncSession(database) as session:
        queue(session, "email", {}, key="a")
        with pytest.raises(ValueError, match="whose deed"):
            await session.commit()
    async with AsyncSession(database, info={"tenant": "west"}) as session:
        queue(session, "email", {}, key="b")
        await session.commit()
    assert (await written(database))[0] == ["b"]


async def test_switched_off_events_are_not_written_and_effects_are(database: AsyncEngine) -> None:
    settle(database, House(clock=Frozen(), enabled=False, tenant="north"))
    async with AsyncSession(database) as session:
        enqueue(session, "made", subject=1)
        queue(session, "email", {}, key="a")
        note(session, ACTOR, "x", subject=1)
        await session.commit()
    assert await written(database) == (["a"], 1)


async def test_under_a_tool_nothing_is_written_and_only_what_was_committed_is_kept(
    session: AsyncSession, database: AsyncEngine
) -> None:
    with collecting() as basket:
        queue(session, "email", {"n": 1}, key="a")
        await session.commit()
        enqueue(session, "made", subject=1)
        await session.rollback()
        on_commit(session, print)
        await session.commit()
    deeds = basket.deeds()
    assert deeds.queued == (Queued("email", {"n": 1}, "a"),)
    assert (deeds.events, deeds.notes, deeds.hooks) == ((), (), (print,))
    assert await written(database) == ([], 0)


def test_a_plain_session_on_a_plain_engine_does_the_same(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'host.db'}")
    metadata.create_all(engine)
    settle(engine, House(clock=Frozen(), tenant="north"))
    seen: list[str] = []
    with Session(engine) as session:
        queue(session, "email", {}, key="a")
        note(session, ACTOR, "x", subject=1)
        on_commit(session, partial(seen.append, "done"))
        session.commit()
        queue(session, "email", {}, key="lost")
        session.rollback()
        session.commit()
    with engine.connect() as conn:
        assert conn.execute(select(outbox.c.key)).scalars().all() == ["a"]
        assert conn.execute(select(audit_entries.c.seq)).scalars().all() == [1]
    assert seen == ["done"]
    engine.dispose()


async def test_rows_say_which_call_they_came_from(database: AsyncEngine) -> None:
    more: dict[str, Any] = {"run_id": "r", "call_id": "c", "actor_id": "u1"}
    async with database.begin() as conn:
        await outbox_queries.put(conn, "north", [Queued("email", {}, "a")], [Enqueued("made", "1")], NOW, **more)
        await outbox_queries.put(conn, "north", [], [], NOW + timedelta(seconds=1))
        rows = (await conn.execute(select(outbox))).mappings().all()
    assert {(row["run_id"], row["call_id"], row["actor_id"]) for row in rows} == {("r", "c", "u1")}
    assert {row["subject"] for row in rows} == {None, "1"}
