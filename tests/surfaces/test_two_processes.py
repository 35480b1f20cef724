"""Two API processes on one PostgreSQL: what one began the other shows, decides or, once it is killed, ends (OPS-1)."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest
from sqlalchemy import text

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


async def test_a_proposal_on_one_process_is_decided_on_the_other(pair: Pair) -> None:
    """APPR-3: 200 and the row once; the first process shows how the run went on, and answers the same or 409."""
    session = await pair.open()
    pair.model.answers += [
        calling("find_people", {"query": "Ana"}),
        calling("add_task", {"person": ANA, "title": "call"}),
    ]
    path = f"/sessions/{session}/messages"
    shown = await pair.one.read("POST", path, Reading(), {"content": "a task for Ana"})
    staged = shown.frames[-1]
    assert staged.event == "tool_approval_required"
    waiting = (await pair.other.get("/approvals"))["items"]
    assert [call["id"] for call in waiting] == [staged.data["call"]["id"]]
    assert await pair.tasks() == 0
    pair.model.answers.append(Answer([completion("Done.")]))
    decide = f"/tool-calls/{waiting[0]['id']}/decide"
    body = {"approve": True, "digest": waiting[0]["approval"]["digest"]}
    decided = await pair.other.post(decide, body)
    assert (decided.status_code, decided.json()["outcome"]) == (200, "ok")
    assert await pair.tasks() == 1
    rest = await pair.one.read("GET", f"/runs/{waiting[0]['runId']}/events", Reading(), after=staged.id or 0)
    assert rest.text == "Done."
    assert [kind for _, kind in rest.durable] == ["tool_result", "message_done"]
    assert [number for number, _ in shown.durable + rest.durable] == list(
        range(1, len(shown.durable + rest.durable) + 1)
    )
    assert (await pair.one.post(decide, body)).status_code == 200
    other = await pair.one.post(decide, {**body, "approve": False})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "AI_APPROVAL_RESOLVED")
    assert await pair.tasks() == 1


async def test_sse_1_a_run_is_read_from_the_other_process(pair: Pair) -> None:
    """SSE-1: the text so far as one piece, then what follows; no durable event missed or doubled."""
    session = await pair.open()
    pair.model.answers += [calling("find_people", {"query": "Ana"}), halting("One person: ", "Ana Ruiz.")]
    here, there = Reading(), Reading()
    first = asyncio.create_task(
        pair.one.read("POST", f"/sessions/{session}/messages", here, {"content": "who is Ana?"})
    )
    await here.until("token")
    run_id = (await pair.other.get("/runs"))["items"][0]["id"]
    second = asyncio.create_task(pair.other.read("GET", f"/runs/{run_id}/events", there))
    so_far = await there.until("token")
    assert (so_far.data["at"], so_far.data["text"]) == (0, "One person: ")
    pair.model.release.set()
    await asyncio.gather(first, second)
    assert here.text == there.text == "One person: Ana Ruiz."
    assert here.durable == there.durable
    assert [number for number, _ in there.durable] == [1, 2, 3]
    late = await pair.other.read("GET", f"/runs/{run_id}/events", Reading(), after=2)
    assert late.durable == there.durable[2:]


async def test_run_8_the_other_process_ends_the_run_of_a_killed_one(pair: Pair) -> None:
    """RUN-8: after SIGKILL and an aged lease the other's sweeper ends it; a retry there repeats no executed call."""
    session = await pair.open()
    pair.model.answers += [calling("find_people", {"query": "Ana"}), halting("One person: ", "never said")]
    here, there = Reading(), Reading()
    first = asyncio.create_task(
        pair.one.read("POST", f"/sessions/{session}/messages", here, {"content": "who is Ana?"})
    )
    await here.until("token")
    run_id = (await pair.other.get("/runs"))["items"][0]["id"]
    second = asyncio.create_task(pair.other.read("GET", f"/runs/{run_id}/events", there))
    await there.until("tool_result")
    pair.one.kill()
    assert isinstance((await asyncio.gather(first, return_exceptions=True))[0], httpx2.TransportError)
    async with pair.engine.begin() as conn:
        await conn.execute(text("UPDATE deputize_runs SET lease_until = 0 WHERE id = :id"), {"id": run_id})
    await second
    assert there.frames[-1].event == "error"
    assert there.frames[-1].data["code"] == "RUN_LEASE_LOST"
    assert (await pair.other.get(f"/runs/{run_id}"))["status"] == "error"
    pair.model.answers.append(Answer([completion("Ana Ruiz.")]))
    again = await pair.other.read("POST", f"/runs/{run_id}/retry", Reading(), {})
    assert again.text == "Ana Ruiz."
    assert [kind for _, kind in again.durable] == ["message_done"]
