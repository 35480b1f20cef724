"""What the host is told: after the commit, without content, and whatever the subscriber does (OPS-6)."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.usage import Usage
from deputize.engine import announce, conversations
from deputize.store import settings
from deputize.store.session import Undo
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, Desk, Task, make_desk


class Subscriber:
    """Keeps what it is told; may fail or hang."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[tuple[str, Mapping[str, Any]]] = asyncio.Queue()
        self.mood = "good"

    async def __call__(self, what: str, details: Mapping[str, Any]) -> None:
        self.told.put_nowait((what, details))
        if self.mood == "bad":
            raise RuntimeError(f"the subscriber's own fault, with a value: {details}")
        if self.mood == "asleep":
            await asyncio.Event().wait()

    async def next(self, count: int) -> list[tuple[str, Mapping[str, Any]]]:
        return [await self.told.get() for _ in range(count)]


@pytest.fixture
def subscriber() -> Subscriber:
    return Subscriber()


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock, subscriber: Subscriber) -> AsyncIterator[Desk]:
    made = await make_desk(database, clock, on_event=subscriber)
    yield made
    await made.deputy.close()


def script(desk: Desk) -> None:
    desk.provider.then(
        calls(("find_people", {})), calls(("nope", {}), ("add_task", {"person": ANA, "title": "secret"})), says("Ok.")
    )


async def test_sessions_and_tools_are_told_without_content(desk: Desk, subscriber: Subscriber) -> None:
    """OPS-6: ids and fixed words; a tool that nobody declared keeps its name to itself."""
    conversation = await desk.open(EVA)
    assert await subscriber.next(1) == [
        ("session_started", {"tenant": "north", "session": conversation, "surface": "desk", "user": "eva"})
    ]
    script(desk)
    told = await desk.say(EVA, conversation, "do it")
    await desk.decide(EVA, told.card, True)
    await desk.read(EVA, told.run_id, told.last)
    found = await subscriber.next(3)
    assert [(what, d["tool"], d["outcome"]) for what, d in found] == [
        ("tool_invoked", "find_people", "ok"),
        ("tool_invoked", "unknown", "invalid"),
        ("tool_invoked", "add_task", "ok"),
    ]
    keys = {"tenant", "session", "run", "surface", "user", "call", "tool", "outcome"}
    assert all(set(details) == keys for _, details in found)
    second = await desk.open(EVA)
    await conversations.end(desk.w, EVA, second)
    ended = await subscriber.next(3)
    assert sorted((what, details["session"]) for what, details in ended) == sorted(
        [("session_ended", conversation), ("session_started", second), ("session_ended", second)]
    )


async def test_the_budget_threshold_is_told_once(desk: Desk, subscriber: Subscriber) -> None:
    """OPS-6, BUD-5: once a period."""
    async with desk.w.db.write("north", "test") as tx:
        await settings.save(tx, "north", {"monthly_token_limit": 500_000}, "eva", desk.clock.now())
    conversation = await desk.open(EVA)
    await subscriber.next(1)
    for _ in range(2):
        desk.provider.then(
            says("Hello.", Usage(input=401_000, output=5)) if not desk.provider.requests else says("Hi.")
        )
        await desk.say(EVA, conversation, "hi")
    assert await subscriber.next(1) == [
        ("budget_threshold_reached", {"tenant": "north", "scope": "tenant", "period": "month"})
    ]
    assert subscriber.told.empty()


@pytest.mark.parametrize("mood", ["bad", "asleep"])
async def test_a_failing_subscriber_changes_nothing(
    desk: Desk, subscriber: Subscriber, mood: str, caplog: pytest.LogCaptureFixture
) -> None:
    """OPS-6: the run ends as ever, the write is there, and the log has no value in it."""
    subscriber.mood = mood
    conversation = await desk.open(EVA)
    script(desk)
    told = await desk.say(EVA, conversation, "do it")
    await desk.decide(EVA, told.card, True)
    told = await desk.read(EVA, told.run_id, told.last)
    assert told.kinds[-1] == "message_done"
    assert len(await desk.rows(Task)) == 1
    await subscriber.next(4)
    for task in list(announce._telling):
        task.cancel()
    assert conversation not in caplog.text


async def test_nothing_is_told_of_what_was_undone(desk: Desk, subscriber: Subscriber) -> None:
    """OPS-6: after the commit only."""
    async with desk.w.db.write("north", "test") as tx:
        announce.announce(desk.w, tx, "session_started", {})
        raise Undo
    async with desk.w.db.write("north", "test") as tx:
        announce.announce(desk.w, tx, "session_ended", {})
    assert await subscriber.next(1) == [("session_ended", {"tenant": "north"})]
