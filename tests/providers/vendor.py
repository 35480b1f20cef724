"""A vendor of both wires on the loopback: answers what the test scripted, misbehaves where told, keeps a journal."""

import asyncio
import json
import socket
import ssl
import struct
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

Fault = Literal["none", "reset", "truncate", "hold", "endless"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One scripted answer: `chunks` go out one by one; then the fault.

    `reset` drops the connection, `truncate` closes it without the last chunk, `hold` waits until the client
    leaves or `Vendor.release` is set, `endless` repeats the last chunk until the client leaves.
    """

    chunks: Sequence[bytes] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "text/event-stream"
    fault: Fault = "none"


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


def events(*datas: Mapping[str, Any] | str, done: bool = False) -> bytes:
    """An event stream of these data, as the vendors write it."""
    lines = [data if isinstance(data, str) else json.dumps(data) for data in datas]
    return "".join(f"data: {line}\n\n" for line in [*lines, *(["[DONE]"] if done else [])]).encode()


def completion(text: str = "Hello.", **usage: int) -> bytes:
    """The shortest good answer of the chat-completions wire."""
    figures = usage or {"prompt_tokens": 7, "completion_tokens": 2}
    return events(
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": figures},
        done=True,
    )


def message(text: str = "Hello.") -> bytes:
    """The shortest good answer of the messages wire."""
    return events(
        {"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    )


class Vendor:
    """The server; `answers` are used up in order, `journal` holds what was asked."""

    def __init__(self) -> None:
        self.answers: deque[Answer] = deque()
        self.journal: list[Sent] = []
        self.connections = 0
        self.gone = asyncio.Event()
        """Set when a client left while an answer was under way."""
        self.release = asyncio.Event()
        self.port = 0
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            self.gone.set()
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = b""
        with suppress(asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
        if not head:
            return False
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        method, path, _ = first.split(" ")
        self.journal.append(Sent(method, path, headers, raw))
        return await self._answer(self.answers.popleft(), reader, writer)

    async def _answer(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        headers = {"Content-Type": answer.content_type, "Transfer-Encoding": "chunked", **answer.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {answer.status} Said\r\n{head}\r\n".encode())
        for chunk in answer.chunks:
            writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            await writer.drain()
        if answer.fault == "reset":
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()
            return False
        if answer.fault == "truncate":
            return False
        if answer.fault == "hold":
            await self._hold(reader)
        while answer.fault == "endless":
            writer.write(b"%x\r\n%s\r\n" % (len(answer.chunks[-1]), answer.chunks[-1]))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _hold(self, reader: asyncio.StreamReader) -> None:
        left = asyncio.ensure_future(reader.read(1))
        released = asyncio.ensure_future(self.release.wait())
        await asyncio.wait({left, released}, return_when=asyncio.FIRST_COMPLETED)
        gone = left.done()
        for task in (left, released):
            task.cancel()
        await asyncio.gather(left, released, return_exceptions=True)
        if gone:
            raise ConnectionResetError

    def abort(self) -> None:
        """Drop every connection."""
        for writer in list(self._writers):
            writer.transport.abort()


@asynccontextmanager
async def vendor(tls: ssl.SSLContext | None = None) -> AsyncIterator[Vendor]:
    """A running vendor."""
    made = Vendor()
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.get_running_loop().create_task(made.serve(reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        made.abort()
        await asyncio.gather(*tasks)
        await server.wait_closed()
