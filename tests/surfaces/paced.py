"""A vendor that stops in the middle of an answer until the test lets it go on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.providers.vendor import Answer, Vendor


class Paced(Vendor):
    """Answers whose fault is `hold` stop before their last chunk; `release` lets them go on."""

    async def _answer(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if answer.fault != "hold":
            return await super()._answer(answer, reader, writer)
        writer.write(b"HTTP/1.1 200 Said\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number, chunk in enumerate(answer.chunks):
            if number == len(answer.chunks) - 1:
                await self._hold(reader)
            writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


@asynccontextmanager
async def paced() -> AsyncIterator[Paced]:
    """A running one."""
    made = Paced()
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.get_running_loop().create_task(made.serve(reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        made.abort()
        await asyncio.gather(*tasks)
        await server.wait_closed()
