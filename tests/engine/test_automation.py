"""Automation passes: one bounded model call, policy, switches, consent, and a bounded apply (AUTO-1 to AUTO-8)."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.actor import Actor
from deputize.core.automation import Policy
from deputize.core.provider import Done, ModelRequest, ProviderFailed, TextDelta
from deputize.engine import agents, passes, worker
from deputize.store import agents as stored
from deputize.store import settings
from deputize.store.tables import ledger_scopes
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.depot import Advice, Depot, Ticket, answer, make_depot

OLGA = Actor("olga", "north", label="Olga", grants=frozenset({"x"}), time_zone="Europe/Madrid")
ADMIN = Actor("ada", "north", grants=frozenset({"copilot.supervise", "copilot.configure"}))


@pytest.fixture
async def depot(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Depot]:
    made = await make_depot(database, clock)
    made.triage.owners["olga"] = OLGA
    yield made
    await made.deputy.close()


async def policy(depot: Depot, **changes: Any) -> None:
    await agents.configure(depot.w, ADMIN, "triage", changes)


async def event(depot: Depot) -> tuple[str, int, str | None]:
    (row,) = await depot.letters()
    return row["status"], row["attempts"], row["error"]


async def test_suggest(depot: Depot) -> None:
    """AUTO-2: one call, validated JSON, a proposal; the calls stand in the run; the record itself is untouched."""
    await depot.ticket("t1", "pipe broke")
    depot.provider.then(answer("high"))
    assert await worker.drain(depot.w) == 1
    (advice,) = await depot.all(Advice)
    (ticket,) = await depot.all(Ticket)
    assert (advice.ticket, advice.priority, ticket.priority, ticket.version) == ("t1", "high", "low", 1)
    (run,) = await depot.passes()
    assert (run["status"], run["mode"], run["agent"], run["subject"]) == ("complete", "autonomous", "triage", "t1")
    assert run["input_tokens"] == 10
    assert await event(depot) == ("done", 0, None)
    shown = await agents.one_run(depot.w, ADMIN, run["id"])
    assert [(call["tool"], call["outcome"]) for call in shown["toolCalls"]] == [("triage_propose", "ok")]
    assert shown["toolCalls"][0]["result"] == {"suggested": "high"}
    assert (await depot.kinds())[0] == "transcript_viewed"


async def test_what_leaves_is_redacted_and_one_object_is_asked_for(depot: Depot) -> None:
    """RED-2, RUN-13: personal facts go out as placeholders; the schema is told; no tool is offered to be called."""
    await depot.ticket("t1", "pipe broke")
    depot.provider.then(answer())
    await worker.drain(depot.w)
    (request,) = depot.provider.requests
    said = str(request.messages)
    assert request.one_shot_json
    assert "pipe broke" in said
    assert "olga" not in said
    assert "suggested_priority" in request.system


async def test_agent_scope_pays(depot: Depot) -> None:
    """BUD-1, AUTO-8: the books are the agent's, the tenant's and the deployment's, never a person's."""
    await depot.ticket("t1")
    depot.provider.then(answer())
    await worker.drain(depot.w)
    async with depot.w.db.read() as conn:
        found = (await conn.execute(select(ledger_scopes.c.scope, ledger_scopes.c.spent_tokens))).all()
    assert {scope for scope, _ in found} == {"agent", "tenant", "global"}
    assert {spent for _, spent in found} == {15}


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (says("high, I think"), "invalid_answer"),
        (says('{"summary": "x", "suggested_priority": "huge"}'), "invalid_answer"),
        (says('{"summary": "x", "suggested_priority": "low", "status": "done"}'), "invalid_answer"),
        (says('{"summary": "NAME_kovabi wrote", "suggested_priority": "low"}'), "invalid_answer"),
        (calls(("triage_apply", {})), "invalid_answer"),
        ([TextDelta("{"), Done("length")], "length"),
        ([TextDelta("{")], "stream_broken"),
        ([ProviderFailed("busy", transient=True)], "AI_UNAVAILABLE"),
    ],
)
async def test_an_invalid_answer_is_a_failed_attempt_that_bills(depot: Depot, turn: Any, code: str) -> None:
    """AUTO-2: nothing is repaired; backoff, then a fresh pass."""
    await depot.ticket("t1")
    depot.provider.then(turn, answer())
    await worker.drain(depot.w)
    assert await event(depot) == ("pending", 1, code)
    assert await depot.all(Advice) == []
    (run,) = await depot.passes()
    assert (run["status"], run["error_code"]) == ("error", code)
    async with depot.w.db.read() as conn:
        held = (await conn.execute(select(ledger_scopes.c.held_tokens, ledger_scopes.c.spent_tokens))).all()
    assert all(row.held_tokens == 0 for row in held)
    assert all(row.spent_tokens > 0 for row in held)
    await depot.hurry()
    await worker.drain(depot.w)
    assert (await event(depot))[0] == "done"
    assert [run["context"]["attempt"] for run in await depot.passes()] == [1, 2]


async def test_buried_after_its_attempts_alone(depot: Depot) -> None:
    """AUTO-1, I5: the poisoned event reaches the dead letters, the innocent one is handled."""
    await depot.ticket("bad")
    await depot.ticket("good")
    for _ in range(3):
        turn = answer()
        depot.provider.then(*[lambda request, turn=turn: says("no") if "bad" in str(request.messages) else turn] * 2)
        await worker.drain(depot.w)
        await depot.hurry()
    assert {row["subject"]: row["status"] for row in await depot.letters()} == {"bad": "failed", "good": "done"}
    assert ("automation_failed", True) in [(kind, entry.get("buried")) for kind, entry in await depot.chain()]


async def test_auto_apply_is_bounded_and_fresh(depot: Depot) -> None:
    """AUTO-6: the declared field of the event's subject, at its present version, under the recorded policy."""
    await policy(depot, mode="auto-apply")
    await depot.ticket("t1")
    await depot.ticket("t2")
    depot.provider.then(answer("urgent"), answer("low"))
    await worker.drain(depot.w)
    found = {ticket.id: (ticket.priority, ticket.version, ticket.status) for ticket in await depot.all(Ticket)}
    assert found == {"t1": ("urgent", 2, "open"), "t2": ("low", 2, "open")}
    assert depot.triage.versions == ["1", "1"]
    applied = [entry for kind, entry in await depot.chain() if kind == "automation_applied"]
    assert {(entry["policy"], entry["mode"]) for entry in applied} == {(2, "auto-apply")}


