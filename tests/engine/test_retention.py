"""What is too old is let go, step by step, and only that (AUD-5)."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.errors import RunNotActive
from deputize.core.run import RunStatus
from deputize.engine import conversations, deliver, retention, runs
from deputize.engine.retention import Daily
from deputize.store import audit_read, chores
from deputize.store import tables as t
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, Desk, make_desk

DAY = 86_400
PRIVATE = ("Ana Ruiz", "ana@ruiz", "my dear", ANA)


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Desk]:
    made = await make_desk(database, clock)
    yield made
    await made.deputy.close()


async def worked(desk: Desk) -> tuple[str, str]:
    """Eva has a letter sent to Ana, and the conversation ended; ids of conversation and run."""
    letter = {"person": ANA, "to": "ana@ruiz.example", "body": "my dear"}
    desk.provider.then(calls(("find_people", {"query": "Ana"})), calls(("send_letter", letter)), says("Sent to Ana."))
    conversation = await desk.open(EVA)
    told = await desk.say(EVA, conversation, "write to ana@ruiz.example, Ana Ruiz: my dear")
    await desk.decide(EVA, told.card, True, reason="my dear wish")
    await desk.read(EVA, told.run_id, told.last)
    assert await deliver.deliver_one(desk.w)
    await conversations.end(desk.w, EVA, conversation)
    return conversation, told.run_id


async def count(desk: Desk, table: Any) -> int:
    async with desk.w.db.read() as conn:
        return int(await conn.scalar(select(func.count()).select_from(table)) or 0)


async def everything(desk: Desk, *but: Any) -> str:
    """All that our tables hold, as text."""
    found = []
    async with desk.w.db.read() as conn:
        for table in t.metadata.sorted_tables:
            if table not in but:
                found += [repr(tuple(row)) for row in await conn.execute(select(table))]
    return "\n".join(found)


async def test_contents_go_after_ninety_days(desk: Desk) -> None:
    """AUD-5: messages, arguments, results, previews, delivered payloads, the vault; what happened stays."""
    conversation, run_id = await worked(desk)
    desk.clock.advance(90 * DAY - 1)
    assert await retention.run(desk.w)
    before = await everything(desk)
    assert all(word in before for word in PRIVATE)
    desk.clock.advance(2)
    assert (await retention.due(desk.w))["north"]["transcripts"] == 1
    went: list[tuple[str, str, int]] = []
    assert await retention.run(desk.w, lambda *step: went.append(step))
    assert went == [("north", "transcripts", 1), ("north", "conversations_expired", 1), ("north", "payloads", 1)]
    left = await everything(desk, t.audit_entries)
    assert [word for word in PRIVATE if word in left] == []
    assert [await count(desk, table) for table in (t.messages, t.vaults, t.vault_entries, t.sightings)] == [0, 0, 0, 0]
    shown = await runs.one(desk.w, EVA, run_id)
    assert shown["status"] == "complete"
    assert shown["costMicroUsd"] > 0
    assert [(call["tool"], call["outcome"]) for call in shown["toolCalls"]] == [
        ("find_people", "ok"),
        ("send_letter", "ok"),
    ]
    assert len(shown["toolCalls"][1]["approval"]["digest"]) == 64
    assert shown["toolCalls"][1]["approval"]["decidedBy"] == "eva"
    page = await conversations.page_of(desk.w, EVA, 1, 10)
    assert [(one["id"], one["status"], one["title"]) for one in page["items"]] == [(conversation, "expired", "")]
    assert (await desk.read(EVA, run_id)).kinds == ["message_done"], "a reader is not left waiting"
    async with desk.w.db.read() as conn:
        assert (await audit_read.verify_database(conn, "north")).ok
    assert await retention.run(desk.w)
    assert not any((await retention.due(desk.w))["north"].values())


async def test_a_conversation_still_in_use_keeps_what_is_young(desk: Desk) -> None:
    """AUD-5: each run by its own age; the vault lives as long as any of the transcript does."""
    conversation = await desk.open(EVA)
    desk.provider.then(says("Old words."), says("Young words."), says("Newest."))
    old = await desk.say(EVA, conversation, "the old question about Ana Ruiz Calvo")
    desk.clock.advance(89 * DAY)
    await desk.say(EVA, conversation, "the young question about Bob Stone")
    desk.clock.advance(2 * DAY)
    assert await retention.run(desk.w)
    shown = await conversations.messages(desk.w, EVA, conversation, 1, 10)
    assert [one["content"] for one in shown["items"]] == ["the young question about Bob Stone", "Young words."]
    assert await count(desk, t.vaults) == 1
    assert (await desk.say(EVA, conversation, "and now?")).text == "Newest."
    assert "old question" not in repr(desk.provider.requests[-1].messages)
    async with desk.w.db.write("north", "test") as tx:
        values = {"status": RunStatus.ERROR.value}
        await tx.conn.execute(t.runs.update().where(t.runs.c.id == old.run_id).values(**values))
    with pytest.raises(RunNotActive):
        await runs.retry(desk.w, EVA, old.run_id)


async def test_what_is_under_way_is_left_alone(desk: Desk) -> None:
    """AUD-5: a card that waits, a failed effect that a person must see to."""
    desk.provider.then(calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "call"})))
    told = await desk.say(EVA, await desk.open(EVA), "task")
    async with desk.w.db.write("north", "test") as tx:
        row = {"tenant": "north", "kind": "effect", "type": "email", "payload": {"to": "x"}, "status": "failed"}
        now = desk.clock.now()
        ids = {"id": "f" * 36, "key": "k", "not_before": now, "created_at": now, "done_at": now}
        await tx.conn.execute(t.outbox.insert().values(**row, **ids))
    desk.clock.advance(400 * DAY)
    assert not any((await retention.due(desk.w))["north"].values())
    assert await retention.run(desk.w)
    assert (await runs.one(desk.w, EVA, told.run_id))["status"] == "awaiting_approval"
    assert "find_people" in await everything(desk)
    assert "'to': 'x'" in await everything(desk)


async def test_records_go_after_a_year_and_entries_after_five(desk: Desk) -> None:
    """AUD-5: the chain alone remains, and verifies once its payloads are erased too."""
    await worked(desk)
    desk.clock.advance(366 * DAY)
    assert await retention.run(desk.w)
    for table in (t.runs, t.conversations, t.tool_calls, t.approvals, t.run_events, t.messages):
        assert await count(desk, table) == 0, table.name
    assert await count(desk, t.outbox) == 1, "that it was sent stays"
    assert ANA in await everything(desk)
    desk.clock.advance(4 * 366 * DAY)
    assert await retention.run(desk.w)
    assert ANA not in await everything(desk)
    async with desk.w.db.read() as conn:
        verdict = await audit_read.verify_database(conn, "north")
    assert verdict.ok
    assert verdict.erased > 3


async def test_many_go_in_batches(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """AUD-5: a round of the sweeper does a few batches and goes on at the next."""
    monkeypatch.setattr(retention, "BATCH", 1)
    monkeypatch.setattr(retention, "A_ROUND", 2)
    monkeypatch.setattr(retention, "STEPS", tuple((kind, step, 1) for kind, step, _ in retention.STEPS))
    for _ in range(3):
        conversation = await desk.open(EVA)
        desk.provider.then(says("Hello."))
        await desk.say(EVA, conversation, "hi")
    desk.clock.advance(91 * DAY)
    daily = Daily()
    await retention.retention_due(desk.w, daily)
    assert daily.working
    assert (await retention.due(desk.w))["north"]["transcripts"] == 1
    rounds = 1
    while daily.working:
        rounds += 1
        await retention.retention_due(desk.w, daily)
    assert rounds == 4
    assert await count(desk, t.messages) == 0


async def test_one_process_a_day(desk: Desk) -> None:
    """AUD-5: the mark stands in the database, and a day later anybody may take it."""
    now = desk.clock.now()

    async def take(process: str, at: Any) -> bool:
        async with desk.w.db.write("*", "test") as tx:
            return await chores.take(tx, "retention", process, at, timedelta(days=1))

    assert await take("one", now)
    assert not await take("two", now + timedelta(hours=23))
    assert await take("two", now + timedelta(hours=24))
    assert not await take("one", now + timedelta(hours=25))


async def test_addresses_go_after_a_day(desk: Desk) -> None:
    """BUD-7: the hash of where a message came from serves a minute."""
    conversation = await desk.open(EVA)
    desk.provider.then(says("Hello."))
    await desk.read(EVA, await runs.start(desk.w, EVA, conversation, "hi", None, None, "203.0.113.7"))
    assert await retention.run(desk.w)
    async with desk.w.db.read() as conn:
        assert await conn.scalar(select(t.runs.c.address)) is not None
    desk.clock.advance(DAY + 1)
    assert await retention.run(desk.w)
    async with desk.w.db.read() as conn:
        assert await conn.scalar(select(t.runs.c.address)) is None
