"""Readers that come and go between two processes: no durable event is missed, none comes twice (SSE-1)."""

import random
from collections.abc import AsyncIterator

import pytest

from tests.conftest import Fresh
from tests.providers.vendor import Answer, completion
from tests.surfaces.desk_process import PREFIX
from tests.surfaces.processes import Pair, Process, calling, paired
from tests.surfaces.serving import Frame, decode

pytestmark = [
    pytest.mark.postgresql,
    pytest.mark.parametrize("databases", ["postgresql"], indirect=True),
    pytest.mark.timeout(1800),
]
READS = 6


@pytest.fixture
async def pair(fresh: Fresh) -> AsyncIterator[Pair]:
    async with paired(fresh) as made:
        yield made


async def some(process: Process, run: str, last: int, most: int) -> list[Frame]:
    """Durable events after `last`, at most so many; then the connection is cut in the middle of the stream."""
    found: list[Frame] = []
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": str(last)} if last else {})}
    async with process.client.stream("GET", f"{PREFIX}/runs/{run}/events", headers=headers) as response:
        assert response.status_code == 200
        buffer = ""
        async for piece in response.aiter_text():
            *blocks, buffer = (buffer + piece).split("\n\n")
            frames = [decode(block) for block in blocks if not block.startswith(":")]
            found += [frame for frame in frames if frame.id is not None]
            if len(found) >= most:
                return found[:most]
    return found


async def one_run(pair: Pair, session: str, chance: random.Random) -> int:
    """A run of several reads, followed by a reader that reconnects all the time; how often it did."""
    for n in range(READS):
        pair.model.answers.append(calling("find_people", {"query": f"Ana {n}"}))
    pair.model.answers.append(Answer([completion("Done.")]))
    headers = {"Accept": "text/event-stream"}
    path = f"{PREFIX}/sessions/{session}/messages"
    seen: list[Frame] = []
    times = 0
    async with pair.one.client.stream("POST", path, json={"content": "who is Ana?"}, headers=headers) as first:
        run = first.headers["x-run-id"]
        while not seen or seen[-1].event != "message_done":
            process = chance.choice((pair.one, pair.other))
            last = (seen[-1].id or 0) if seen else 0
            seen += await some(process, run, last, chance.randint(1, 2))
            times += 1
    assert [frame.id for frame in seen] == list(range(1, 2 * READS + 2))
    whole = await some(pair.other, run, 0, 1000)
    assert [(frame.id, frame.event, frame.data) for frame in whole] == [(f.id, f.event, f.data) for f in seen]
    return times


async def test_a_reader_that_changes_processes_misses_nothing(pair: Pair) -> None:
    """SSE-1: `Last-Event-ID` works on any process."""
    assert await one_run(pair, await pair.open(), random.Random(1)) >= READS


@pytest.mark.long
async def test_a_hundred_reconnects_miss_nothing(pair: Pair) -> None:
    """SSE-1: 100 reconnects over two processes, at any moment of the runs."""
    chance, session, times = random.Random(2), await pair.open(), 0
    while times < 100:
        times += await one_run(pair, session, chance)
