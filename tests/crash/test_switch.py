"""AUTO-7: the kill switch over several worker processes, with the model's calls counted at a loopback server."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.engine import agents
from tests.conftest import Fresh
from tests.crash.calling import calling_depot
from tests.crash.counting import Model, model
from tests.engine.depot import Advice, Depot
from tests.house.sources import ROOT

POLL_MS = 200
LANES = 2


async def start(engine: AsyncEngine, url: str) -> Process:
    """One worker process that has begun."""
    address = engine.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tests.crash.calling", address, url, str(POLL_MS), str(LANES)]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


@asynccontextmanager
async def working(fresh: Fresh, workers: int) -> AsyncIterator[tuple[Depot, Model]]:
    """A depot with more tickets than lanes, worked on by processes, and its counting model that answers nobody yet."""
    async with AsyncExitStack() as stack:
        counted = await stack.enter_async_context(model())
        counted.hold = True
        engine = await fresh()
        depot = await calling_depot(engine.url.render_as_string(hide_password=False), counted.url, POLL_MS)
        stack.push_async_callback(depot.engine.dispose)
        stack.push_async_callback(depot.deputy.close)
        for n in range(workers * LANES + 2):
            await depot.ticket(str(n))
        processes = [await start(engine, counted.url) for _ in range(workers)]
        try:
            yield depot, counted
        finally:
            for process in processes:
                process.terminate()
            assert [await process.wait() for process in processes] == [0] * workers


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["triage", pytest.param("*", marks=pytest.mark.long)])
async def test_the_switch_stops_every_process_and_nobody_asks_again(fresh: Fresh, name: str) -> None:
    """Every stream is closed, nothing is kept, no call is made while it is off; once on, each is handled once."""
    async with working(fresh, workers=2) as (depot, counted):
        await counted.until(2 * LANES)
        await agents.flip(depot.w, "north", name, False, by="ada")
        await counted.until(0)
        asked = counted.calls
        assert len(counted.left) == 2 * LANES
        assert await depot.all(Advice) == []
        await depot.ticket("while it is off")
        for _ in range(3):
            await asyncio.sleep(POLL_MS / 1000)  # every worker looks for work again, and finds the switch
        assert counted.calls == asked
        counted.hold = False
        await agents.flip(depot.w, "north", name, True, by="ada")
        every = 2 * LANES + 3
        while len(kept := await depot.all(Advice)) < every:  # noqa: ASYNC110  other processes set no event here
            await asyncio.sleep(0.05)
        assert len({advice.ticket for advice in kept}) == len(kept) == every
        assert counted.calls == asked + every
