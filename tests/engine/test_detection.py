"""Detection beside the loop, failing closed, and redaction as a tenant chooses it (RED-1, RED-6)."""

import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated

import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Context, Trusted
from deputize.core.actor import Actor
from deputize.core.errors import DetectionFailed
from deputize.engine import overview
from deputize.engine.detection import Detection
from deputize.redaction.spans import Span
from deputize.store import audit_read
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, Desk, NewTask, Person, Task, TaskMade, make_desk

ADMIN = Actor("ada", "north", grants=frozenset({"copilot.*"}))


class Moody:
    """A detector that breaks on a word, and remembers in which thread it was asked."""

    multilingual = True

    def __init__(self, word: str = "") -> None:
        self.word = word
        self.threads: list[int] = []

    def find(self, text: str, language: str) -> list[Span]:
        self.threads.append(threading.get_ident())
        if self.word and self.word in text:
            raise RuntimeError(f"canary {text}")
        return []


class Hung:
    """A detector that answers when it is let go."""

    multilingual = True

    def __init__(self) -> None:
        self.go = threading.Event()

    def find(self, text: str, language: str) -> list[Span]:
        self.go.wait(30)
        return []


class Loose(TaskMade):
    title: Annotated[str, Trusted()]


async def add_loosely(ctx: Context, args: NewTask) -> Loose:
    """Add a task and answer in free text."""
    made = Task(tenant=ctx.actor.tenant, person_id=args.person, title=args.title)
    ctx.session.add(made)
    await ctx.session.flush()
    return Loose(id=made.id, title=made.title)


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock, moody: Moody) -> AsyncIterator[Desk]:
    made = await make_desk(database, clock, detectors=[moody])
    yield made
    await made.deputy.close()


async def test_red_6_texts_are_read_beside_the_loop_and_once(moody: Moody) -> None:
    detection = Detection.of([moody])
    await detection.read(["one", "two"])
    await detection.read(["two", "three"])
    (ready,) = detection.ready
    assert ready.find("three", "es") == []
    assert len(moody.threads) == 3
    assert threading.get_ident() not in moody.threads


async def test_red_6_what_is_not_read_in_time_is_not_sent() -> None:
    hung = Hung()
    detection = replace(Detection.of([hung]), patience=0.01)
    try:
        with pytest.raises(DetectionFailed):
            await detection.read(["text"])
    finally:
        hung.go.set()


async def test_red_6_a_message_that_cannot_be_read_is_not_sent(desk: Desk, moody: Moody) -> None:
    moody.word = "unreadable"
    conversation = await desk.open(EVA)
    with pytest.raises(DetectionFailed) as caught:
        await desk.say(EVA, conversation, "unreadable words")
    assert "unreadable" not in str(caught.value)
    assert desk.provider.requests == []
    desk.provider.then(says("Hello."))
    assert (await desk.say(EVA, conversation, "good morning")).text == "Hello."


async def test_red_6_words_of_the_host_that_cannot_be_read_are_withheld(desk: Desk, moody: Moody) -> None:
    """A guard's and a service's; the call ends failed, and the run goes on."""
    async with AsyncSession(desk.engine) as session:
        await session.execute(update(Person).values(remark="boss"))
        await session.commit()
    desk.provider.then(
        calls(("find_people", {"query": "Ana"})),
        calls(("remove_person", {"person": ANA})),
        calls(("add_task", {"person": ANA, "title": "forbidden"})),
        says("Neither."),
    )
    moody.word = "boss"
    told = await desk.say(EVA, await desk.open(EVA), "remove her")
    assert told.outcomes() == ["ok", "failed", "refused"]
    assert told.codes()[1] == "detection_failed"
    assert "boss" not in str(desk.provider.requests)


async def test_red_6_an_approved_write_whose_answer_cannot_be_read_does_not_stand(desk: Desk, moody: Moody) -> None:
    tools = desk.w.registry.tools
    tools["add_task"] = replace(tools["add_task"], result=Loose, handler=add_loosely)  # type: ignore[index]
    desk.provider.then(
        calls(("find_people", {"query": "Ana"})), calls(("add_task", {"person": ANA, "title": "new"})), says("Failed.")
    )
    told = await desk.say(EVA, await desk.open(EVA), "a task")
    moody.word = "new"
    await desk.decide(EVA, told.card, True)
    after = await desk.read(EVA, told.run_id, told.last)
    assert (after.outcomes()[-1], after.codes()[-1]) == ("failed", "detection_failed")
    assert await desk.rows(Task) == []


async def test_red_6_a_reason_that_cannot_be_read_does_not_keep_a_person_from_saying_no(
    desk: Desk, moody: Moody
) -> None:
    desk.provider.then(
        calls(("find_people", {"query": "Ana"})), calls(("set_remark", {"person": ANA, "remark": "new"})), says("So.")
    )
    told = await desk.say(EVA, await desk.open(EVA), "a remark")
    moody.word = "unreadable"
    await desk.decide(EVA, told.card, False, reason="unreadable reason")
    after = await desk.read(EVA, told.run_id, told.last)
    assert after.outcomes()[-1] == "rejected"
    assert "unreadable" not in str(desk.provider.requests[-1])


async def test_red_1_switching_off_is_an_act_that_is_written_down_and_shown(desk: Desk) -> None:
    """Where a surface makes it mandatory, it stays on whatever the tenant chose."""
    desk.provider.then(says("One."), says("Two."), says("Three."))
    conversation = await desk.open(EVA)
    await desk.say(EVA, conversation, "about Ana Ruiz")
    changed = await overview.change_settings(desk.w, ADMIN, {"redaction": False})
    assert changed["redactionEnabled"] is False
    async with desk.w.db.read() as conn:
        entries, _ = await audit_read.entries(conn, "north", page_size=50)
    (entry,) = [one for one in entries if one.kind == "settings_changed"]
    assert entry.payload is not None
    assert entry.payload["changed"] == {"redaction": {"before": True, "after": False}}
    assert (await overview.me(desk.w, EVA, "desk", None, ""))["redaction"]["on"] is False
    await desk.say(EVA, conversation, "again about Ana Ruiz")
    surfaces = desk.w.registry.surfaces
    surfaces["desk"] = replace(surfaces["desk"], redaction="mandatory")  # type: ignore[index]
    assert (await overview.me(desk.w, EVA, "desk", None, ""))["redaction"]["on"] is True
    await desk.say(EVA, conversation, "once more")
    first, second, third = (str(request.messages) for request in desk.provider.requests)
    assert "Ruiz" not in first
    assert "again about Ana Ruiz" in second
    assert "Ruiz" not in third
