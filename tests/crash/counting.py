"""A model on the loopback that counts: who asked, who is being answered, and when each asker went away."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

ANSWER = json.dumps({"summary": "s", "suggested_priority": "high"})
SLOW = 3.0
"""Seconds, of a slow answer."""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def _chunk(**more: object) -> bytes:
    return f"data: {json.dumps(more)}\n\n".encode()


def _says(text: str, end: str | None = None) -> bytes:
    return _chunk(choices=[{"index": 0, "delta": {"content": text}, "finish_reason": end}])


@dataclass
class Model:
    """`calls` counts requests, `open` those that are being answered; with `hold` none is answered to its end.

    `left` are the moments (monotonic seconds) at which askers closed a held answer. Each `slow_every`th answer is
    slow: it ends `SLOW` seconds after it began.
    """

    url: str = ""
    hold: bool = False
    slow_every: int = 0
    calls: int = 0
    open: int = 0
    left: list[float] = field(default_factory=list)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request of the chat-completions wire."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(int(v) for k, _, v in (line.partition(b":") for line in head.split(b"\r\n")) if _is_length(k))
            await reader.readexactly(length)
            await self._count(1)
            writer.write(HEAD + _says(ANSWER[:5]))
            await writer.drain()
            if self.hold:
                await reader.read()
                self.left.append(time.monotonic())
            else:
                if self.slow_every and self.calls % self.slow_every == 0:
                    await asyncio.sleep(SLOW)
                usage = {"prompt_tokens": 10, "completion_tokens": 5}
                writer.write(_says(ANSWER[5:]) + _says("", "stop") + _chunk(choices=[], usage=usage))
                writer.write(b"data: [DONE]\n\n")
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.append(time.monotonic())
        finally:
            await self._count(-1)
            writer.close()

    async def _count(self, step: int) -> None:
        async with self.changed:
            self.open += step
            self.calls += step > 0
            self.changed.notify_all()

    async def until(self, opened: int) -> None:
        """Return once exactly so many are being answered."""
        async with self.changed:
            await self.changed.wait_for(lambda: self.open == opened)


def _is_length(name: bytes) -> bool:
    return name.strip().lower() == b"content-length"


@asynccontextmanager
async def model() -> AsyncIterator[Model]:
    """The running model."""
    made = Model()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield made
    finally:
        server.close()
