"""Streams on the wire: first byte at once, tokens as they come, and an end to the model with the tab (SSE-1)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.middleware.gzip import GZipMiddleware

from deputize.core.provider import Done, TextDelta, UsageReport
from deputize.core.usage import Usage
from deputize.store.tables import ledger_scopes, reservations
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA
from tests.surfaces.proxy import nginx
from tests.surfaces.serving import PREFIX, Served, decode, served
from tests.surfaces.turnstile import Turnstile

pytestmark = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
WAYS = ["direct", "gzip", "nginx"]


def squeeze(app: FastAPI) -> None:
    """Compress whatever may be compressed."""
    app.add_middleware(GZipMiddleware, minimum_size=1)


@pytest.fixture(params=WAYS)
async def site(
    request: pytest.FixtureRequest, database: AsyncEngine, clock: FrozenClock, tmp_path: Path
) -> AsyncIterator[Served]:
    """The desk as it is, under compressing middleware, and behind nginx; nobody who leaves is waited for."""
    more: dict[str, Any] = {"settings": {"AI_DISCONNECT_GRACE_MS": 0, "AI_SSE_KEEPALIVE_MS": 100}}
    if request.param == "gzip":
        more["dress"] = squeeze
    if request.param == "nginx":
        more["front"] = partial(nginx, folder=tmp_path)
    async with served(database, clock, **more) as made:
        yield made


@asynccontextmanager
async def asked(site: Served) -> AsyncIterator[tuple[httpx2.Response, AsyncIterator[str]]]:
    """Eva's question as an open stream, and its blocks as they arrive."""
    session = (await site.post("/sessions", {"surface": "desk"})).json()["id"]
    headers = {**site.as_("eva"), "Accept": "text/event-stream", "Accept-Encoding": "gzip, deflate, br"}
    path = f"{PREFIX}/sessions/{session}/messages"
    async with site.client.stream("POST", path, content='{"content": "hi"}', headers=headers) as response:
        yield response, blocks(response)


async def blocks(response: httpx2.Response) -> AsyncIterator[str]:
    """Raw blocks: were they compressed, they would not be text."""
    buffer = b""
    async for piece in response.aiter_raw():
        buffer += piece
        while b"\n\n" in buffer:
            block, _, buffer = buffer.partition(b"\n\n")
            yield block.decode()


async def test_the_first_byte_comes_at_once_and_each_token_as_it_is_said(site: Served) -> None:
    """SSE-1: the model says one word at a time, and only once the last one has been read."""
    site.desk.provider.gate = gate = Turnstile()
    site.desk.provider.then([TextDelta("One "), TextDelta("two "), TextDelta("three"), Done("stop")])
    async with asked(site) as (response, stream):
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers.get("content-encoding", "identity") == "identity"
        assert response.headers["cache-control"] == "no-cache"
        assert await anext(stream) == ": open", "before the model has said anything"
        for word in ("One ", "two ", "three"):
            gate.let()
            assert decode(await said(stream)).data["text"] == word
        gate.let()
        assert decode(await said(stream)).event == "message_done"
        assert [block async for block in stream] == []


async def said(stream: AsyncIterator[str]) -> str:
    """The next block that is no keep-alive."""
    return await anext(block async for block in stream if "event: ping" not in block)


async def test_a_silent_stream_is_kept_alive(site: Served) -> None:
    """SSE-1: while the model says nothing, and while a card waits; a ping is no durable event and has no id."""
    site.desk.provider.gate = gate = Turnstile()
    site.desk.provider.then(calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "t"})))
    async with asked(site) as (response, stream):
        assert await anext(stream) == ": open"
        for _ in range(3):
            assert await anext(stream) == "event: ping\ndata: {}"
        run_id = response.headers["x-run-id"]
        gate.let(100)
        last = [decode(block) async for block in stream if "event: ping" not in block][-1]
    assert last.event == "tool_approval_required"
    path = f"{PREFIX}/runs/{run_id}/events"
    headers = {**site.as_("eva"), "Accept": "text/event-stream", "Last-Event-ID": str(last.id)}
    async with site.client.stream("GET", path, headers=headers) as response:
        waiting = blocks(response)
        assert await anext(waiting) == ": open"
        for _ in range(3):
            assert await anext(waiting) == "event: ping\ndata: {}"


async def test_closing_the_tab_closes_the_model_and_bills_it(site: Served) -> None:
    """RUN-9, BUD-2: the upstream stream is closed, what was used is billed, and nothing stays reserved."""
    site.desk.provider.gate = gate = Turnstile()
    site.desk.provider.then(
        [TextDelta("Word "), UsageReport(Usage(input=50, output=7)), TextDelta("never said"), Done("stop")]
    )
    async with asked(site) as (response, stream):
        await anext(stream)
        gate.let(2)
        assert decode(await said(stream)).data["text"] == "Word "
        run_id = response.headers["x-run-id"]
        driver = site.desk.w.hub.tasks[run_id]
    await driver  # nobody may read meanwhile: a reader would keep the run alive
    told = await site.desk.read(EVA, run_id)
    assert (told.kinds[-1], told.events[-1].status) == ("message_done", "aborted")
    assert site.desk.provider.closed_early == 1
    async with site.desk.w.db.read() as conn:
        held = await conn.scalar(select(func.sum(ledger_scopes.c.held_micro + ledger_scopes.c.held_tokens)))
        settled = [tuple(row) for row in await conn.execute(select(reservations.c.status, reservations.c.sent))]
    assert held == 0
    assert [status for status, _ in settled] == ["settled"]
    run = (await site.get(f"/runs/{run_id}")).json()
    assert (run["status"], run["errorCode"], run["costMicroUsd"] > 0) == ("aborted", "disconnected", True)


async def test_other_answers_are_compressed(site: Served, request: pytest.FixtureRequest) -> None:
    """The middleware and the proxy of this test do compress, so what spares the streams is ours."""
    site.desk.provider.then(says("Hello."))
    async with asked(site) as (_, stream):
        assert [block async for block in stream]
    answer = await site.client.get(f"{PREFIX}/runs", headers={**site.as_("eva"), "Accept-Encoding": "gzip"})
    compressed = answer.headers.get("content-encoding") == "gzip"
    assert compressed == ("direct" not in request.node.callspec.id)
