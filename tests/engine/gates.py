"""Waiting for facts rather than for time: a gate that tells who stands before it, and the next commit."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from deputize.store.session import Database


class Gate(asyncio.Event):
    """Tells that somebody stands before it."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def wait(self) -> Literal[True]:
        self.reached.set()
        return await super().wait()


async def until(db: Database, fact: Callable[[], Awaitable[bool]]) -> None:
    """Until the fact holds, asked anew after each commit of this process; the suite's time limit is the only clock."""
    committed = asyncio.Event()
    db.after_commit = lambda label: committed.set()
    while not await fact():
        await committed.wait()
        committed.clear()
    db.after_commit = None