@pytest.mark.parametrize("wild", ["status", "delete", "other", "mail"])
async def test_whatever_goes_beyond_is_undone(depot: Depot, wild: str) -> None:
    """AUTO-6: no other field, no delete, no other record, nothing that leaves; the proposal stands."""
    await policy(depot, mode="auto-apply")
    await depot.ticket("t1")
    await depot.ticket("t2")
    depot.triage.wild = wild
    depot.provider.then(answer("urgent"), answer("urgent"))
    await worker.drain(depot.w)
    tickets = await depot.all(Ticket)
    assert {(ticket.priority, ticket.status, ticket.version) for ticket in tickets} == {("low", "open", 1)}
    assert len(tickets) == 2
    assert len(await depot.all(Advice)) == 2
    assert [row["kind"] for row in await depot.letters()] == ["event", "event"]
    dropped = [entry for kind, entry in await depot.chain() if kind == "automation_dropped"]
    assert [entry["code"] for entry in dropped] == ["outside_policy"] * 2


async def test_a_proposal_that_changes_records_is_undone(depot: Depot) -> None:
    """AUTO-2: suggest mode writes into the declared tables only."""
    await depot.ticket("t1")
    depot.triage.wild = "propose"
    depot.provider.then(answer("urgent"))
    await worker.drain(depot.w)
    (ticket,) = await depot.all(Ticket)
    assert ticket.priority == "low"
    assert await event(depot) == ("pending", 1, "outside_policy")


