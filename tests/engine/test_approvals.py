"""Decisions: stale cards, edits, four eyes, typed words, expiry, withdrawal, sign-out, retry (APPR-3 to APPR-8)."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from deputize.core.actor import Actor
from deputize.core.approval import Typed
from deputize.core.errors import (
    ApprovalExpired,
    ApprovalResolved,
    ApprovalStale,
    ConfirmationMismatch,
    Forbidden,
    Invalid,
    NotFound,
    RunNotActive,
)
from deputize.core.event import ToolCallDto
from deputize.core.message import ToolResult
from deputize.core.run import RunStatus
from deputize.engine import approvals, cancelling, editing, ending_actor, runs, sweeper
from deputize.store import audit_read
from deputize.store import runs as run_rows
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, BOB, EVA, Desk, Person, Task, Told

ROB = Actor("rob", "north", label="Rob", grants=frozenset({"copilot.*", "people.*"}))


async def staged(desk: Desk, tool: str, arguments: dict[str, Any], words: str = "please", actor: Actor = EVA) -> Told:
    desk.provider.then(calls(("find_people", {})), calls((tool, arguments)), says("So be it."))
    told = await desk.say(actor, await desk.open(actor), words)
    assert told.kinds[-1] == "tool_approval_required", (told.codes(), told.events)
    return told


async def run_sql(desk: Desk, statement: str, **given: Any) -> None:
    async with desk.engine.begin() as conn:
        await conn.execute(text(statement), given)


async def status(desk: Desk, run_id: str) -> RunStatus:
    async with desk.w.db.read() as conn:
        run = await run_rows.load(conn, "north", run_id)
    assert run is not None
    assert run.status is RunStatus.AWAITING_APPROVAL or all(not call.open for call in run.calls)
    return run.status


async def kinds(desk: Desk) -> list[str]:
    async with desk.w.db.read() as conn:
        return [entry.kind for entry in (await audit_read.entries(conn, "north"))[0]]


async def test_stale_by_a_change_that_no_version_shows(desk: Desk) -> None:
    """APPR-4, C25: the pre-image differs, so the same call gets a new card; the old one is kept as stale."""
    told = await staged(desk, "set_remark", {"person": ANA, "remark": "x"})
    old = told.card.approval
    assert old is not None
    await run_sql(desk, "UPDATE people SET email = 'new@ruiz.example' WHERE id = :id", id=ANA)
    with pytest.raises(ApprovalStale) as caught:
        await desk.decide(EVA, told.card, True)
    fresh = ToolCallDto.model_validate(caught.value.details["call"])
    assert fresh.id == told.card.id
    assert fresh.approval is not None
    assert fresh.approval.digest != old.digest
    with pytest.raises(ApprovalStale):
        await desk.decide(EVA, told.card, True, digest=old.digest)
    done = await desk.decide(EVA, fresh, True)
    assert done.outcome == "ok"
    assert [p.remark for p in await desk.rows(Person) if p.id == ANA] == ["x"]
    assert "approval_stale" in await kinds(desk)


async def test_stale_by_version(desk: Desk) -> None:
    """APPR-4: a version that moved on."""
    told = await staged(desk, "set_remark", {"person": ANA, "remark": "x"})
    await run_sql(desk, "UPDATE people SET revision = 2, remark = 'other' WHERE id = :id", id=ANA)
    with pytest.raises(ApprovalStale) as caught:
        await desk.decide(EVA, told.card, True)
    fresh = ToolCallDto.model_validate(caught.value.details["call"])
    assert fresh.approval is not None
    shown = {f.name: (f.before, f.after) for f in fresh.approval.preview.changes[0].fields}
    assert shown["remark"] == ("other", "x")
    assert (await desk.decide(EVA, fresh, True)).outcome == "ok"


async def test_refusal_at_execution_commits_the_decision(desk: Desk) -> None:
    """APPR-5: what the host refuses meanwhile is a recorded outcome, not a lost decision."""
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})
    await run_sql(desk, "DELETE FROM people WHERE id = :id", id=ANA)
    done = await desk.decide(EVA, told.card, True)
    assert (done.outcome, done.code) == ("refused", "not_found")
    assert await desk.rows(Task) == []
    with pytest.raises(ApprovalResolved):
        await desk.decide(EVA, told.card, False)


async def test_edit(desk: Desk) -> None:
    """APPR-7, C13: the person's own words make a new card; the model is told which fields they changed."""
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})
    card = told.card.approval
    assert card is not None
    with pytest.raises(Invalid):
        await editing.edit(desk.w, EVA, told.card.id, card.digest, {"person": ANA})
    with pytest.raises(Invalid):
        await editing.edit(desk.w, EVA, told.card.id, card.digest, {"person": ANA, "title": "forbidden"})
    changed = await editing.edit(desk.w, EVA, told.card.id, card.digest, {"person": ANA, "title": "two"})
    with pytest.raises(ApprovalStale):
        await desk.decide(EVA, told.card, True, digest=card.digest)
    assert (await desk.decide(EVA, changed, True)).outcome == "ok"
    rest = await desk.read(EVA, told.run_id, told.last)
    assert rest.kinds[-1] == "message_done"
    assert [task.title for task in await desk.rows(Task)] == ["two"]
    result = desk.provider.requests[-1].messages[-1].blocks[0]
    assert isinstance(result, ToolResult)
    assert '"fields_changed_by_the_person":["title"]' in result.content


