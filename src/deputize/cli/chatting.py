"""`deputize chat`: a terminal conversation against the same engine; piped input works, Ctrl-C stops the answer."""

import asyncio
import signal
import sys

import typer

from deputize.app import Deputize
from deputize.cli.loading import fail
from deputize.core.actor import Actor
from deputize.surfaces.terminal import Terminal


async def _person(deputy: Deputize, name: str) -> Actor:
    if deputy.find is None:
        raise fail("this application does not say how to find a person: pass find= to Deputize")
    async with deputy.wiring.db.read() as conn:
        session = deputy.wiring.db.host(conn, Actor(id="terminal", tenant="*"))
        try:
            found = await deputy.find(session, name)
        finally:
            await session.close()
    if found is None:
        raise fail(f"nobody is called {name!r} here")
    return found


async def _line(prompt: str) -> str | None:
    """A line of standard input, read in a thread of its own; None at its end."""
    if sys.stdin.isatty():
        sys.stdout.write(prompt)
        sys.stdout.flush()
    line: str = await asyncio.to_thread(sys.stdin.readline)
    if not line:
        return None
    if not sys.stdin.isatty():
        sys.stdout.write(f"{prompt}{line}")
    return line.rstrip("\n")


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


async def chat(deputy: Deputize, name: str, surface: str | None) -> None:
    """Talk as that person on that surface (the first one where none is named)."""
    try:
        actor = await _person(deputy, name)
        surfaces = deputy.wiring.registry.surfaces
        chosen = surface or next(iter(surfaces))
        if chosen not in surfaces:
            raise fail(f"there is no surface {chosen!r}; known: {', '.join(sorted(surfaces))}")
        terminal = Terminal(deputy.wiring, actor, chosen, _line, _print)
        stopping: set[asyncio.Task[None]] = set()

        def stop() -> None:
            if terminal.run_id is None:
                raise KeyboardInterrupt
            task = asyncio.ensure_future(terminal.stop())
            stopping.add(task)
            task.add_done_callback(stopping.discard)

        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop)
        await terminal.talk()
        typer.echo("")
    finally:
        await deputy.close()
        await deputy.engine.dispose()
