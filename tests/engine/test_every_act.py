"""Each act that AUD-2 lists has its entry: who, for whom, run, call, tool, outcome, `via`, the digest shown."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.chain import Entry
from deputize.core.errors import ApprovalStale, DeputizeError
from deputize.engine import agents, audit_export, cancelling, conversations, expiry, overview, runs, worker
from deputize.engine.audit_export import Asked
from deputize.store import audit_read
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.depot import answer, make_depot
from tests.engine.desk import ANA, EVA, VIC, Desk, Told, make_desk

UNSEEN = "00000000-0000-4000-8000-00000000dead"
CALLED = {"owner", "call", "tool", "outcome", "via"}
"""What each entry of a call holds."""


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Desk]:
    made = await make_desk(database, clock)
    yield made
    await made.deputy.close()


async def asked(desk: Desk, name: str, arguments: dict[str, Any], actor: Any = EVA) -> Told:
    """One call after a look at who is there."""
    desk.provider.then(calls(("find_people", {})), calls((name, arguments)), says("Well."))
    return await desk.say(actor, await desk.open(actor), "do it")


async def staged(desk: Desk) -> Told:
    return await asked(desk, "set_remark", {"person": ANA, "remark": "x"})


async def read(desk: Desk) -> None:
    await asked(desk, "find_people", {"query": "Ana"})


async def proposal(desk: Desk) -> None:
    await staged(desk)


async def refusal(desk: Desk) -> None:
    await asked(desk, "add_task", {"person": ANA, "title": "x"}, VIC)


async def block(desk: Desk) -> None:
    await asked(desk, "get_person", {"person": UNSEEN})


async def invalid(desk: Desk) -> None:
    await asked(desk, "add_task", {"person": ANA})


async def execution(desk: Desk) -> None:
    await desk.decide(EVA, (await staged(desk)).card, True)


async def rejection(desk: Desk) -> None:
    await desk.decide(EVA, (await staged(desk)).card, False)


async def stale(desk: Desk) -> None:
    told = await staged(desk)
    async with desk.engine.begin() as conn:
        await conn.execute(text("UPDATE people SET revision = revision + 1"))
    with pytest.raises(ApprovalStale):
        await desk.decide(EVA, told.card, True)


async def forged_decision(desk: Desk) -> None:
    with pytest.raises(DeputizeError):
        await desk.decide(VIC, (await staged(desk)).card, True)


async def expired(desk: Desk) -> None:
    told = await staged(desk)
    async with desk.engine.begin() as conn:
        await conn.execute(text("UPDATE deputize_approvals SET expires_at = 1"))
    assert await expiry.expire(desk.w, "north", told.run_id)


async def cancellation(desk: Desk) -> None:
    await cancelling.cancel(desk.w, EVA, (await staged(desk)).run_id)


async def setting(desk: Desk) -> None:
    await overview.change_settings(desk.w, EVA, {"monthly_token_limit": 7})


async def switch(desk: Desk) -> None:
    await agents.switch_all(desk.w, EVA, False)


async def view_of_run(desk: Desk) -> None:
    desk.provider.then(says("Well."))
    told = await desk.say(VIC, await desk.open(VIC), "hi")
    await runs.one(desk.w, EVA, told.run_id)


async def view_of_talk(desk: Desk) -> None:
    own = await desk.open(VIC)
    await conversations.messages(desk.w, EVA, own, 1, 10)


ACTS: dict[str, tuple[Callable[[Desk], Awaitable[None]], str, str, set[str]]] = {
    "a read's execution": (read, "tool_executed", "eva", CALLED | {"fields"}),
    "a proposal, staged": (proposal, "tool_staged", "eva", {"owner", "call", "tool", "digest", "targets", "via"}),
    "a refusal": (refusal, "tool_refused", "vic", CALLED | {"code"}),
    "a block": (block, "tool_blocked", "eva", CALLED | {"code"}),
    "arguments that do not hold": (invalid, "tool_invalid", "eva", CALLED),
    "an approval, and its execution": (
        execution,
        "tool_executed",
        "eva",
        CALLED | {"digest_shown", "digest_executed", "targets", "versions"},
    ),
    "a rejection": (rejection, "approval_rejected", "eva", CALLED | {"digest_shown"}),
    "a stale re-staging": (stale, "approval_stale", "eva", {"owner", "call", "tool", "digest"}),
    "a decision that is not theirs": (forged_decision, "decision_refused", "vic", {"code"}),
    "an expiry": (expired, "approval_expired", "system", {"owner", "call", "tool"}),
    "a cancellation": (cancellation, "approval_cancelled", "eva", {"owner", "call", "tool"}),
    "a configuration change": (setting, "settings_changed", "eva", {"changed"}),
    "a switch flip": (switch, "switch_flipped", "eva", {"name", "on"}),
    "a run viewed": (view_of_run, "transcript_viewed", "eva", {"owner"}),
    "a conversation viewed": (view_of_talk, "transcript_viewed", "eva", {"owner", "session"}),
}


async def chain(desk: Desk) -> list[Entry]:
    async with desk.w.db.read() as conn:
        assert (await audit_read.verify_database(conn, "north")).ok
        return (await audit_read.entries(conn, "north"))[0]


@pytest.mark.parametrize("act", ACTS)
async def test_each_act_is_an_entry(desk: Desk, act: str) -> None:
    """AUD-2: of its kind, by its actor, with what the rule asks for, in its run where it has one."""
    deed, kind, by, holds = ACTS[act]
    await deed(desk)
    found = [entry for entry in await chain(desk) if entry.kind == kind]
    assert found, sorted({entry.kind for entry in await chain(desk)})
    newest = found[0]
    assert newest.actor == by
    assert holds <= set(newest.payload or {})
    if "call" in holds:
        assert newest.run


async def test_an_export_is_an_entry(desk: Desk, tmp_path: Path) -> None:
    """AUD-2: before it leaves."""
    await audit_export.export(desk.w, EVA, Asked(), tmp_path / "p.zip")
    assert [(entry.kind, entry.actor) for entry in await chain(desk)] == [("audit_exported", "eva")]


async def test_each_pass_is_an_entry(database: AsyncEngine, clock: FrozenClock) -> None:
    """AUD-2: an automation's proposal stands in the chain, with its agent and its subject."""
    depot = await make_depot(database, clock)
    await depot.ticket("t1", "pipe broke")
    depot.provider.then(answer("high"))
    assert await worker.drain(depot.w) == 1
    (said,) = [entry for kind, entry in await depot.chain() if kind == "automation_proposed"]
    assert {"agent", "subject"} <= set(said)
    await depot.deputy.close()