@pytest.mark.parametrize(("conflicts", "priority"), [(1, "high"), (2, "low")])
async def test_conflict_once_more_then_dropped(depot: Depot, conflicts: int, priority: str) -> None:
    """AUTO-6: tried once more with a fresh version, then logged and dropped; the event is handled either way."""
    await policy(depot, mode="auto-apply")
    await depot.ticket("t1")
    depot.triage.conflicts = conflicts
    depot.provider.then(answer("high"))
    await worker.drain(depot.w)
    (ticket,) = await depot.all(Ticket)
    assert ticket.priority == priority
    assert (await event(depot))[0] == "done"
    assert [kind for kind in await depot.kinds() if kind == "automation_dropped"] == ["automation_dropped"] * conflicts


async def test_a_field_that_the_policy_does_not_allow(depot: Depot) -> None:
    """AUTO-3: allowed fields are a subset of the declared ones; without any nothing is applied."""
    await policy(depot, mode="auto-apply", allowed=())
    await depot.ticket("t1")
    depot.provider.then(answer("high"))
    await worker.drain(depot.w)
    assert [ticket.priority for ticket in await depot.all(Ticket)] == ["low"]
    assert depot.triage.versions == []


async def test_threshold_flags_anyway(depot: Depot) -> None:
    """AUTO-3: from the lowest flagged value on, whatever the model says."""
    await policy(depot, threshold="high")
    for n, suggested in enumerate(("medium", "high", "urgent")):
        await depot.ticket(f"t{n}")
        depot.provider.then(answer(suggested, flag=False))
    await worker.drain(depot.w)
    assert [advice.flag for advice in await depot.all(Advice)] == [False, True, True]


async def test_an_owner_who_opted_out_reaches_no_provider(depot: Depot) -> None:
    """AUTO-4: no event is written; one that is there already is skipped, recorded, and no model is called."""
    await depot.ticket("before")
    depot.triage.owners["olga"] = replace(OLGA, ai_enabled=False)
    await depot.ticket("after")
    depot.triage.backlog = [("north", "after")]
    assert await worker.reconcile(depot.w) == 0
    assert [row["subject"] for row in await depot.letters()] == ["before"]
    assert await worker.drain(depot.w) == 1
    assert depot.provider.requests == []
    assert [run["error_code"] for run in await depot.passes()] == ["skipped_opted_out"]
    assert "automation_skipped" in await depot.kinds()


async def test_an_owner_who_opts_out_during_the_call(depot: Depot) -> None:
    """AUTO-4: asked again before anything is written; the call is billed."""

    def late(request: ModelRequest) -> Any:
        depot.triage.owners["olga"] = replace(OLGA, ai_enabled=False)
        return answer()

    await depot.ticket("t1")
    depot.provider.then(late)
    await worker.drain(depot.w)
    assert await depot.all(Advice) == []
    assert (await event(depot))[0] == "done"
    assert (await depot.passes())[0]["input_tokens"] == 10


async def test_skip_calls_no_model_and_counts_against_no_cap(depot: Depot) -> None:
    """AUTO-2, AUTO-3: the daily cap counts passes, not skips."""
    await policy(depot, daily_cap=1)
    await depot.ticket("gone")
    async with depot.engine.begin() as conn:
        await conn.execute(Ticket.__table__.update().values(status="done"))  # type: ignore[attr-defined]  # declarative
    await worker.drain(depot.w)
    await depot.ticket("t1")
    depot.provider.then(answer())
    await worker.drain(depot.w)
    assert [run["error_code"] for run in await depot.passes()] == ["skipped_closed", None]


