"""Many readers in one process over bare sockets: who has had a first byte, and the gaps between events."""

import asyncio
import json
import time
from dataclasses import dataclass, field

PREFIX = "/api/v1/ai"
MARK = b"event: token"


@dataclass
class Reader:
    """One open stream."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    gaps: list[float] = field(default_factory=list)
    events: int = 0
    last: float = 0.0

    async def first(self) -> None:
        """Read until the first event has come."""
        while MARK not in await self._piece():
            pass
        self.last = time.perf_counter()

    async def _piece(self) -> bytes:
        piece = await self.reader.read(65536)
        if not piece:
            raise ConnectionError("the stream has ended")
        return piece

    async def listen(self, until: float) -> None:
        """Take down the gap before each event, until the moment."""
        while (now := time.perf_counter()) < until:
            try:
                async with asyncio.timeout(until - now):
                    piece = await self._piece()
            except TimeoutError:
                return
            now, count = time.perf_counter(), piece.count(MARK)
            if count:
                self.gaps.append(now - self.last)
                self.last = now
                self.events += count


async def _send(port: int, user: str, path: str, body: object) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    content = json.dumps(body).encode()
    head = f"POST {PREFIX}{path} HTTP/1.1\r\nHost: x\r\nX-User: {user}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Accept: text/event-stream\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)
    await writer.drain()
    return reader, writer


async def opened(port: int, number: int) -> Reader:
    """A conversation of a person of its own, and its stream once the first word has come."""
    user = f"user{number}"
    reader, writer = await _send(port, user, "/sessions", {"surface": "desk"})
    answer = await reader.readuntil(b"}")
    while not answer.rstrip().endswith(b"}"):
        answer += await reader.read(1024)
    writer.close()
    session = answer.partition(b'"id":"')[2].partition(b'"')[0].decode()
    made = Reader(*await _send(port, user, f"/sessions/{session}/messages", {"content": "hi"}))
    await made.first()
    return made


async def many(port: int, count: int, first: int = 0, at_once: int = 20) -> list[Reader]:
    """So many open streams, of people numbered from `first`, a few of them being opened at a time."""
    gate = asyncio.Semaphore(at_once)

    async def one(number: int) -> Reader:
        async with gate:
            return await opened(port, number)

    return list(await asyncio.gather(*(one(number) for number in range(first, first + count))))
