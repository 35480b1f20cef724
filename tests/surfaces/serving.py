"""A host over real HTTP on loopback: uvicorn in the test's own loop, a client, and a reader of streams."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import httpx2
from fastapi import FastAPI, Header, HTTPException

from deputize.cli import serving
from deputize.core.actor import Actor
from deputize.testing.clock import FrozenClock
from tests.engine.desk import Desk, make_desk

PREFIX = "/api/v1/ai"


@dataclass
class Frame:
    """One event of a stream as it stood on the wire."""

    event: str
    data: Any
    id: int | None
    """Of a durable event its own; None for text and keep-alives."""
    carried: int | None = None
    """Of a piece of text the newest durable id before it."""


@dataclass
class Served:
    """The desk and a client per person."""

    desk: Desk
    url: str
    client: httpx2.AsyncClient
    people: dict[str, Actor] = field(default_factory=dict)

    def hire(self, actor: Actor) -> None:
        """One more person who may sign in, and whom the host knows."""
        self.people[actor.id] = self.desk.actors[actor.id] = actor

    def as_(self, name: str) -> dict[str, str]:
        return {"X-User": name, "Content-Type": "application/json"}

    async def post(self, path: str, body: Any = None, who: str = "eva", **headers: str) -> httpx2.Response:
        content = json.dumps({} if body is None else body)
        return await self.client.post(PREFIX + path, content=content, headers={**self.as_(who), **headers})

    async def get(self, path: str, who: str = "eva", **headers: str) -> httpx2.Response:
        return await self.client.get(PREFIX + path, headers={**self.as_(who), **headers})

    async def stream(self, method: str, path: str, body: Any = None, who: str = "eva", **headers: str) -> list[Frame]:
        """The whole stream, read to its end."""
        return [frame async for frame in self.frames(method, path, body, who, **headers)]

    async def frames(
        self, method: str, path: str, body: Any = None, who: str = "eva", **headers: str
    ) -> AsyncIterator[Frame]:
        content = None if method == "GET" else json.dumps(body or {})
        sent = {**self.as_(who), "Accept": "text/event-stream", **headers}
        async with self.client.stream(method, PREFIX + path, content=content, headers=sent) as response:
            assert response.status_code == 200, await response.aread()
            buffer = ""
            async for text in response.aiter_text():
                buffer += text
                while "\n\n" in buffer:
                    block, _, buffer = buffer.partition("\n\n")
                    if not block.startswith(":"):
                        yield decode(block)


def decode(block: str) -> Frame:
    """A frame's lines."""
    lines = dict(line.split(": ", 1) for line in block.split("\n"))
    data, number = json.loads(lines["data"]), int(lines["id"]) if "id" in lines else None
    if lines["event"] == "token":
        return Frame("token", data, None, number)
    return Frame(lines["event"], data, number)


@asynccontextmanager
async def served(
    engine: Any,
    clock: FrozenClock,
    *,
    dress: Callable[[FastAPI], None] | None = None,
    front: Callable[[str], AbstractContextManager[str]] | None = None,
    proxies: str | None = None,
    **more: Any,
) -> AsyncIterator[Served]:
    """Serve the desk's deputy until the block ends.

    `dress` may put middleware around the application; `front` a proxy before it, given its `host:port`;
    `proxies` are those that are believed, as `deputize serve --behind` takes them.
    """
    people: dict[str, Actor] = {}

    async def current(x_user: str = Header(default="")) -> Actor:
        if x_user not in people:
            raise HTTPException(401)
        return people[x_user]

    desk = await make_desk(engine, clock, actor=current, **more)
    people.update(desk.actors)
    app = FastAPI()
    app.include_router(desk.deputy.router, prefix=PREFIX)
    app.include_router(desk.deputy.admin_router, prefix=PREFIX)
    app.include_router(desk.deputy.agui_router, prefix=PREFIX)
    app.include_router(desk.deputy.mcp_router(decide_at="/app/approvals"), prefix=PREFIX)
    if dress is not None:
        dress(app)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(128)
        server = serving.server(app, proxies)
        task = asyncio.create_task(server.serve(sockets=[taken]))
        own = f"127.0.0.1:{taken.getsockname()[1]}"
        before = nullcontext(f"http://{own}") if front is None else front(own)
        with before as url:
            async with httpx2.AsyncClient(base_url=url, timeout=30, trust_env=False) as client:
                while not server.started:  # noqa: ASYNC110 - uvicorn offers no event to wait for
                    await asyncio.sleep(0)
                yield Served(desk, url, client, people)
        server.should_exit = True
        await task
