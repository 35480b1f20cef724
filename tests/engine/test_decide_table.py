"""The table of a decision, row by row and in its order: of several reasons the first one answers (APPR-3)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from deputize.core.actor import Actor
from deputize.core.errors import (
    ApprovalExpired,
    ApprovalResolved,
    ApprovalStale,
    DeputizeError,
    Disabled,
    Forbidden,
    Invalid,
    NotFound,
    RunNotActive,
)
from deputize.core.event import ToolCallDto
from deputize.engine import approvals
from deputize.store import audit_read
from tests.engine.desk import ANA, EVA, SUE, VIC, Desk, Task, Told
from tests.engine.test_approvals import ROB, run_sql, staged

Happens = Callable[[Desk, Told], Awaitable[None]]


async def decided(desk: Desk, told: Told) -> None:
    await desk.decide(desk.actors["rob"], told.card, True)
    await desk.read(EVA, told.run_id, told.last)


async def switched_off(desk: Desk, told: Told) -> None:
    await run_sql(
        desk,
        "INSERT INTO deputize_switches (tenant, name, enabled, generation, updated_by, updated_at)"
        " VALUES ('north', '*', false, 1, 'ops', 0)",
    )


async def out_of_time(desk: Desk, told: Told) -> None:
    await run_sql(desk, "UPDATE deputize_approvals SET expires_at = 0")


async def withdrawn(desk: Desk, told: Told) -> None:
    await run_sql(desk, "UPDATE deputize_approvals SET status = 'withdrawn'")


async def run_over(desk: Desk, told: Told) -> None:
    await run_sql(desk, "UPDATE deputize_runs SET status = 'error' WHERE id = :id", id=told.run_id)


MISSING: dict[str, Any] = {"digest": None}
OTHER: dict[str, Any] = {"digest": "0" * 64}
THE_SAME: dict[str, Any] = {}
REJECTED: dict[str, Any] = {"approve": False}
TABLE: list[tuple[str, Actor, list[Happens], dict[str, Any], type[DeputizeError] | None]] = [
    ("another tenant's", SUE, [decided, switched_off, out_of_time], MISSING, NotFound),
    ("not visible", VIC, [switched_off, out_of_time], MISSING, NotFound),
    ("its owner", EVA, [decided, switched_off], MISSING, Forbidden),
    ("off and decided", ROB, [decided, switched_off], THE_SAME, Disabled),
    ("off and out of time", ROB, [switched_off, out_of_time], THE_SAME, Disabled),
    ("decided, out of time", ROB, [decided, out_of_time, run_over], THE_SAME, None),
    ("decided otherwise", ROB, [decided, out_of_time, run_over], REJECTED, ApprovalResolved),
    ("decided with another digest", ROB, [decided], OTHER, ApprovalResolved),
    ("decided, no digest", ROB, [decided], MISSING, ApprovalResolved),
    ("decided by somebody else", replace(ROB, id="ruth"), [decided], THE_SAME, ApprovalResolved),
    ("out of time, run over, no digest", ROB, [out_of_time, run_over], MISSING, ApprovalExpired),
    ("withdrawn, run over, no digest", ROB, [withdrawn, run_over], MISSING, ApprovalExpired),
    ("run over, no digest", ROB, [run_over], MISSING, RunNotActive),
    ("no digest", ROB, [], MISSING, Invalid),
    ("another digest", ROB, [], OTHER, ApprovalStale),
    ("a rejection of another digest", ROB, [], {**OTHER, **REJECTED}, ApprovalStale),
    ("everything in order", ROB, [], THE_SAME, None),
]
"""(what, who, what happened before, what they send, what the answer is); the owner is not the decider (four eyes)."""


async def card_of_two(desk: Desk) -> Told:
    desk.actors |= {"eva": replace(EVA, grants=frozenset({"copilot.*", "people.read", "people.write"})), "rob": ROB}
    return await staged(desk, "four_eyes", {"person": ANA, "remark": "raise"}, actor=desk.actors["eva"])


async def executions(desk: Desk) -> int:
    async with desk.w.db.read() as conn:
        found, _ = await audit_read.entries(conn, "north")
    return sum(entry.kind == "tool_executed" and (entry.payload or {})["tool"] == "four_eyes" for entry in found)


@pytest.mark.parametrize("row", TABLE, ids=[row[0] for row in TABLE])
async def test_the_first_reason_answers(desk: Desk, row: Any) -> None:
    _, who, happened, sent, error = row
    told = await card_of_two(desk)
    for happens in happened:
        await happens(desk, told)
    before = await executions(desk)
    given = {key: value for key, value in sent.items() if key == "digest"}
    approve = bool(sent.get("approve", True))
    if error is None:
        done = await desk.decide(who, told.card, approve, **given)
        assert done.outcome == "ok"
        assert await executions(desk) == 1
    else:
        with pytest.raises(error) as no:
            await desk.decide(who, told.card, approve, **given)
        assert type(no.value) is error
        assert await executions(desk) == before


async def test_the_update_itself_holds_the_same_conditions(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was read before: withdrawn, out of time or of a run that is over, the claim changes no row."""
    honest = approvals.open_card

    async def as_it_was(*given: Any) -> approvals.OpenCard:
        return kept

    for happens in (withdrawn, out_of_time, run_over):
        desk.provider.turns.clear()
        told = await staged(desk, "add_task", {"person": ANA, "title": "late"}, "again")
        kept = await honest(desk.w, EVA, told.card.id)
        await happens(desk, told)
        with monkeypatch.context() as patch:
            patch.setattr(approvals, "open_card", as_it_was)
            with pytest.raises(ApprovalExpired):
                await desk.decide(EVA, told.card, True)
        await run_sql(desk, "UPDATE deputize_runs SET status = 'aborted'")
    assert await desk.rows(Task) == []


async def test_a_card_that_was_made_anew_takes_the_new_digest_alone(desk: Desk) -> None:
    """APPR-4: yes and no of the old card are both stale, and each answer carries the card as it is now."""
    told = await staged(desk, "set_remark", {"person": ANA, "remark": "x"})
    await run_sql(desk, "UPDATE people SET email = 'new@ruiz.example' WHERE id = :id", id=ANA)
    with pytest.raises(ApprovalStale) as first:
        await desk.decide(EVA, told.card, True)
    fresh = ToolCallDto.model_validate(first.value.details["call"])
    for approve in (True, False):
        with pytest.raises(ApprovalStale) as no:
            await desk.decide(EVA, told.card, approve)
        now = ToolCallDto.model_validate(no.value.details["call"])
        assert now.approval is not None
        assert fresh.approval is not None
        assert now.approval.digest == fresh.approval.digest
    assert (await desk.decide(EVA, fresh, True)).outcome == "ok"
