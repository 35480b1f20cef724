"""A driver whose run was taken from it, or ended, writes nothing more, but what it used is billed (RUN-8)."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select, update

from deputize.core.run import RunStatus
from deputize.engine import runs as deeds
from deputize.engine import sweeper, watching
from deputize.engine.cancelling import stop
from deputize.engine.hub import Hub
from deputize.store import audit_read, runs
from deputize.store.dialect import db_now
from deputize.store.tables import approvals, ledger_scopes, reservations
from deputize.store.tables import runs as rows
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, Desk, Task
from tests.engine.gates import Gate


async def lose(desk: Desk, run_id: str) -> None:
    """The lease has run out, as if the process had been stopped for longer, and the sweeper has passed."""
    async with desk.w.db.write("*", "age") as tx:
        await tx.conn.execute(update(rows).where(rows.c.id == run_id).values(lease_until=db_now()))
    assert await sweeper.sweep(desk.w) == 1


async def status(desk: Desk, run_id: str) -> tuple[RunStatus, str | None]:
    async with desk.w.db.read() as conn:
        run = await runs.load(conn, "north", run_id)
    assert run is not None
    assert all(not call.open for call in run.calls)
    return run.status, run.error_code


@pytest.mark.parametrize("turn", ["text", "read", "write"])
async def test_a_zombie_changes_nothing_after_its_lease(desk: Desk, turn: str) -> None:
    """RUN-8: swept while the model was speaking; the late answer is billed, not shown, not staged, not executed."""
    turns: dict[str, Any] = {
        "text": says("late"),
        "read": calls(("find_people", {})),
        "write": calls(("add_task", {"person": ANA, "title": "late"})),
    }
    desk.provider.gate = asyncio.Event()
    desk.provider.then(turns[turn])
    run_id = await deeds.start(desk.w, EVA, await desk.open(EVA), "hello", None, None)
    task = desk.w.hub.tasks[run_id]
    await lose(desk, run_id)
    desk.provider.gate.set()
    await task
    assert await status(desk, run_id) == (RunStatus.ERROR, "RUN_LEASE_LOST")
    async with desk.w.db.read() as conn:
        assert (await conn.execute(select(approvals.c.id))).all() == []
        assert {row.status for row in await conn.execute(select(reservations.c.status))} == {"settled"}
        spent = (await conn.execute(select(ledger_scopes.c.spent_tokens, ledger_scopes.c.held_tokens))).all()
        events = [kind for _, kind, _ in await runs.events_after(conn, "north", run_id, 0)]
    assert {tuple(row) for row in spent} == {(15, 0)}
    assert events == ["error"]
    assert await desk.rows(Task) == []


async def test_a_cancellation_from_another_process_reaches_the_driver(desk: Desk) -> None:
    """RUN-9: it stands in the record with its reason; whoever watches over runs here cuts the stream and ends it."""
    desk.provider.gate = gate = Gate()
    desk.provider.then(says("never"))
    run_id = await deeds.start(desk.w, EVA, await desk.open(EVA), "hello", None, None)
    task = desk.w.hub.tasks[run_id]
    await gate.reached.wait()
    elsewhere = replace(desk.w, process="another", hub=Hub())
    assert await stop(elsewhere, "north", run_id, by="system", code="disconnected")
    assert await stop(elsewhere, "north", run_id, by="eva", code="signed_out"), "asked again, the first reason stands"
    assert not task.done()
    await watching.look(desk.w)
    await task
    assert await status(desk, run_id) == (RunStatus.ABORTED, "disconnected")
    async with desk.w.db.read() as conn:
        entries, _ = await audit_read.entries(conn, "north")
        (_, kind, data), *_ = reversed(await runs.events_after(conn, "north", run_id, 0))
    told = [(entry.kind, entry.actor, (entry.payload or {})["code"]) for entry in entries if "run_" in entry.kind]
    assert sorted(told) == [("run_ended", "eva", "disconnected"), ("run_stop_asked", "system", "disconnected")]
    assert kind == "message_done"
    assert json.loads(data)["status"] == "aborted"
    assert desk.provider.closed_early == 1
    assert not await stop(desk.w, "north", run_id, by="eva")
