"""What is due, as this process saw it last: asked again when it is used up or a moment old, so that jobs cost less."""

import time
from collections.abc import Sequence

from deputize.store import outbox
from deputize.store.outbox import Due
from deputize.store.session import Database

FRESH = 0.5
"""Seconds for which a look counts; whoever finds nothing in it looks again before saying that there is nothing."""


class Agenda:
    """The kinds of jobs that are due, by type and tenant, effects first, then the longest waiting."""

    def __init__(self) -> None:
        self.items: list[Due] = []
        self.looked = 0.0

    async def look(self, db: Database, channels: Sequence[str], events: Sequence[str]) -> bool:
        """True where the database was asked now; False where the last look still counts."""
        if self.items and time.monotonic() - self.looked < FRESH:
            return False
        async with db.read() as conn:
            self.items = await outbox.due(conn, channels, events)
        self.looked = time.monotonic()
        return True

    def used_up(self, item: Due) -> None:
        """There is no more of this, or it must wait."""
        if item in self.items:
            self.items.remove(item)
