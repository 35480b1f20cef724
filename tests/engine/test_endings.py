"""How runs end (RUN-3, RUN-4, RUN-5): each ending once, on both databases."""

import json

import pytest

from deputize.core.message import ToolResult
from deputize.core.provider import Done, ProviderFailed, Reasoned, TextDelta, ToolUse
from deputize.core.run import RunStatus
from deputize.store import runs
from deputize.testing.scripted import Turn, calls, says
from tests.engine.desk import ANA, BOB, EVA, Desk, Task


async def status(desk: Desk, run_id: str) -> tuple[RunStatus, str | None]:
    async with desk.w.db.read() as conn:
        run = await runs.load(conn, "north", run_id)
    assert run is not None
    assert all(not call.open for call in run.calls)
    return run.status, run.error_code


WRITE = json.dumps({"person": ANA, "title": "call"})


@pytest.mark.parametrize(
    ("turns", "ends", "code", "last"),
    [
        ([says("Hello.")], "complete", None, "message_done"),
        ([[Done("stop")]], "complete", None, "message_done"),
        ([[Reasoned(), Done("stop")]], "complete", None, "message_done"),
        ([[TextDelta("half"), Done("length")]], "complete", None, "message_done"),
        ([[Done("length")]], "error", "length", "error"),
        ([[ToolUse("c", "add_task", WRITE), Done("length")]], "error", "length", "error"),
        ([[ToolUse("c", "add_task", WRITE), Done("filter")]], "error", "content_filter", "error"),
        ([[TextDelta("x"), ToolUse("c", "add_task", WRITE)]], "error", "stream_broken", "error"),
        ([[TextDelta("x")]], "error", "stream_broken", "error"),
        ([calls(("nope", {})), calls(("nope", {})), calls(("nope", {}))], "error", "unknown_tool", "error"),
        ([calls(("find_people", "{")), calls(("find_people", '"x"'))], "error", "invalid_arguments", "error"),
        ([[ProviderFailed("gone", transient=False)]], "error", "AI_UNAVAILABLE", "error"),
        ([[ProviderFailed("busy", transient=True)]] * 3, "error", "AI_UNAVAILABLE", "error"),
        ([[ProviderFailed("busy", transient=True)], says("Back.")], "complete", None, "message_done"),
    ],
)
async def test_ending(desk: Desk, turns: list[Turn], ends: str, code: str | None, last: str) -> None:
    """RUN-3, D23: each way to end, with exactly one terminal event, and no call executed or staged after a cut."""
    desk.provider.then(*turns)
    told = await desk.say(EVA, await desk.open(EVA), "hello")
    assert told.kinds[-1] == last
    assert sum(kind in ("message_done", "error", "budget_exceeded") for kind in told.kinds) == 1
    assert await status(desk, told.run_id) == (RunStatus(ends), code)
    assert "tool_approval_required" not in told.kinds
    assert await desk.rows(Task) == []


@pytest.mark.parametrize(
    ("turn", "notice"),
    [
        ([Done("stop")], "no_answer"),
        ([Reasoned(), Done("stop")], "no_answer"),
        ([TextDelta("h"), Done("length")], "cut"),
    ],
)
async def test_notice(desk: Desk, turn: Turn, notice: str) -> None:
    """RUN-3 (2) and (6): the notice is visible, and an older text is never shown as the answer."""
    conversation = await desk.open(EVA)
    desk.provider.then(says("An older answer."))
    await desk.say(EVA, conversation, "first")
    desk.provider.then(turn)
    told = await desk.say(EVA, conversation, "second")
    assert told.events[-1].notice == notice
    assert "older" not in told.text


async def test_step_cap(desk: Desk) -> None:
    """RUN-3 (5), BUD-4: the run ends when its steps are used up."""
    desk.provider.then(*[calls(("find_people", {"query": f"q{n}"})) for n in range(20)])
    told = await desk.say(EVA, await desk.open(EVA), "look everywhere")
    assert told.kinds[-1] == "budget_exceeded"
    assert len(desk.provider.requests) == desk.w.limits.steps_per_run
    assert (await status(desk, told.run_id))[0] is RunStatus.BUDGET_EXCEEDED


async def test_reads_run_before_the_pause(desk: Desk) -> None:
    """RUN-4, C19: reads run also when they stand after a write; one write is staged, the other is told so."""
    desk.provider.then(
        calls(("find_people", {})),
        calls(
            ("add_task", {"person": ANA, "title": "one"}),
            ("get_person", {"person": BOB}),
            ("add_task", {"person": BOB, "title": "two"}),
        ),
        says("Done."),
    )
    told = await desk.say(EVA, await desk.open(EVA), "two tasks")
    assert told.kinds[-1] == "tool_approval_required"
    assert told.outcomes() == ["ok", "ok", "refused"]
    assert told.codes()[-1] == "one_change_at_a_time"
    await desk.decide(EVA, told.card, True)
    rest = await desk.read(EVA, told.run_id, told.last)
    assert rest.kinds[-1] == "message_done"
    assert [task.title for task in await desk.rows(Task)] == ["one"]
    results = desk.provider.requests[-1].messages[-1].blocks
    names = [block.name for block in results if isinstance(block, ToolResult)]
    assert names == ["add_task", "get_person", "add_task"]


async def test_identical_read_is_answered_from_the_record(desk: Desk) -> None:
    """RUN-5: nothing is executed again, and the same result is given."""
    desk.provider.then(calls(("find_people", {"query": "Bob"})), calls(("find_people", {"query": "Bob"})), says("Bob."))
    told = await desk.say(EVA, await desk.open(EVA), "Bob")
    assert told.outcomes() == ["ok", "ok"]
    async with desk.w.db.read() as conn:
        run = await runs.load(conn, "north", told.run_id)
    assert run is not None
    assert [call.from_record for call in run.calls] == [False, True]


async def test_identical_write_is_not_staged_again(desk: Desk) -> None:
    """RUN-5: a write that was executed in this run is answered from the record."""
    write = calls(("add_task", {"person": ANA, "title": "one"}))
    desk.provider.then(calls(("find_people", {})), write, write, says("Done."))
    told = await desk.say(EVA, await desk.open(EVA), "task")
    await desk.decide(EVA, told.card, True)
    rest = await desk.read(EVA, told.run_id, told.last)
    assert rest.kinds[-1] == "message_done"
    assert len(await desk.rows(Task)) == 1


async def test_rejected_twice_is_a_loop(desk: Desk) -> None:
    """RUN-5, C16: the same write rejected twice ends the run."""
    write = calls(("add_task", {"person": ANA, "title": "one"}))
    desk.provider.then(calls(("find_people", {})), write, write, write)
    told = await desk.say(EVA, await desk.open(EVA), "task")
    await desk.decide(EVA, told.card, False)
    again = await desk.read(EVA, told.run_id, told.last)
    await desk.decide(EVA, again.card, False)
    rest = await desk.read(EVA, told.run_id, again.last)
    assert rest.kinds[-1] == "error"
    assert rest.events[-1].code == "loop_detected"
    assert await desk.rows(Task) == []


async def test_failed_read_is_not_success(desk: Desk) -> None:
    """TOOL-11, I13: an error is never reported as success, and its text stays inside."""
    desk.provider.then(calls(("leak", {})), says("It failed."))
    told = await desk.say(EVA, await desk.open(EVA), "leak")
    assert told.outcomes() == ["failed"]
    assert "secret" not in str(told.events)