async def test_over_the_daily_cap_events_wait(depot: Depot) -> None:
    """AUTO-3: no attempt is counted, and the next day they go on, in the tenant's zone."""
    await policy(depot, daily_cap=1, time_zone="Europe/Madrid")
    await depot.ticket("t1")
    await depot.ticket("t2")
    depot.provider.then(answer(), answer())
    assert await worker.drain(depot.w) == 1
    assert {(row["status"], row["attempts"]) for row in await depot.letters()} == {("done", 0), ("pending", 0)}
    depot.clock.advance(14 * 3600 - 60)
    assert await worker.drain(depot.w) == 0, "23:59 in Madrid"
    depot.clock.advance(60)
    assert await worker.drain(depot.w) == 1


async def test_outside_working_hours_events_wait(depot: Depot) -> None:
    """AUTO-3: the frozen clock stands at Monday, 09:00 UTC."""
    await policy(depot, working_hours="mon-fri 08:00-18:00", time_zone="America/New_York")
    await depot.ticket("t1")
    depot.provider.then(answer())
    assert await worker.drain(depot.w) == 0
    assert await event(depot) == ("pending", 0, None)
    depot.clock.advance(timedelta(hours=4).total_seconds())
    assert await worker.drain(depot.w) == 1


async def test_concurrency_over_all_workers(depot: Depot) -> None:
    """AUTO-3: what living workers hold counts; a dead one's does not."""
    await policy(depot, concurrency=1)
    await depot.ticket("t1")
    await depot.ticket("t2")
    begun = await passes.begin(depot.w, depot.triage, "north")
    assert isinstance(begun, passes.Pass)
    assert await worker.drain(depot.w) == 0
    await depot.hurry()
    depot.provider.then(answer(), answer())
    assert await worker.drain(depot.w) == 2


async def test_a_dead_workers_pass_is_taken_over(depot: Depot) -> None:
    """RUN-8, AUTO-1: the event is handled once by another worker; the dead one's run is marked, its writes fenced."""
    await depot.ticket("t1")
    dead = await passes.begin(depot.w, depot.triage, "north")
    assert isinstance(dead, passes.Pass)
    await depot.hurry()
    depot.provider.then(answer())
    assert await worker.drain(depot.w) == 1
    with pytest.raises(Exception, match="taken this over"):
        async with depot.w.db.write("north", "zombie") as tx:
            await passes.fence(depot.w, tx, dead)
    assert len(await depot.all(Advice)) == 1
    assert await event(depot) == ("done", 1, None)


async def test_money_runs_out(depot: Depot) -> None:
    """BUD-1, AUTO-3: the event waits for the next period, no attempt is counted, no model is asked."""
    object.__setattr__(depot.w, "limits", replace(depot.w.limits, agent_day_micro=0))
    await depot.ticket("t1")
    await worker.drain(depot.w)
    assert depot.provider.requests == []
    status, attempts, error = await event(depot)
    assert (status, attempts, error) == ("pending", 0, "AI_BUDGET_EXCEEDED")
    assert [run["status"] for run in await depot.passes()] == ["budget_exceeded"]


@pytest.mark.parametrize("how", ["agent", "tenant", "deployment", "one"])
async def test_switched_off_nothing_is_claimed(depot: Depot, how: str) -> None:
    """AUTO-7: read before the claim; the event waits and no provider call is made."""
    await depot.ticket("t1")
    if how == "agent":
        await agents.switch(depot.w, ADMIN, "triage", False)
    elif how == "tenant":
        await agents.switch_all(depot.w, ADMIN, False)
    else:
        await agents.flip(depot.w, "*", "*" if how == "deployment" else "triage", False, by="operator")
    assert await worker.drain(depot.w) == 0
    assert depot.provider.requests == []
    assert await event(depot) == ("pending", 0, None)
    if how == "agent":
        await agents.switch(depot.w, ADMIN, "triage", True)
        depot.provider.then(answer())
        assert await worker.drain(depot.w) == 1


async def test_another_tenants_switch_changes_nothing(depot: Depot) -> None:
    """SEC-14: switches are the tenant's own."""
    await depot.ticket("t1", tenant="south")
    await agents.switch_all(depot.w, ADMIN, False)
    depot.provider.then(answer())
    assert await worker.drain(depot.w) == 1


