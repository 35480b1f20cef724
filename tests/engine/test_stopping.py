"""Every way to stop a run, live or paused, from this process or another; a decided write is never cut (RUN-9)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select, update

from deputize.core.errors import ApprovalExpired
from deputize.core.run import RunStatus
from deputize.engine import agents, cancelling, conversations, ending_actor, runs, watching
from deputize.engine.hub import Hub
from deputize.engine.wiring import Wiring
from deputize.store import runs as record
from deputize.store.dialect import db_now
from deputize.store.tables import ledger_scopes
from deputize.store.tables import runs as rows
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, Desk, Task
from tests.engine.gates import Gate

Way = Callable[[Wiring, str, str], Awaitable[Any]]
WAYS: dict[str, Way] = {
    "cancelled": lambda w, conversation, run: cancelling.cancel(w, EVA, run),
    "signed_out": lambda w, conversation, run: ending_actor.end_actor(w, EVA),
    "conversation_ended": lambda w, conversation, run: conversations.end(w, EVA, conversation),
    "AI_DISABLED": lambda w, conversation, run: agents.flip(w, "*", "*", False, by="ops"),
}
"""The ways to stop, by the reason that then stands in the record."""


def elsewhere(desk: Desk) -> Wiring:
    """Another process over the same database."""
    return replace(desk.w, process="another", hub=Hub())


async def ended(desk: Desk, run_id: str) -> tuple[RunStatus, str | None, list[str]]:
    """How the run ended, and its durable events; every call has its result, nothing stays reserved."""
    async with desk.w.db.read() as conn:
        run = await record.load(conn, "north", run_id)
        events = [kind for _, kind, _ in await record.events_after(conn, "north", run_id, 0)]
        held = select(func.sum(ledger_scopes.c.held_tokens + ledger_scopes.c.held_micro))
        assert not await conn.scalar(held)
    assert run is not None
    assert all(not call.open for call in run.calls)
    return run.status, run.error_code, events


async def staged(desk: Desk) -> tuple[str, Any]:
    """A paused run with its card."""
    desk.provider.then(calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "one"})), says("Done."))
    conversation = await desk.open(EVA)
    return conversation, await desk.say(EVA, conversation, "a task")


@pytest.mark.parametrize("far", [False, True], ids=["here", "elsewhere"])
@pytest.mark.parametrize("reason", WAYS)
async def test_a_live_run_is_stopped(desk: Desk, reason: str, far: bool) -> None:
    """RUN-9, BUD-2: the upstream stream is closed, what was used is billed, the record says why."""
    desk.provider.gate = gate = Gate()
    desk.provider.then(says("never"))
    conversation = await desk.open(EVA)
    run_id = await runs.start(desk.w, EVA, conversation, "hello", None, None)
    task = desk.w.hub.tasks[run_id]
    await gate.reached.wait()
    await WAYS[reason](elsewhere(desk) if far else desk.w, conversation, run_id)
    if far:
        await watching.look(desk.w)
    await task
    assert await ended(desk, run_id) == (RunStatus.ABORTED, reason, ["message_done"])
    assert desk.provider.closed_early == 1


@pytest.mark.parametrize("reason", WAYS)
async def test_a_paused_run_is_stopped(desk: Desk, reason: str) -> None:
    """RUN-9: its card expires, the decision then is too late, nothing was written."""
    conversation, told = await staged(desk)
    await WAYS[reason](elsewhere(desk), conversation, told.run_id)
    status, code, events = await ended(desk, told.run_id)
    assert (status, code) == (RunStatus.ABORTED, reason)
    assert events[-3:] == ["tool_approval_expired", "tool_result", "message_done"]
    await agents.flip(desk.w, "*", "*", True, by="ops")
    with pytest.raises(ApprovalExpired):
        await desk.decide(EVA, told.card, True)
    assert await desk.rows(Task) == []


@pytest.mark.parametrize("reason", WAYS)
async def test_a_decided_write_is_never_cut(desk: Desk, reason: str) -> None:
    """RUN-9: stopped in the midst of its transaction: that ends, its result is recorded, then the run is aborted."""
    conversation, told = await staged(desk)
    other = elsewhere(desk)
    stopping: list[asyncio.Future[Any]] = []

    def meanwhile(label: str) -> None:
        if label == "execute" and not stopping:
            stopping.append(asyncio.ensure_future(WAYS[reason](other, conversation, told.run_id)))

    desk.w.db.before_commit = meanwhile
    desk.provider.gate = Gate()
    done = await desk.decide(EVA, told.card, True)
    assert done.outcome == "ok"
    await stopping[0]
    task = desk.w.hub.tasks.get(told.run_id)
    while task is not None and not task.done():  # the watcher looks again and again
        await watching.look(desk.w)
        await asyncio.wait({task}, timeout=0.05)
    status, code, events = await ended(desk, told.run_id)
    assert (status, code) == (RunStatus.ABORTED, reason)
    assert events[-2:] == ["tool_result", "message_done"]
    assert [task.title for task in await desk.rows(Task)] == ["one"]


async def test_a_detached_surface_lets_the_run_go_on(desk: Desk) -> None:
    """RUN-9: `detach`: nobody reads any more, on any process, and the run ends by itself."""
    surfaces = {name: replace(surface, disconnect="detach") for name, surface in desk.w.registry.surfaces.items()}
    object.__setattr__(desk.w, "registry", replace(desk.w.registry, surfaces=surfaces))
    desk.provider.gate = gate = Gate()
    desk.provider.then(says("Hello."))
    run_id = await runs.start(desk.w, EVA, await desk.open(EVA), "hello", None, None)
    task = desk.w.hub.tasks[run_id]
    await gate.reached.wait()
    async with desk.w.db.write("*", "left") as tx:
        await tx.conn.execute(update(rows).values(attached_until=db_now()))
    await watching.look(desk.w)
    gate.set()
    await task
    assert (await ended(desk, run_id))[0] is RunStatus.COMPLETE


async def test_a_pause_needs_no_reader(desk: Desk) -> None:
    """RUN-9: no disconnect expires an approval; it is decided long after everybody has left."""
    _, told = await staged(desk)
    async with desk.w.db.write("*", "left") as tx:
        await tx.conn.execute(update(rows).values(attached_until=db_now()))
    await watching.look(desk.w)
    assert (await desk.decide(EVA, told.card, True)).outcome == "ok"
    await watching.look(desk.w)
    assert (await desk.read(EVA, told.run_id, told.last)).kinds == ["tool_result", "message_done"]
    assert (await ended(desk, told.run_id))[0] is RunStatus.COMPLETE
