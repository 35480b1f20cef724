"""A process that is told to stop leaves within its grace, however many streams are open (OPS-1, SSE-1)."""

import asyncio
import signal
from collections.abc import AsyncIterator

import pytest

from tests.conftest import Fresh
from tests.engine.desk import ANA
from tests.providers.vendor import Answer, completion
from tests.surfaces.processes import Pair, Reading, calling, halting, paired

pytestmark = [
    pytest.mark.postgresql,
    pytest.mark.parametrize("databases", ["postgresql"], indirect=True),
    pytest.mark.timeout(180),
]


@pytest.fixture
async def pair(fresh: Fresh) -> AsyncIterator[Pair]:
    async with paired(fresh) as made:
        yield made


async def left(pair: Pair) -> int:
    """SIGTERM to the first process; its exit status once it has gone."""
    pair.one.child.send_signal(signal.SIGTERM)
    return await asyncio.to_thread(pair.one.child.wait, 60)


async def test_streams_of_a_pause_end_at_once_and_go_on_elsewhere(pair: Pair) -> None:
    """OPS-1: a clean end, so that the client attaches to another process, where the card still waits."""
    session = await pair.open()
    pair.model.answers += [calling("find_people", {"query": "Ana"}), calling("add_task", {"person": ANA, "title": "t"})]
    shown = await pair.one.read("POST", f"/sessions/{session}/messages", Reading(), {"content": "a task for Ana"})
    card = shown.frames[-1].data["call"]
    waiting = Reading()
    stream = asyncio.create_task(pair.one.read("GET", f"/runs/{card['runId']}/events", waiting))
    await waiting.until("tool_approval_required")
    assert await left(pair) in (0, -signal.SIGTERM)
    await stream
    assert [kind for _, kind in waiting.durable][-1] == "tool_approval_required"
    pair.model.answers.append(Answer([completion("Done.")]))
    body = {"approve": True, "digest": card["approval"]["digest"]}
    assert (await pair.other.post(f"/tool-calls/{card['id']}/decide", body)).status_code == 200
    rest = await pair.other.read("GET", f"/runs/{card['runId']}/events", Reading(), after=waiting.durable[-1][0])
    assert [kind for _, kind in rest.durable] == ["tool_result", "message_done"]


async def test_a_run_in_the_middle_of_its_answer_is_written_down(pair: Pair) -> None:
    """OPS-1: its stream ends before the grace does, the model's is closed, and the run is not left to the sweeper."""
    session = await pair.open()
    pair.model.answers += [halting("One person: ", "never said")]
    here = Reading()
    stream = asyncio.create_task(pair.one.read("POST", f"/sessions/{session}/messages", here, {"content": "Ana?"}))
    await here.until("token")
    assert await left(pair) in (0, -signal.SIGTERM)
    await stream
    run = (await pair.other.get("/runs"))["items"][0]
    assert run["status"] in {"aborted", "error"}
    ended = await pair.other.read("GET", f"/runs/{run['id']}/events", Reading())
    assert ended.frames[-1].event in {"message_done", "error"}
