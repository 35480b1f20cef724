"""Lines of standard input without a thread: a wait for one can be stopped, and nothing holds the end up."""

import asyncio
import os
import sys

from deputize.surfaces.terminal import Stopped

_CHUNK = 65_536


class Keyboard:
    """Reads lines from a file descriptor: a terminal, a pipe or a file. `stop` ends the wait for one with Stopped."""

    def __init__(self, source: int | None = None, *, echo: bool | None = None) -> None:
        self._source = sys.stdin.fileno() if source is None else source
        self._echo = not os.isatty(self._source) if echo is None else echo
        self._held = b""
        self._ended = False
        self._waiting: asyncio.Future[None] | None = None

    async def line(self, prompt: str) -> str | None:
        """Show the prompt and wait for a line; None at the end of the input. What comes from a pipe is echoed, so
        that a transcript reads like one. Raises Stopped."""
        sys.stdout.write(prompt)
        sys.stdout.flush()
        while b"\n" not in self._held and not self._ended:
            await self._readable()
            piece = os.read(self._source, _CHUNK)
            self._held += piece
            self._ended = not piece
        if not self._held:
            return None
        line, _, self._held = self._held.partition(b"\n")
        text = line.decode(errors="replace").rstrip("\r")
        if self._echo:
            sys.stdout.write(text + "\n")
        return text

    def stop(self) -> bool:
        """Whether a line was awaited; that wait has ended then."""
        if self._waiting is None or self._waiting.done():
            return False
        self._waiting.set_exception(Stopped())
        return True

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        try:
            loop.add_reader(self._source, self._arrived)
        except (PermissionError, OSError):  # a file is always ready, and epoll refuses to watch one
            self._waiting = None
            return
        try:
            await self._waiting
        finally:
            loop.remove_reader(self._source)
            self._waiting = None

    def _arrived(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
