"""The worker as a process of its own: signals, an orderly stop, and a health port for whoever watches over it."""

import asyncio
import json
import signal

from deputize.engine import attachment
from deputize.engine.wiring import Wiring
from deputize.engine.worker import Health, work

HEALTH_SECONDS = 5.0


async def serve(w: Wiring, *, lanes: int, host: str = "127.0.0.1", port: int | None = None) -> None:
    """Work until SIGTERM or SIGINT. With a port, `GET` on it answers 200 or 503 and a small JSON report."""
    stop, health = asyncio.Event(), Health(lanes=lanes)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    server = None if port is None else await listen(w, health, host, port)
    try:
        await work(w, stop, health)
    finally:
        if server is not None:
            server.close()
        await attachment.shut_down(w)


async def listen(w: Wiring, health: Health, host: str, port: int) -> asyncio.Server:
    """The health port: every request gets the report, whatever its path; nothing of it is read beyond the head."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HEALTH_SECONDS):
                await reader.readuntil(b"\r\n\r\n")
            report = health.report(w.limits.agent_poll)
            body = json.dumps(report).encode()
            line = "200 OK" if report["ok"] else "503 Service Unavailable"
            head = f"HTTP/1.1 {line}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
            await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            pass  # whoever asks so gets no answer
        finally:
            writer.close()

    return await asyncio.start_server(answer, host, port)
