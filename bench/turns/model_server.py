"""A loopback stand-in for a vendor's streaming chat completions, cheap enough not to be what is measured.

`python -m bench.turns.model_server --tokens 200` prints its port on the first line and serves until it is
ended. A request whose last message is a tool's result gets the answer; any other gets one tool call.
"""

import argparse
import asyncio
import json
from collections.abc import Iterator
from typing import Any

from bench.turns.task import ARGUMENT, MODEL, ORDER, TOOL

WORDS = ("The ", "order ", "is ", "open ", "and ", "due ", "on ", "Monday", ", ", "then ")
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
PIECES_AT_ONCE = 8
"""Pieces written before the loop is given back, so that the reader sees separate segments."""


def answer_text(tokens: int) -> str:
    """What a whole answer of that many tokens says."""
    return "".join(WORDS[n % len(WORDS)] for n in range(tokens))


def frame(data: bytes) -> bytes:
    """One server-sent event as one chunk of the body."""
    event = b"data: " + data + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(event), event)


def piece(delta: dict[str, Any], finish: str | None = None) -> bytes:
    """One chunk of a completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return frame(json.dumps({**base(), "choices": [choice]}, separators=(",", ":")).encode())


def base() -> dict[str, Any]:
    """The fields that every chunk carries."""
    return {"id": "cmpl-1", "object": "chat.completion.chunk", "created": 1767225600, "model": MODEL}


def usage(read: int, written: int) -> bytes:
    """The closing chunk with the usage."""
    counted = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return frame(json.dumps({**base(), "choices": [], "usage": counted}, separators=(",", ":")).encode())


def call_pieces(number: int) -> Iterator[bytes]:
    """One tool call, its arguments in four fragments."""
    named = {"index": 0, "id": f"call_{number}", "type": "function", "function": {"name": TOOL, "arguments": ""}}
    yield piece({"role": "assistant", "content": None, "tool_calls": [named]})
    for part in ('{"', f'{ARGUMENT}": ', f'"{ORDER}', '"}'):
        yield piece({"tool_calls": [{"index": 0, "function": {"arguments": part}}]})
    yield piece({}, "tool_calls")
    yield usage(80, 17)
    yield frame(b"[DONE]")


def text_pieces(tokens: int) -> Iterator[bytes]:
    """The answer in pieces of one token."""
    yield piece({"role": "assistant", "content": ""})
    for number in range(tokens):
        yield piece({"content": WORDS[number % len(WORDS)]})
    yield piece({}, "stop")
    yield usage(120, tokens)
    yield frame(b"[DONE]")


class Model:
    """Answers from prepared bytes; `delay` seconds between pieces for tests of waiting streams."""

    def __init__(self, tokens: int, delay: float) -> None:
        self.answer = list(text_pieces(tokens))
        self.delay = delay
        self.served = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, any number of requests."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
                )
                body = json.loads(await reader.readexactly(length)) if length else {}
                await self.reply(body, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def reply(self, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        """The next step of the task."""
        self.served += 1
        last = (body.get("messages") or [{}])[-1]
        pieces = self.answer if last.get("role") == "tool" else list(call_pieces(self.served))
        writer.write(HEAD)
        for number, data in enumerate(pieces):
            writer.write(data)
            if self.delay:
                await asyncio.sleep(self.delay)
            elif number % PIECES_AT_ONCE == 0:
                await writer.drain()
                await asyncio.sleep(0)
        writer.write(END)
        await writer.drain()


async def main() -> None:
    """Serve on a free port of the loopback until the process ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--delay", type=float, default=0.0)
    given = parser.parse_args()
    server = await asyncio.start_server(Model(given.tokens, given.delay).serve, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