async def test_four_eyes(desk: Desk) -> None:
    """APPR-3: a second person with the approver's permission decides, never the owner; others see nothing."""
    desk.actors["eva"] = replace(EVA, grants=frozenset({"copilot.*", "people.read", "people.write"}))
    desk.actors["rob"] = ROB
    told = await staged(desk, "four_eyes", {"person": ANA, "remark": "raise"}, actor=desk.actors["eva"])
    with pytest.raises(Forbidden):
        await desk.decide(desk.actors["eva"], told.card, True)
    stranger = Actor("tim", "north", grants=frozenset({"copilot.chat", "people.read"}))
    with pytest.raises(NotFound):
        await desk.decide(stranger, told.card, True)
    assert [call.id for call in await approvals.waiting(desk.w, ROB)] == [told.card.id]
    assert await approvals.waiting(desk.w, stranger) == []
    done = await desk.decide(ROB, told.card, True)
    assert done.outcome == "ok"
    assert done.approval is not None
    assert done.approval.decided_by == "rob"


async def test_typed_destination(desk: Desk) -> None:
    """TOOL-7, APPR-8: an address that nobody trusted named is typed by the person, and the server compares."""
    letter = {"person": ANA, "to": "eve@evil.example", "body": "hello there"}
    told = await staged(desk, "send_letter", letter)
    card = told.card.approval
    assert card is not None
    assert card.preview.friction.destinations == ["to"]
    for typed in (Typed(), Typed(None, {"to": "eve@evil.exampl"})):
        with pytest.raises(ConfirmationMismatch):
            await desk.decide(EVA, told.card, True, typed=typed)
    assert (await desk.decide(EVA, told.card, True, typed=Typed(None, {"to": "eve@evil.example"}))).outcome == "ok"


@pytest.mark.parametrize(
    ("to", "words"), [("ana@ruiz.example", "write to Ana"), ("X@Y.example", "write to x@y.example")]
)
async def test_proven_destination(desk: Desk, to: str, words: str) -> None:
    """TOOL-7: a trusted field or the user's own words prove it; then a click is enough."""
    told = await staged(desk, "send_letter", {"person": ANA, "to": to, "body": "hello there"}, words)
    card = told.card.approval
    assert card is not None
    assert card.preview.friction.destinations == []
    assert [outgoing.channel for outgoing in card.preview.outgoing] == ["email"]
    assert (await desk.decide(EVA, told.card, True)).outcome == "ok"


async def test_expiry(desk: Desk) -> None:
    """APPR-6: on the database's time, lazily at the decision; the run is expired and the model's call answered."""
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})
    await run_sql(desk, "UPDATE deputize_approvals SET expires_at = 0")
    with pytest.raises(ApprovalExpired):
        await desk.decide(EVA, told.card, True)
    assert await status(desk, told.run_id) is RunStatus.EXPIRED
    rest = await desk.read(EVA, told.run_id, told.last)
    assert rest.kinds == ["tool_approval_expired", "tool_result", "message_done"]
    assert rest.events[-1].status == "expired"
    assert await desk.rows(Task) == []


async def test_the_sweeper_expires_and_ends_what_nobody_drives(desk: Desk) -> None:
    """APPR-6, RUN-8: overdue cards, and running runs whose lease is over; a retry repeats no executed call."""
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})
    await run_sql(desk, "UPDATE deputize_approvals SET expires_at = 0")
    assert await sweeper.sweep(desk.w) == 1
    assert await status(desk, told.run_id) is RunStatus.EXPIRED
    desk.provider.turns.clear()
    told = await staged(desk, "add_task", {"person": BOB, "title": "two"}, "again")
    await run_sql(desk, "UPDATE deputize_runs SET status = 'running', lease_until = 0 WHERE id = :id", id=told.run_id)
    assert await sweeper.sweep(desk.w) == 1
    rest = await desk.read(EVA, told.run_id, told.last)
    assert rest.events[-1].code == "RUN_LEASE_LOST"
    assert await status(desk, told.run_id) is RunStatus.ERROR


async def test_retry_repeats_no_executed_call(desk: Desk) -> None:
    """RUN-8: a new run over the same record; the executed write is answered from it."""
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})
    desk.provider.turns[:] = [[]]
    await desk.decide(EVA, told.card, True)
    failed = await desk.read(EVA, told.run_id, told.last)
    assert failed.events[-1].code == "stream_broken"
    desk.provider.turns.clear()
    desk.provider.then(calls(("add_task", {"person": ANA, "title": "one"})), says("It was done."))
    again = await desk.read(EVA, await runs.retry(desk.w, EVA, told.run_id))
    assert again.text == "It was done."
    assert again.outcomes() == ["ok"]
    assert len(await desk.rows(Task)) == 1


async def test_withdraw_and_sign_out(desk: Desk) -> None:
    """RUN-9: cancel and sign-out expire a pending card; the decision then is too late."""
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})
    await cancelling.cancel(desk.w, EVA, told.run_id)
    assert await status(desk, told.run_id) is RunStatus.ABORTED
    with pytest.raises(ApprovalExpired):
        await desk.decide(EVA, told.card, True)
    with pytest.raises(RunNotActive):
        await cancelling.cancel(desk.w, EVA, told.run_id)
    desk.provider.turns.clear()
    told = await staged(desk, "add_task", {"person": ANA, "title": "two"}, "again")
    assert await ending_actor.end_actor(desk.w, EVA) == 1
    assert await status(desk, told.run_id) is RunStatus.ABORTED
    assert await desk.rows(Task) == []


async def test_refused_decisions_leave_a_trace(desk: Desk) -> None:
    """C2, AUD-2: a foreign or made-up decision is an entry."""
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})
    sue = desk.actors["sue"]
    with pytest.raises(NotFound):
        await desk.decide(sue, told.card, False)
    async with desk.w.db.read() as conn:
        found, _ = await audit_read.entries(conn, "south")
    assert [(entry.kind, (entry.payload or {})["code"]) for entry in found] == [("decision_refused", "NOT_FOUND")]
