"""Heartbeats hold what is under way and nothing else; a decision is seen through whoever goes (RUN-8, RUN-9)."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.run import RunStatus
from deputize.engine import attachment, heartbeat, sweeper, worker
from deputize.engine import runs as deeds
from deputize.store import leases, runs
from deputize.store.dialect import db_now
from deputize.store.tables import outbox
from deputize.store.tables import runs as rows
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.depot import Advice, Depot, answer, make_depot
from tests.engine.desk import ANA, EVA, Desk, Task
from tests.engine.gates import Gate


@pytest.fixture
async def depot(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Depot]:
    made = await make_depot(database, clock)
    yield made
    await made.deputy.close()


async def lapse(subject: Desk | Depot) -> None:
    """Every lease runs out now, as if it had been waited for."""
    async with subject.w.db.write("*", "age") as tx:
        await tx.conn.execute(update(rows).where(rows.c.status == "running").values(lease_until=db_now()))
        await tx.conn.execute(update(outbox).where(outbox.c.status == "running").values(lease_until=db_now()))


async def test_a_heartbeat_renews_only_the_rows_that_are_under_way(depot: Depot) -> None:
    """RUN-8: a row that a fault of ours left behind is not held for ever."""
    await depot.queue("held")
    await depot.queue("left")
    held, left = await depot.take(owner=depot.w.process), await depot.take(owner=depot.w.process)
    depot.w.hub.held.add(held.id)
    await lapse(depot)
    await heartbeat.beat(depot.w)
    async with depot.w.db.read() as conn:
        found = (await conn.execute(select(outbox.c.id).where(outbox.c.lease_until > db_now()))).all()
    assert [row.id for row in found] == [held.id]
    assert left.id != held.id


async def test_a_heartbeat_renews_only_the_runs_that_are_driven(desk: Desk) -> None:
    """RUN-8: what this process owns but does not drive is swept, however busy the process is with other runs."""
    desk.provider.gate = gate = Gate()
    desk.provider.then(says("Hello."))
    driven = await deeds.start(desk.w, EVA, await desk.open(EVA), "hello", None, None)
    task = desk.w.hub.tasks[driven]
    await gate.reached.wait()
    async with desk.w.db.write("north", "forgotten") as tx:
        row = {"id": "forgotten", "actor_id": "vic", "surface": "desk", "mode": "copilot", "context": {}}
        await leases.begin(tx, "north", desk.w.process, 15.0, **row, created_at=desk.clock.now())
    await lapse(desk)
    await heartbeat.beat(desk.w)
    assert await sweeper.sweep(desk.w) == 1
    async with desk.w.db.read() as conn:
        lost = await runs.load(conn, "north", "forgotten")
    assert lost is not None
    assert (lost.status, lost.error_code) == (RunStatus.ERROR, "RUN_LEASE_LOST")
    gate.set()
    await task


async def test_a_slow_pass_holds_its_event_and_its_run(depot: Depot) -> None:
    """RUN-8, AUTO-1: a model that takes longer than a lease; nobody takes its event, nobody ends its run."""
    await depot.ticket("t1")
    depot.provider.gate = gate = Gate()
    depot.provider.then(answer())
    handling = asyncio.create_task(worker.once(depot.w))
    await gate.reached.wait()
    await lapse(depot)
    await heartbeat.beat(depot.w)
    assert await sweeper.sweep(depot.w) == 0
    assert not await worker.once(depot.w)
    gate.set()
    assert await handling
    assert [row["status"] for row in await depot.letters()] == ["done"]
    assert [row["status"] for row in await depot.passes()] == ["complete"]
    assert len(await depot.all(Advice)) == 1
    assert depot.w.hub.driven() == set()


async def test_a_decision_whose_request_is_cut_is_seen_through(desk: Desk) -> None:
    """RUN-9: cancelled at its commit; it is executed once, its result recorded, and the run goes on by itself."""
    desk.provider.then(calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "one"})), says("Done."))
    told = await desk.say(EVA, await desk.open(EVA), "task")
    deciding = asyncio.create_task(desk.decide(EVA, told.card, True))

    def cut(label: str) -> None:
        if label == "execute":
            deciding.cancel()

    desk.w.db.before_commit = cut
    with pytest.raises(asyncio.CancelledError):
        await deciding
    assert desk.w.hub.deeds
    await asyncio.wait(desk.w.hub.deeds)
    rest = await desk.read(EVA, told.run_id, told.last)
    assert rest.kinds == ["tool_result", "message_done"]
    assert rest.outcomes() == ["ok"]
    assert [task.title for task in await desk.rows(Task)] == ["one"]


async def test_the_end_of_the_process_waits_for_a_decision(desk: Desk) -> None:
    """RUN-9: stopped while a decision is being executed; a decided write is never cut."""
    desk.provider.then(calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "one"})), says("Done."))
    told = await desk.say(EVA, await desk.open(EVA), "task")
    deciding = asyncio.create_task(desk.decide(EVA, told.card, True))
    while not desk.w.hub.deeds:  # noqa: ASYNC110 - the task has only to begin
        await asyncio.sleep(0)
    deciding.cancel()
    await attachment.shut_down(desk.w)
    assert not desk.w.hub.deeds
    assert [task.title for task in await desk.rows(Task)] == ["one"]
