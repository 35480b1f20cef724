"""`deputize chat`: a terminal conversation against the same engine; piped input works, Ctrl-C stops the answer."""

import asyncio
import signal
import sys

import typer
from sqlalchemy.ext.asyncio import AsyncSession

from deputize.app import Deputize
from deputize.cli.keyboard import Keyboard
from deputize.cli.loading import fail
from deputize.core.actor import Actor
from deputize.core.errors import DeputizeError
from deputize.surfaces.terminal import Terminal


async def _person(deputy: Deputize, name: str) -> Actor:
    if deputy.find is None:
        raise fail("this application does not say how to find a person: pass find= to Deputize")
    async with AsyncSession(
        deputy.engine
    ) as session:  # the host's own kind narrows to an actor, and nobody is known yet
        found = await deputy.find(session, name)
    if found is None:
        raise fail(f"nobody is called {name!r} here")
    return found


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


class _Interrupt:
    """What Ctrl-C does: it ends the wait for a line, else stops the answer; a second one ends the program."""

    def __init__(self, terminal: Terminal, keyboard: Keyboard) -> None:
        self.terminal, self.keyboard = terminal, keyboard
        self.stopping: asyncio.Task[None] | None = None

    def __call__(self) -> None:
        if self.keyboard.stop():
            return
        if self.terminal.run_id is None or (self.stopping is not None and not self.stopping.done()):
            raise KeyboardInterrupt
        self.stopping = asyncio.ensure_future(self.terminal.stop())


async def chat(deputy: Deputize, name: str, surface: str | None) -> None:
    """Talk as that person on that surface (the first one where none is named)."""
    try:
        actor = await _person(deputy, name)
        surfaces = deputy.wiring.registry.surfaces
        chosen = surface or next(iter(surfaces))
        if chosen not in surfaces:
            raise fail(f"there is no surface {chosen!r}; known: {', '.join(sorted(surfaces))}")
        keyboard = Keyboard()
        terminal = Terminal(deputy.wiring, actor, chosen, keyboard.line, _print)
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, _Interrupt(terminal, keyboard))
        try:
            await terminal.talk()
        except DeputizeError as error:
            raise fail(f"{error.message} [{error.code}]") from None
        typer.echo("")
    finally:
        await deputy.close()
        await deputy.engine.dispose()
