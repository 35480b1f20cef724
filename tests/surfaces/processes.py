"""Two API processes of the desk on one database and one model, and a reader of their streams."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.conftest import Fresh
from tests.engine.desk import Task
from tests.house.sources import ROOT
from tests.providers.vendor import Answer, completion, events
from tests.surfaces.desk_process import PREFIX, prepare
from tests.surfaces.paced import Paced, paced
from tests.surfaces.serving import Frame, decode


@dataclass
class Reading:
    """A stream that is being read: its frames so far, and what to wait for."""

    frames: list[Frame] = field(default_factory=list)
    some: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def until(self, kind: str) -> Frame:
        """The first frame of that kind, once it has come."""
        async with self.some:
            await self.some.wait_for(lambda: any(frame.event == kind for frame in self.frames))
        return next(frame for frame in self.frames if frame.event == kind)

    @property
    def text(self) -> str:
        """The answer as its pieces put it together."""
        shown = ""
        for frame in self.frames:
            if frame.event == "token":
                shown = shown[: frame.data["at"]] + frame.data["text"]
        return shown

    @property
    def durable(self) -> list[tuple[int, str]]:
        return [(frame.id or 0, frame.event) for frame in self.frames if frame.event not in {"token", "ping"}]


@dataclass
class Process:
    """One API process and a client of it."""

    child: "subprocess.Popen[str]"
    client: httpx2.AsyncClient

    async def post(self, path: str, body: Any, **headers: str) -> httpx2.Response:
        return await self.client.post(PREFIX + path, json=body, headers=headers)

    async def get(self, path: str) -> Any:
        answer = await self.client.get(PREFIX + path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def read(self, method: str, path: str, reading: Reading, body: Any = None, after: int = 0) -> Reading:
        """Read a stream to its end into `reading`."""
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": str(after)} if after else {})}
        content = {} if body is None else {"json": body}
        async with self.client.stream(method, PREFIX + path, headers=headers, **content) as response:
            assert response.status_code == 200, await response.aread()
            buffer = ""
            async for piece in response.aiter_text():
                *blocks, buffer = (buffer + piece).split("\n\n")
                async with reading.some:
                    reading.frames += [decode(block) for block in blocks if not block.startswith(":")]
                    reading.some.notify_all()
        return reading

    def kill(self) -> None:
        """SIGKILL."""
        self.child.kill()
        self.child.wait(timeout=30)


@dataclass
class Pair:
    """Both processes, their database and their model."""

    one: Process
    other: Process
    engine: AsyncEngine
    model: Paced

    async def tasks(self) -> int:
        async with self.engine.connect() as conn:
            return int(await conn.scalar(select(func.count()).select_from(Task)) or 0)

    async def open(self) -> str:
        answer = await self.one.post("/sessions", {"surface": "desk"})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])


def calling(tool: str, arguments: dict[str, Any]) -> Answer:
    """An answer that is one call."""
    use = {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": tool, "arguments": json.dumps(arguments)},
    }
    head = {"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [use]}, "finish_reason": None}]}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    return Answer([events(head, end, done=True)])


def halting(first: str, rest: str) -> Answer:
    """An answer that stops after its first words."""
    said = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": first}, "finish_reason": None}]}
    return Answer([events(said), completion(rest)], fault="hold")


def start(url: str, model: str) -> "subprocess.Popen[str]":
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("AI_", "AGENT_", "OPENAI_"))}
    settings = {
        "DATABASE_URL": url,
        "AI_ENABLED": "true",
        "AI_PROVIDER": "openai",
        "AI_BASE_URL": f"{model}/v1",
        "AI_API_KEY": "k-of-the-tests",
        "AI_MODEL": "small-1",
        "AI_ALLOW_PRIVATE_ENDPOINT": "true",
        "AI_SECRET_KEY": "one vault key for both processes",
        "AI_REDACTION_DEFAULT": "false",
        "AGENT_SWEEP_INTERVAL_MS": "100",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "tests.surfaces.desk_process"],
        cwd=ROOT,
        env={**ours, **settings},
        stdout=subprocess.PIPE,
        text=True,
    )


@asynccontextmanager
async def paired(fresh: Fresh) -> AsyncIterator[Pair]:
    """Two processes on a fresh database."""
    engine = await fresh("desk-of-processes", prepare)
    url = engine.url.render_as_string(hide_password=False)
    async with paced() as model:
        children = [start(url, model.base_url) for _ in range(2)]
        processes = []
        for child in children:
            assert child.stdout is not None
            port = (await asyncio.to_thread(child.stdout.readline)).strip()
            client = httpx2.AsyncClient(
                base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False, headers={"X-User": "eva"}
            )
            processes.append(Process(child, client))
        yield Pair(processes[0], processes[1], engine, model)
        for process in processes:
            await process.client.aclose()
            process.kill()
            assert process.child.stdout is not None
            process.child.stdout.close()
