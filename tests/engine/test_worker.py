"""The worker: lanes, heartbeats, an orderly stop, health, and the kill switch's races (AUTO-1, AUTO-7)."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.provider import ModelRequest
from deputize.engine import agents, worker
from deputize.engine.worker import Health
from deputize.store import settings
from deputize.surfaces import worker as process
from deputize.testing.clock import FrozenClock
from tests.engine.depot import Advice, Depot, answer, make_depot
from tests.engine.gates import Gate, until


@pytest.fixture
async def depot(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Depot]:
    made = await make_depot(database, clock, settings={"AGENT_POLL_INTERVAL_MS": 20})
    yield made
    await made.deputy.close()


async def settled(depot: Depot) -> bool:
    """Nothing waits any more."""
    return all(row["status"] not in ("pending", "running") for row in await depot.letters())


async def waits(depot: Depot) -> bool:
    """Everything waits, nothing is under way."""
    return all(row["status"] == "pending" for row in await depot.letters())


async def test_lanes_do_everything_once_and_stop_in_order(depot: Depot) -> None:
    """AUTO-1: four lanes, effects and events mixed; told to stop, the worker ends by itself."""
    for n in range(6):
        await depot.queue(f"k{n}")
        await depot.ticket(f"t{n}")
    depot.provider.then(*[answer()] * 6)
    stop, health = asyncio.Event(), Health()
    working = asyncio.create_task(worker.work(depot.w, stop, health))
    await until(depot.w.db, lambda: settled(depot))
    assert health.report(depot.w.limits.agent_poll)["ok"]
    stop.set()
    await working
    assert Counter(key for key, _ in depot.outside.arrived) == Counter(f"north:k{n}" for n in range(6))
    assert sorted(advice.ticket for advice in await depot.all(Advice)) == [f"t{n}" for n in range(6)]
    assert (health.done, health.failures) == (12, 0)
    assert not health.report(0.02)["ok"], "a worker that stops is not ready"


async def test_what_is_under_way_is_finished_before_the_stop(depot: Depot) -> None:
    """AUTO-1, I4: a graceful stop loses nothing and leaves nothing held."""
    await depot.ticket("t1")
    depot.provider.gate = gate = Gate()
    depot.provider.then(answer())
    stop = asyncio.Event()
    working = asyncio.create_task(worker.work(depot.w, stop))
    await gate.reached.wait()
    stop.set()
    gate.set()
    await working
    assert len(await depot.all(Advice)) == 1
    assert depot.w.hub.held == set()


async def test_a_failing_turn_does_not_end_the_lane(depot: Depot) -> None:
    """A host's `facts` that raises is a failed attempt; a fault of ours is logged; both leave the lane turning."""
    await depot.ticket("t1")

    async def broken(*_: Any) -> Any:
        raise RuntimeError("host")

    depot.triage.facts = broken  # type: ignore[method-assign, assignment]  # a host's bug
    await worker.drain(depot.w)
    (row,) = await depot.letters()
    assert (row["status"], row["attempts"], row["error"]) == ("pending", 1, "INTERNAL_ERROR")


async def test_a_switch_flipped_elsewhere_cuts_the_pass_within_a_look(depot: Depot) -> None:
    """AUTO-7, RUN-9: another process flips; the stream here is cut, what was used is billed, the event waits."""
    await depot.ticket("t1")
    depot.provider.gate = gate = Gate()
    depot.provider.then(answer())
    stop = asyncio.Event()
    working = asyncio.create_task(worker.work(depot.w, stop))
    await gate.reached.wait()
    other = replace(depot.w, process="another", hub=type(depot.w.hub)())
    await agents.flip(other, "north", "triage", False, by="ada")
    await until(depot.w.db, lambda: waits(depot))
    stop.set()
    await working
    assert depot.provider.closed_early == 1
    assert await depot.all(Advice) == []
    (row,) = await depot.letters()
    assert (row["status"], row["attempts"]) == ("pending", 0)


async def test_a_switch_that_is_on_again_at_once_costs_no_attempt(depot: Depot) -> None:
    """AUTO-3, AUTO-7: what it has cut short waits like any other, is no failure, and is handled once."""
    await depot.ticket("t1")
    depot.provider.gate = gate = Gate()
    depot.provider.then(answer())
    begun = asyncio.create_task(worker.once(depot.w))
    await gate.reached.wait()
    await agents.flip(depot.w, "north", "triage", False, by="ada")
    await agents.flip(depot.w, "north", "triage", True, by="ada")
    await begun
    (row,) = await depot.letters()
    assert (row["status"], row["attempts"], row["error"]) == ("pending", 0, "AI_DISABLED")
    assert [(run["status"], run["error_code"]) for run in await depot.passes()] == [("aborted", "AI_DISABLED")]
    depot.provider.gate = None
    depot.provider.turns.clear()
    depot.provider.then(answer())
    assert await worker.drain(depot.w) == 1
    assert len(await depot.all(Advice)) == 1


@pytest.mark.parametrize("races", [25, pytest.param(1000, marks=[pytest.mark.long, pytest.mark.timeout(3600)])])
async def test_nothing_commits_after_the_switch(depot: Depot, races: int) -> None:
    """AUTO-7: once a flip has returned, no pass that it stops commits its proposal."""
    for n in range(races):
        await depot.ticket(f"t{n}")
        gate = asyncio.Event()

        def slow(request: ModelRequest, gate: asyncio.Event = gate) -> Any:
            gate.set()
            return answer()

        depot.provider.turns.clear()
        depot.provider.then(slow)
        begun = asyncio.create_task(worker.once(depot.w))
        await gate.wait()
        for _ in range(n % 25):
            await asyncio.sleep(0)
        async with depot.w.db.write("north", "switch") as tx:
            await settings.flip(tx, "north", "triage", False, "ada", depot.clock.now())
        before = len(await depot.all(Advice))
        await begun
        assert len(await depot.all(Advice)) == before, f"race {n}"
        async with depot.w.db.write("north", "switch") as tx:
            await settings.flip(tx, "north", "triage", True, "ada", depot.clock.now())
        depot.provider.then(answer())
        await worker.drain(depot.w)
    assert len(await depot.all(Advice)) == races


async def test_the_health_port(depot: Depot) -> None:
    """AUTO-1: 200 with a report while the worker turns, 503 once it stops; a client that says nothing is let go."""
    health = Health()
    server = await process.listen(depot.w, health, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    async def ask() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        said = await reader.read()
        writer.close()
        return said

    assert b"200 OK" in await ask()
    health.stopping = True
    said = await ask()
    assert b"503" in said
    assert b'"ok": false' in said
    server.close()
