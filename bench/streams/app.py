"""The served process: `plain` frames through Starlette's own StreamingResponse, or `deputize` runs of a scripted model.

Both answer `POST /api/v1/ai/sessions/{anything}/messages` with a stream. The model (or the plain generator) says one
word, and then nothing at all, or `RATE` words a second where that is set.
"""

import asyncio
import os
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Header
from fastapi.responses import StreamingResponse

from bench.streams.clients import PREFIX

RATE = float(os.environ.get("RATE", "0"))
WORD = "word "


async def words() -> AsyncIterator[str]:
    """One word at once, then as the rate says, for as long as somebody listens."""
    yield WORD
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        if not RATE:
            await asyncio.sleep(3600)
        due += 1 / RATE
        await asyncio.sleep(max(0.0, due - loop.time()))
        yield WORD


def plain() -> FastAPI:
    """The anchor: the same frames, and nothing behind them."""
    app = FastAPI()

    @app.post(PREFIX + "/sessions")
    async def opened() -> dict[str, str]:
        return {"id": "x"}

    @app.post(PREFIX + "/sessions/{session}/messages")
    async def send(session: str) -> StreamingResponse:
        async def frames() -> AsyncIterator[str]:
            at = 0
            async for word in words():
                yield f'id: 0\nevent: token\ndata: {{"message":"{session}","at":{at},"text":"{word}"}}\n\n'
                at += len(word)

        return StreamingResponse(frames(), media_type="text/event-stream")

    return app


async def ours(folder: Path) -> FastAPI:
    """The desk of the tests on SQLite; anybody who names themselves may chat. The anchor imports none of it."""
    from deputize.core.actor import Actor
    from deputize.core.provider import ModelRequest, ProviderEvent, TextDelta
    from deputize.testing.clock import FrozenClock
    from deputize.testing.scripted import ScriptedProvider
    from tests.databases import SqliteFiles, connect
    from tests.engine.desk import EVA, make_desk

    class Endless(ScriptedProvider):
        """A model that never comes to an end."""

        async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
            async for word in words():
                yield TextDelta(word)

    async def current(x_user: str = Header()) -> Any:
        actors.setdefault(x_user, Actor(x_user, "north", label=x_user, grants=EVA.grants))
        return actors[x_user]

    engine = connect(await SqliteFiles(folder).fresh())
    settings = {"AI_RATE_LIMIT_MAX": 10_000, "AI_GLOBAL_DAILY_SPEND_USD": 100_000, "AI_DAILY_SPEND_USD": 100}
    clock = FrozenClock()
    desk = await make_desk(engine, clock, actor=current, provider=Endless(), settings=settings)
    actors = desk.actors
    app = FastAPI()
    app.include_router(desk.deputy.router, prefix=PREFIX)
    return app


def main() -> None:
    """Listen on a free port, say which, serve."""
    with socket.socket() as taken, tempfile.TemporaryDirectory() as folder:
        taken.bind(("127.0.0.1", 0))
        taken.listen(2048)
        app = plain() if sys.argv[1] == "plain" else asyncio.run(ours(Path(folder)))
        print(taken.getsockname()[1], flush=True)
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
        uvicorn.Server(config).run(sockets=[taken])


if __name__ == "__main__":
    main()
