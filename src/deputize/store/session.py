"""The one committer: every transaction of ours begins and ends here, with a label and its chain entries."""

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession

from deputize.core.actor import Actor
from deputize.core.chain import Draft
from deputize.core.clock import Clock
from deputize.core.logs import DATABASE, quieten, told
from deputize.store import audit
from deputize.store.dialect import read_only_engine, sqlite

log = logging.getLogger("deputize.store")

HostSession = Callable[[AsyncConnection, Actor], AsyncSession]
"""Given by the host: binds its own session class to the connection, with its tenant filter if it has one."""

AuditMode = Literal["strict", "best_effort"]
"""`strict`: entries commit with what they tell of, or nothing does. `best_effort` (ADR-0116): they follow."""

Hook = Callable[[str], None]
"""Called with a label around commits and whatever leaves the house; tests use it to kill or to fail at each of them."""


@dataclass(slots=True)
class Tx:
    """One write transaction. Entries are appended last, right before the commit (lock order)."""

    conn: AsyncConnection
    tenant: str
    label: str
    drafts: list[Draft] = field(default_factory=list)
    after: list[Callable[[], Awaitable[None] | None]] = field(default_factory=list)

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self.conn.dialect.name

    def note(self, draft: Draft) -> None:
        """Queue a chain entry; it commits with the transaction or not at all (AUD-3)."""
        self.drafts.append(draft)

    def on_commit(self, deed: Callable[[], Awaitable[None] | None]) -> None:
        """Run `deed` after the real commit; a deed that raises is logged and changes nothing."""
        self.after.append(deed)


class Undo(Exception):
    """Raised inside `write` to roll the whole transaction back without an error (a dry run's end)."""


class Database:
    """The host's database as we use it: labelled writes through one door, reads held read-only."""

    def __init__(
        self,
        engine: AsyncEngine,
        host_session: HostSession,
        clock: Clock,
        secret: bytes = b"",
        audit_mode: AuditMode = "strict",
    ) -> None:
        quieten(DATABASE, logging.INFO)
        engine.sync_engine.hide_parameters = True
        self.engine = sqlite(engine)
        self.reader = read_only_engine(engine)
        self.reader.sync_engine.hide_parameters = True
        self.host_session = host_session
        self.clock = clock
        self.secret = secret
        """Wraps the keys of people named in the chain (AUD-5); without it drafts may hold no personal values."""
        self.audit_mode = audit_mode
        self.audit_failures = 0
        """Entries that `best_effort` has lost in this process; each loss was logged with its traceback."""
        self.before_commit: Hook | None = None
        self.after_commit: Hook | None = None
        self._gate: asyncio.Lock | None = asyncio.Lock() if engine.dialect.name == "sqlite" else None

    @asynccontextmanager
    async def write(self, tenant: str, label: str) -> AsyncIterator[Tx]:
        """A write transaction for one tenant; commits at the end of the block, rolls back on any error.

        SQLite has one writer: callers of this process wait their turn here rather than poll for the lock.
        """
        if self._gate is not None:
            await self._gate.acquire()
        try:
            async with self.engine.connect() as conn:
                tx = Tx(conn, tenant, label)
                await conn.begin()
                try:
                    yield tx
                    await self._commit(tx)
                except Undo:
                    await conn.rollback()
                    return
                except BaseException:
                    await conn.rollback()
                    raise
        finally:
            if self._gate is not None:
                self._gate.release()
        await self._announce(tx)

    async def _commit(self, tx: Tx) -> None:
        follows = self.audit_mode == "best_effort"
        if tx.drafts and not follows:
            await audit.append(tx.conn, tx.tenant, tx.drafts, self.clock.now(), secret=self.secret)
        if self.before_commit is not None:
            self.before_commit(tx.label)
        await tx.conn.commit()
        if self.after_commit is not None:
            self.after_commit(tx.label)
        if tx.drafts and follows:
            await self._append_after(tx)

    async def _append_after(self, tx: Tx) -> None:
        """The entries in a transaction of their own; a failure changes nothing, is loud and counted (AUD-3)."""
        try:
            await tx.conn.begin()
            await audit.append(tx.conn, tx.tenant, tx.drafts, self.clock.now(), secret=self.secret)
            await tx.conn.commit()
        except Exception:
            self.audit_failures += len(tx.drafts)
            log.warning("%d audit entries of %r were not written", len(tx.drafts), tx.label, exc_info=True)
            with suppress(Exception):
                await tx.conn.rollback()

    async def _announce(self, tx: Tx) -> None:
        for deed in tx.after:
            try:
                outcome = deed()
                if inspect.isawaitable(outcome):
                    await outcome
            except Exception as error:
                log.error("a deed after the commit %r failed: %s", tx.label, told(error))

    @contextmanager
    def leaving(self, label: str) -> Iterator[None]:
        """Around whatever leaves the house, so that it can be killed or made to fail there as at a commit."""
        if self.before_commit is not None:
            self.before_commit(label)
        yield
        if self.after_commit is not None:
            self.after_commit(label)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A read transaction that the database itself holds read-only; nothing of it is kept."""
        async with self.reader.connect() as conn:
            await conn.begin()
            try:
                yield conn
            finally:
                await conn.rollback()

    def host(self, conn: AsyncConnection, actor: Actor) -> AsyncSession:
        """The host's session on our connection; whatever its services commit stays inside our transaction."""
        return self.host_session(conn, actor)

    async def close(self) -> None:
        """Dispose of the read-only pool; the host's own engine is the host's to close."""
        if self.reader.sync_engine is not self.engine.sync_engine and self.engine.dialect.name == "sqlite":
            await self.reader.dispose()


def plain(row: Any) -> dict[str, Any]:
    """A result row as a dict of its columns."""
    return dict(row._mapping)
