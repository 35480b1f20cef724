"""Cases from the field that no rule's own tests name: several changes at once, reasons kept apart, races at the end."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from deputize import Args, Context
from deputize.core.errors import ApprovalExpired, ApprovalResolved, DeputizeError, RunNotActive
from deputize.core.message import ToolResult
from deputize.core.provider import Done, ModelRequest, ProviderEvent, ToolUse
from deputize.core.run import Outcome, Run, RunStatus
from deputize.engine import approvals, cancelling, sweeper
from deputize.engine.runs import start
from deputize.store import audit_read, runs
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, BOB, EVA, VIC, Desk, Person, Task, Told

LOOK: tuple[str, dict[str, str]] = ("find_people", {})


def task(person: str, title: str) -> tuple[str, dict[str, str]]:
    return "add_task", {"person": person, "title": title}


async def results(desk: Desk) -> list[tuple[str, str]]:
    """`(tool, code)` of all results in the newest request, in order."""
    blocks = [block for message in desk.provider.requests[-1].messages for block in message.blocks]
    told = [(block.name, json.loads(block.content)) for block in blocks if isinstance(block, ToolResult)]
    return [(name, str(plain.get("code") or plain.get("outcome"))) for name, plain in told]


async def ended(desk: Desk, told: Told) -> tuple[Run, list[str]]:
    async with desk.w.db.read() as conn:
        run = await runs.load(conn, "north", told.run_id)
        entries = (await audit_read.entries(conn, "north"))[0]
    assert run is not None
    return run, [entry.kind for entry in entries if entry.run == told.run_id]


async def test_three_changes_at_once_and_the_first_is_rejected(desk: Desk) -> None:
    """C14, C17, D13, D16: one no takes nothing else along; what was asked again is a card of its own, still open."""
    first, second, third = task(ANA, "one"), task(BOB, "two"), task(ANA, "three")
    desk.provider.then(calls(LOOK), calls(first, second, third), calls(second), calls(third), says("Done."))
    told = await desk.say(EVA, await desk.open(EVA), "three tasks")
    assert told.codes()[1:] == ["one_change_at_a_time", "one_change_at_a_time"]
    await desk.decide(EVA, told.card, False)
    again = await desk.read(EVA, told.run_id, told.last)
    assert await results(desk) == [
        ("find_people", "ok"),
        ("add_task", "rejected"),
        ("add_task", "one_change_at_a_time"),
        ("add_task", "one_change_at_a_time"),
    ]
    await desk.decide(EVA, again.card, True)
    last = await desk.read(EVA, told.run_id, again.last)
    assert [call.id for call in await approvals.waiting(desk.w, EVA)] == [last.card.id]
    await desk.decide(EVA, last.card, True)
    await desk.read(EVA, told.run_id, last.last)
    assert [row.title for row in await desk.rows(Task)] == ["two", "three"]


async def test_a_decision_answers_its_own_card_only(desk: Desk) -> None:
    """D14, D19: the change that follows an approved one is open, and no request ever held a result for it."""
    desk.provider.then(calls(LOOK), calls(task(ANA, "one")), calls(task(BOB, "two")), says("Done."))
    told = await desk.say(EVA, await desk.open(EVA), "two tasks")
    await desk.decide(EVA, told.card, True)
    again = await desk.read(EVA, told.run_id, told.last)
    assert again.kinds[-1] == "tool_approval_required"
    assert [row.title for row in await desk.rows(Task)] == ["one"]
    assert await results(desk) == [("find_people", "ok"), ("add_task", "ok")]
    with pytest.raises(ApprovalResolved):
        await desk.decide(EVA, told.card, False)
    assert len(await approvals.waiting(desk.w, EVA)) == 1


async def test_one_that_cannot_be_done_leaves_the_queue(desk: Desk) -> None:
    """C28: a change that fails for ever is decided once, with its error; others that wait go on."""
    desk.provider.then(calls(LOOK), calls(task(ANA, "one")), says("It failed."))
    told = await desk.say(EVA, await desk.open(EVA), "a task")
    async with desk.engine.begin() as conn:
        await conn.exec_driver_sql("DELETE FROM people")
    done = await desk.decide(EVA, told.card, True)
    assert (done.outcome, done.code) == (Outcome.REFUSED, "not_found")
    assert await approvals.waiting(desk.w, EVA) == []
    with pytest.raises(ApprovalResolved):
        await desk.decide(EVA, told.card, False)
    rest = await desk.read(EVA, told.run_id, told.last)
    assert rest.kinds[-1] == "message_done"


@pytest.mark.parametrize("why", ["rejected", "expired", "cancelled"])
async def test_three_ways_not_to_happen_are_told_apart(desk: Desk, why: str) -> None:
    """C29: a no, a time that ran out and a run that was stopped differ in the record, the chain and the run."""
    desk.provider.then(calls(LOOK), calls(task(ANA, "one")), says("Well."))
    told = await desk.say(EVA, await desk.open(EVA), "a task")
    if why == "rejected":
        await desk.decide(EVA, told.card, False)
    elif why == "expired":
        desk.clock.advance(601)
        async with desk.engine.begin() as conn:
            await conn.exec_driver_sql("UPDATE deputize_approvals SET expires_at = 1")
        await sweeper.sweep(desk.w)
    else:
        await cancelling.cancel(desk.w, EVA, told.run_id)
    rest = await desk.read(EVA, told.run_id, told.last)
    run, kinds = await ended(desk, told)
    assert (run.calls[-1].outcome, run.status, rest.kinds[-1]) == {
        "rejected": (Outcome.REJECTED, RunStatus.COMPLETE, "message_done"),
        "expired": (Outcome.EXPIRED, RunStatus.EXPIRED, "message_done"),
        "cancelled": (Outcome.EXPIRED, RunStatus.ABORTED, "message_done"),
    }[why]
    assert kinds[0 if why == "rejected" else 1] == f"approval_{why}"
    assert await desk.rows(Task) == []


async def test_a_yes_at_the_last_moment_and_the_sweeper(desk: Desk) -> None:
    """C23, E14: exactly one of them wins, and record, rows and run agree with it."""
    desk.provider.then(calls(LOOK), calls(task(ANA, "one")), says("Well."))
    told = await desk.say(EVA, await desk.open(EVA), "a task")

    async def overdue() -> None:
        async with desk.engine.begin() as conn:
            await conn.exec_driver_sql("UPDATE deputize_approvals SET expires_at = 1 WHERE status = 'pending'")
        await sweeper.sweep(desk.w)

    said, _ = await asyncio.gather(desk.decide(EVA, told.card, True), overdue(), return_exceptions=True)
    await desk.read(EVA, told.run_id, told.last)
    status = (await ended(desk, told))[0].status
    rows = [row.title for row in await desk.rows(Task)]
    if isinstance(said, BaseException):
        assert isinstance(said, ApprovalExpired | RunNotActive | ApprovalResolved)
        assert (rows, status) == ([], RunStatus.EXPIRED)
    else:
        assert (rows, said.outcome, status) == (["one"], Outcome.OK, RunStatus.COMPLETE)


async def test_rights_that_go_between_two_steps(desk: Desk) -> None:
    """H10, TOOL-3: the second step of the same run is asked under what the host says then."""

    def losing(request: ModelRequest) -> list[ProviderEvent]:
        desk.actors["eva"] = replace(EVA, grants=frozenset({"copilot.*", "people.read"}))
        return calls(task(ANA, "one"))

    desk.provider.then(calls(LOOK), losing, says("Well."))
    told = await desk.say(EVA, await desk.open(EVA), "a task")
    assert told.outcomes() == ["ok", "refused"]
    assert await desk.rows(Task) == []


async def test_failures_hold_no_place(desk: Desk) -> None:
    """H7, B10: a model that fails thirty times leaves neither a live run nor a reservation behind."""
    conversation = await desk.open(EVA)
    for n in range(30):
        desk.provider.then([ToolUse("c", "find_people", "{}"), Done("length")])
        assert (await desk.say(EVA, conversation, f"try {n}")).kinds[-1] == "error"
    desk.provider.then(says("Here."))
    assert (await desk.say(EVA, conversation, "again")).text == "Here."
    async with desk.w.db.read() as conn:
        held = await conn.exec_driver_sql("SELECT coalesce(sum(held_micro), 0) FROM deputize_ledger_scopes")
        assert held.scalar_one() == 0


async def test_a_change_of_nothing_is_no_card(desk: Desk) -> None:
    """F2: a write whose statement meets no row says so and waits for nobody."""
    async with desk.engine.begin() as conn:
        await conn.exec_driver_sql(f"UPDATE people SET remark = 'x' WHERE id = '{ANA}'")
    desk.provider.then(calls(LOOK), calls(("four_eyes", {"person": ANA, "remark": "x"})), says("Nothing to do."))
    told = await desk.say(EVA, await desk.open(EVA), "the same again")
    assert (told.outcomes()[-1], told.codes()[-1]) == ("refused", "no_effect")
    assert await approvals.waiting(desk.w, EVA) == []
    assert [person.remark for person in await desk.rows(Person) if person.id == ANA] == ["x"]


async def test_a_stop_in_the_middle_leaves_no_task_behind(desk: Desk) -> None:
    """E13: one read fails, the run is stopped while the model speaks; every task of it has ended afterwards."""
    before = asyncio.all_tasks()
    desk.provider.then(calls(LOOK, ("leak", {})), says("A long answer that is never heard."))
    desk.provider.gate = gate = asyncio.Event()
    gate.set()
    conversation = await desk.open(EVA)
    run_id = await start(desk.w, EVA, conversation, "look", None, None)
    driver = desk.w.hub.tasks[run_id]
    gate.clear()
    await cancelling.cancel(desk.w, EVA, run_id)
    gate.set()
    await asyncio.wait({driver})
    told = await desk.read(EVA, run_id)
    assert (told.kinds[-1], told.events[-1].status) == ("message_done", "aborted")
    left = {task.get_name() for task in asyncio.all_tasks() - before if not task.done()}
    assert not any(run_id in name for name in left), left


async def test_a_decision_while_the_conversation_is_written_to(desk: Desk) -> None:
    """E16: a decision, a look and a second yes at once; each has an answer of ours, and the change is there once."""
    desk.provider.then(calls(LOOK), calls(task(ANA, "one")), says("Done."))
    told = await desk.say(EVA, await desk.open(EVA), "a task")
    said = await asyncio.gather(
        desk.decide(EVA, told.card, True),
        desk.read(EVA, told.run_id),
        desk.decide(EVA, told.card, True),
        approvals.waiting(desk.w, EVA),
        return_exceptions=True,
    )
    assert [one for one in said if isinstance(one, BaseException) and not isinstance(one, DeputizeError)] == []
    assert [row.title for row in await desk.rows(Task)] == ["one"]


async def test_two_people_are_offered_their_own_tools(desk: Desk) -> None:
    """H17, TOOL-3: at the same time, on one surface; neither sees what the other may do."""
    desk.provider.then(says("One."), says("Two."))
    mine, theirs = await desk.open(EVA), await desk.open(VIC)
    await asyncio.gather(desk.say(EVA, mine, "hello"), desk.say(VIC, theirs, "hello"))
    few, many = sorted(({tool.name for tool in request.tools} for request in desk.provider.requests), key=len)
    assert few == {"find_people", "get_person", "leak"}
    assert few | {"set_remark", "remove_person"} <= many


@pytest.mark.parametrize("answer", [None, True, "yes", {}, RuntimeError("x")], ids=repr)
async def test_a_gate_that_does_not_say_yes_is_a_no(desk: Desk, answer: object) -> None:
    """C7, TOOL-8: a guard that returns nothing, something else, or raises blocks; there is no card and no effect."""

    async def gate(ctx: Context, args: Args) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    registry = desk.w.registry
    guarded = replace(registry.tools["remove_person"], guard=gate)
    desk.deputy.wiring = replace(desk.w, registry=replace(registry, tools={**registry.tools, "remove_person": guarded}))
    desk.provider.then(calls(LOOK), calls(("remove_person", {"person": ANA})), says("No."))
    told = await desk.say(EVA, await desk.open(EVA), "remove Ana")
    assert told.outcomes()[-1] in ("refused", "blocked")
    assert await approvals.waiting(desk.w, EVA) == []
    assert ANA in [person.id for person in await desk.rows(Person)]


@pytest.mark.parametrize(
    "raw",
    [
        f'{{"person": "{ANA}", "person": "{BOB}", "title": "one"}}',
        f'{{"person": "{ANA}", "title": "\\ud800"}}',
        f'{{"person": "{ANA}", "title": "\\u0000"}}',
        f'{{"person": "{ANA}", "title": 1e999}}',
    ],
    ids=["name twice", "half a pair", "nul", "endless"],
)
async def test_arguments_that_readers_disagree_on_are_invalid(desk: Desk, raw: str) -> None:
    """F5, RUN-3 (4): an error result, and the run goes on; nothing of it is staged."""
    desk.provider.then(calls(LOOK), calls(("add_task", raw)), says("Sorry."))
    told = await desk.say(EVA, await desk.open(EVA), "a task")
    assert (told.outcomes(), told.text) == (["ok", "invalid"], "Sorry.")
    assert told.kinds[-1] == "message_done"
    assert await approvals.waiting(desk.w, EVA) == []
