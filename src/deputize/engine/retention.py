"""What is kept for how long, and the daily chore that lets the rest go, in batches (AUD-5)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from deputize.core.chain import Draft
from deputize.engine.wiring import Wiring
from deputize.store import audit, chores, retention
from deputize.store.retention import Before
from deputize.store.session import Tx

CONTENTS = timedelta(days=90)
RECORDS = timedelta(days=365)
ENTRIES = timedelta(days=5 * 365 + 1)
ADDRESSES = timedelta(days=1)
DAILY = timedelta(days=1)
BATCH = 100
"""Rows of one transaction; others wait for it on SQLite."""
ENTRIES_BATCH = 2_000
A_ROUND = 20
"""Batches of one round of the sweeper, whose other chores must not wait long."""
CHORE = "retention"
SYSTEM = "system"

Progress = Callable[[str, str, int], None]
"""`(tenant, kind, how many so far)`."""
Step = Callable[[Wiring, Tx, Before], Awaitable[int]]


def before(now: datetime) -> Before:
    """The moments before which things go."""
    return Before(now - CONTENTS, now - RECORDS, now - ENTRIES)


async def due(w: Wiring) -> Mapping[str, Mapping[str, int]]:
    """What would go now, by tenant and kind; nothing is changed."""
    found = {}
    async with w.db.read() as conn:
        for tenant in await retention.tenants(conn):
            found[tenant] = await retention.due(conn, tenant, before(w.clock.now()))
    return found


async def run(w: Wiring, progress: Progress | None = None, *, batches: int | None = None) -> bool:
    """Let go what is due, step by step over all tenants; True once nothing is left, False after `batches`."""
    edge = before(w.clock.now())
    async with w.db.write("*", "retention") as tx:
        await retention.forget_addresses(tx, w.clock.now() - ADDRESSES)
    async with w.db.read() as conn:
        every = await retention.tenants(conn)
    done = 0
    for tenant in every:
        for kind, step, size in STEPS:
            so_far = 0
            while batches is None or done < batches:
                async with w.db.write(tenant, "retention") as tx:
                    went = await step(w, tx, edge)
                so_far += went
                if went:
                    done += 1
                    if progress is not None:
                        progress(tenant, kind, so_far)
                if went < size:
                    break
            else:
                return False
    return True


async def _transcripts(w: Wiring, tx: Tx, edge: Before) -> int:
    went = await retention.purge_transcripts(tx, tx.tenant, edge, w.clock.now(), BATCH)
    if went:
        tx.note(Draft("transcripts_purged", SYSTEM, {"runs": went, "reason": "retention"}))
    return went


async def _expired(w: Wiring, tx: Tx, edge: Before) -> int:
    return len(await retention.expire_conversations(tx, tx.tenant, edge, BATCH))


async def _payloads(w: Wiring, tx: Tx, edge: Before) -> int:
    return await retention.blank_payloads(tx, tx.tenant, edge, BATCH)


async def _runs(w: Wiring, tx: Tx, edge: Before) -> int:
    return await retention.delete_runs(tx, tx.tenant, edge, BATCH)


async def _conversations(w: Wiring, tx: Tx, edge: Before) -> int:
    return await retention.delete_conversations(tx, tx.tenant, edge, BATCH)


async def _entries(w: Wiring, tx: Tx, edge: Before) -> int:
    now = w.clock.now()
    return await audit.erase_payloads(
        tx.conn, tx.tenant, edge.entries, now, by=SYSTEM, reason="retention", limit=ENTRIES_BATCH
    )


STEPS: tuple[tuple[str, Step, int], ...] = (
    ("transcripts", _transcripts, BATCH),
    ("conversations_expired", _expired, BATCH),
    ("payloads", _payloads, BATCH),
    ("runs", _runs, BATCH),
    ("conversations", _conversations, BATCH),
    ("entries", _entries, ENTRIES_BATCH),
)
"""In this order: a run's contents go before the run, a conversation's runs before the conversation."""


@dataclass(slots=True)
class Daily:
    """What this process knows of the day's retention: whether it has it in hand, and when it last asked."""

    working: bool = False
    asked: datetime | None = None


async def retention_due(w: Wiring, daily: Daily) -> None:
    """Once a day, in one process of all; a long one goes on at the next round. Asked for at most once an hour."""
    now = w.clock.now()
    if not daily.working:
        if daily.asked is not None and now - daily.asked < timedelta(hours=1):
            return
        daily.asked = now
        async with w.db.write("*", "retention-mark") as tx:
            daily.working = await chores.take(tx, CHORE, w.process, now, DAILY)
    if daily.working:
        daily.working = not await run(w, batches=A_ROUND)
