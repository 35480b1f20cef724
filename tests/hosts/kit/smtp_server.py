"""A loopback SMTP server that takes letters, refuses them, or hangs up in the middle, as a test wants it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Mailbox:
    """What arrived, and how the server behaves: `replies` overrides the answer to a verb; `hang_up` after a verb."""

    letters: list[str] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)
    hang_up: str | None = None
    port: int = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._say(writer, "220 loopback")
            while line := (await reader.readline()).decode().strip():
                verb = line.split(":")[0].split(" ")[0].upper()
                if verb == "DATA" and verb not in self.replies:
                    await self._say(writer, "354 go on")
                    letter = (await reader.readuntil(b"\r\n.\r\n")).decode()
                    if self.hang_up != "DATA before taking":
                        self.letters.append(letter)
                    verb = "END"
                if self.hang_up is not None and self.hang_up.split(" ")[0] in (verb, "DATA" if verb == "END" else ""):
                    return
                await self._say(writer, self.replies.get(verb, "221 bye" if verb == "QUIT" else "250 ok"))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _say(self, writer: asyncio.StreamWriter, line: str) -> None:
        writer.write(f"{line}\r\n".encode())
        await writer.drain()


@asynccontextmanager
async def mailbox(**behaviour: object) -> AsyncIterator[Mailbox]:
    """A server on a free port until the block ends."""
    box = Mailbox(**behaviour)  # type: ignore[arg-type]  # as the fields say
    server = await asyncio.start_server(box.talk, "127.0.0.1", 0)
    box.port = server.sockets[0].getsockname()[1]
    try:
        yield box
    finally:
        server.close()
