"""Group commit for high-volume facts (reads, views): many callers' entries in one transaction.

Each caller is told when its entry is kept. Anything with an effect is noted in its own transaction instead (AUD-3).
"""

import asyncio

from deputize.core.chain import Draft, canonical
from deputize.store import audit
from deputize.store.session import Database

MOST = 1000
"""Entries in one transaction; more wait for the next."""


class GroupAppender:
    """One for each process. `append` returns when the entry has been committed, and raises when it was not."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self._queue: list[tuple[str, Draft, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def append(self, tenant: str, draft: Draft) -> None:
        """Keep the entry together with whatever else is waiting. Raises NotCanonical before queueing."""
        canonical(dict(draft.payload))
        kept = asyncio.get_running_loop().create_future()
        self._queue.append((tenant, draft, kept))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        await kept

    async def close(self) -> None:
        """Wait until all that was queued has been committed."""
        if self._task is not None:
            await self._task

    async def _drain(self) -> None:
        await asyncio.sleep(0)
        while self._queue:
            batch, self._queue = self._queue[:MOST], self._queue[MOST:]
            try:
                await self._write(batch)
            except Exception as fault:
                for _, _, kept in batch:
                    if not kept.done():
                        kept.set_exception(fault)
            else:
                for _, _, kept in batch:
                    if not kept.done():
                        kept.set_result(None)

    async def _write(self, batch: list[tuple[str, Draft, asyncio.Future[None]]]) -> None:
        by_tenant: dict[str, list[Draft]] = {}
        for tenant, draft, _ in batch:
            by_tenant.setdefault(tenant, []).append(draft)
        async with self.db.write("", "audit.group") as tx:
            for tenant in sorted(by_tenant):
                await audit.append(tx.conn, tenant, by_tenant[tenant], self.db.clock.now(), secret=self.db.secret)
