"""Readers: the text so far, the events that were missed, another process's progress (SSE-1, RUN-7)."""

import asyncio
from dataclasses import replace

from deputize.core.event import Token
from deputize.core.provider import Done, TextDelta
from deputize.engine import pieces, runs
from deputize.engine.hub import Hub
from deputize.engine.readers import Reader, Shown
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, Desk


async def until_text(desk: Desk, run_id: str, text: str) -> None:
    """Wait for a fact: the run has said this much."""
    async for shown in Reader(desk.w, EVA, run_id):
        if isinstance(shown.event, Token) and (shown.event.at + len(shown.event.text)) >= len(text):
            return


async def test_text_is_written_while_it_streams(desk: Desk) -> None:
    """SSE-1: one writer keeps what all runs have said; a reader elsewhere gets it as it grows, then the end."""
    desk.provider.gate = gate = asyncio.Event()
    desk.provider.then([TextDelta("Hello "), TextDelta("world"), Done("stop")])
    run_id = await runs.start(desk.w, EVA, await desk.open(EVA), "hi", None, None)
    waiting = asyncio.create_task(until_text(desk, run_id, "Hello world"))
    gate.set()
    await waiting
    assert await pieces.write_pieces(desk.w) in (0, 1)
    other = replace(desk.w, hub=Hub(), process="another")
    elsewhere: list[Shown] = [shown async for shown in Reader(other, EVA, run_id)]
    assert "".join(s.event.text for s in elsewhere if isinstance(s.event, Token)) == "Hello world"
    assert elsewhere[-1].event.type == "message_done"


async def test_pieces_never_touch_a_finished_message(desk: Desk) -> None:
    """RUN-7: what the step has settled stands."""
    desk.provider.then(says("The whole answer."))
    told = await desk.say(EVA, await desk.open(EVA), "hi")
    topic = desk.w.hub.topic(told.run_id)
    topic.message_id, topic.text = told.events[-1].message_id, "The whole answer. And more than that."
    desk.w.hub.streams[told.run_id] = asyncio.current_task()  # type: ignore[assignment]
    assert await pieces.write_pieces(desk.w) == 1
    assert await pieces.write_pieces(desk.w) == 0
    del desk.w.hub.streams[told.run_id]
    desk.w.hub.topics.pop(told.run_id, None)
    again = await desk.read(EVA, told.run_id)
    assert again.text == "The whole answer."


async def test_last_event_id(desk: Desk) -> None:
    """SSE-1: after an id only what came later; after the last one nothing, at once."""
    desk.provider.then(calls(("find_people", {})), says("Two."))
    told = await desk.say(EVA, await desk.open(EVA), "who")
    assert [s.seq for s in [s async for s in Reader(desk.w, EVA, told.run_id, after=1)] if s.seq] == [2, 3]
    assert [s.seq async for s in Reader(desk.w, EVA, told.run_id, after=3) if s.seq] == []


async def test_through_pauses(desk: Desk) -> None:
    """SSE-1: `GET /runs/{id}/events` stays open through a pause and ends with the run's end."""
    desk.provider.then(calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "one"})), says("Done."))
    told = await desk.say(EVA, await desk.open(EVA), "task")
    kinds: list[str] = []

    async def read() -> None:
        kinds.extend([s.event.type async for s in Reader(desk.w, EVA, told.run_id, through_pauses=True) if s.seq])

    reading = asyncio.create_task(read())
    await desk.decide(EVA, told.card, True)
    await reading
    assert kinds[-3:] == ["tool_approval_required", "tool_result", "message_done"]