@pytest.mark.parametrize("when", ["before the call", "during the call"])
async def test_switched_off_meanwhile(depot: Depot, when: str) -> None:
    """AUTO-7, H13: read before the model call and inside the commit; what was used is billed, nothing is written."""
    await depot.ticket("t1")

    async def off() -> None:
        async with depot.w.db.write("north", "flip") as tx:
            await settings.flip(tx, "north", "triage", False, "admin", depot.clock.now())

    begun = await passes.begin(depot.w, depot.triage, "north")
    assert isinstance(begun, passes.Pass)
    depot.provider.then(answer())
    if when == "before the call":
        await off()
    else:
        depot.w.db.after_commit = None
        original = depot.provider.stream

        async def stream(request: ModelRequest) -> Any:
            await off()
            async for piece in original(request):
                yield piece

        depot.provider.stream = stream  # type: ignore[method-assign]  # the switch falls in mid-call
    assert await worker._handle(depot.w, begun) == "switched off"
    assert await depot.all(Advice) == []
    assert await event(depot) == ("pending", 0, "AI_DISABLED")
    (run,) = await depot.passes()
    assert (run["status"], run["input_tokens"] > 0) == ("aborted", when == "during the call")


async def test_reconcile_enqueues_what_was_missed_once(depot: Depot) -> None:
    """AUTO-1: an event that is there already is left alone."""
    await depot.ticket("t1")
    depot.triage.backlog = [("north", "t1"), ("south", "t9")]
    assert await worker.reconcile(depot.w) == 2
    assert await worker.reconcile(depot.w) == 2
    assert [(row["tenant"], row["subject"]) for row in await depot.letters()] == [("north", "t1"), ("south", "t9")]


async def test_manual_trigger(depot: Depot) -> None:
    """AUTO-8: same actor, policy and ledgers; it also runs again what was handled before."""
    await depot.ticket("t1")
    depot.provider.then(answer("low"), answer("high"))
    assert await agents.trigger(depot.w, ADMIN, "triage", "t1") == {"outcome": "proposed"}
    assert await agents.trigger(depot.w, ADMIN, "triage", "t1") == {"outcome": "proposed"}
    assert await agents.trigger(depot.w, ADMIN, "triage", None) == {"outcome": "nothing to do"}
    assert {run["actor_id"] for run in await depot.passes()} == {"agent:triage"}
    await policy(depot, daily_cap=2)
    assert await agents.trigger(depot.w, ADMIN, "triage", "t1") == {"outcome": "waiting: daily_cap"}


async def test_the_policy_is_made_from_the_settings_once_and_its_history_is_kept(depot: Depot) -> None:
    """AUTO-3: `AGENT_*` only fills it at creation; every change is a version, in the history and in the chain."""
    await depot.ticket("t1")
    depot.provider.then(answer())
    await worker.drain(depot.w)
    object.__setattr__(depot.w, "limits", replace(depot.w.limits, agent_mode="auto-apply", agent_concurrency=9))
    seen = await agents.overview(depot.w, ADMIN, "triage")
    assert (seen["mode"], seen["concurrency"], seen["version"]) == ("suggest", 2, 1)
    await policy(depot, concurrency=5)
    await policy(depot, concurrency=5)
    seen = await agents.overview(depot.w, ADMIN, "triage")
    assert [line["version"] for line in seen["history"]] == [2, 1]
    assert seen["history"][0]["changes"] == {"concurrency": {"before": 2, "after": 5}}
    assert [kind for kind in await depot.kinds() if kind.startswith("agent_")] == ["agent_configured", "agent_created"]


async def test_policies_are_the_tenants_own(depot: Depot) -> None:
    await policy(depot, mode="auto-apply")
    async with depot.w.db.read() as conn:
        assert await stored.policy(conn, "south", "triage") is None
        assert isinstance(await stored.policy(conn, "north", "triage"), Policy)
