"""Claims of outbox rows: one at a time, under lease and fence, by the database's time (AUTO-1, APPR-5)."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.core.effect import Enqueued, Queued
from deputize.store import dead_letters, outbox, settings
from deputize.store.dialect import db_now
from deputize.store.outbox import EFFECT, EVENT, Claimed, Due, LeaseLost
from deputize.store.session import Database, Tx
from deputize.store.tables import agent_changes
from deputize.store.tables import outbox as rows
from deputize.testing.clock import FrozenClock

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
LEASE = 15.0


@pytest.fixture
async def db(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Database]:
    made = Database(database, lambda conn, actor: AsyncSession(bind=conn), clock)
    yield made
    await made.close()


async def put(db: Database, *keys: str, tenant: str = "t", call: str | None = None) -> None:
    async with db.write(tenant, "put") as tx:
        queued = [Queued("email", {"to": key}, key) for key in keys]
        await outbox.put(tx.conn, tenant, queued, [], NOW, call_id=call)


async def take(db: Database, owner: str = "a", kind: str = EFFECT, tenant: str | None = None) -> Claimed | None:
    async with db.write("*", "claim") as tx:
        return await outbox.claim(tx.conn, kind, ["email", "made"], owner, LEASE, tenant=tenant)


async def age(db: Database, ident: str) -> None:
    """The lease runs out now rather than in a quarter of a minute."""
    async with db.write("*", "age") as tx:
        await tx.conn.execute(update(rows).where(rows.c.id == ident).values(lease_until=db_now()))


async def row(db: Database, ident: str) -> dict[str, object]:
    async with db.read() as conn:
        return dict((await conn.execute(select(rows).where(rows.c.id == ident))).one()._mapping)


async def test_many_workers_each_row_once(db: Database) -> None:
    """AUTO-1, I1: four workers over 40 rows claim each exactly once, one at a time."""
    await put(db, *[f"k{n}" for n in range(40)])

    async def work(owner: str) -> list[str]:
        got = []
        while (mine := await take(db, owner)) is not None:
            got.append(mine.key)
            await asyncio.sleep(0)
        return got

    found = await asyncio.gather(*[work(f"w{n}") for n in range(4)])
    assert Counter(key for keys in found for key in keys) == Counter(f"k{n}" for n in range(40))


async def test_the_claim_sets_owner_lease_and_epoch(db: Database) -> None:
    """AUTO-1: what is under a living lease is nobody else's."""
    await put(db, "k")
    mine = await take(db)
    assert mine is not None
    assert (mine.epoch, mine.attempts, mine.lost, mine.payload) == (1, 0, False, {"to": "k"})
    assert await take(db, "b") is None


async def test_a_dead_workers_row_is_taken_over_and_the_dead_one_is_fenced(db: Database) -> None:
    """AUTO-1, I2: after the lease another worker owns it; the former can neither go on nor finish."""
    await put(db, "k")
    first = await take(db, "a")
    assert first is not None
    await age(db, first.id)
    second = await take(db, "b")
    assert second is not None
    assert (second.epoch, second.attempts, second.lost) == (2, 1, True)
    deeds: list[Callable[[Tx], Awaitable[None]]] = [
        lambda tx: outbox.fence(tx, "t", first, "a", LEASE),
        lambda tx: outbox.finish(tx, "t", first, NOW),
        lambda tx: outbox.again(tx, "t", first, "x", 1.0),
        lambda tx: outbox.bury(tx, "t", first, "x", NOW),
        lambda tx: outbox.doubt(tx, "t", first, "x", NOW),
    ]
    for deed in deeds:
        with pytest.raises(LeaseLost):
            async with db.write("t", "zombie") as tx:
                await deed(tx)
    async with db.write("t", "done") as tx:
        await outbox.fence(tx, "t", second, "b", LEASE)
        await outbox.finish(tx, "t", second, NOW, "receipt")
    assert (await row(db, first.id))["status"] == "done"


async def test_a_late_worker_that_nobody_replaced_goes_on(db: Database) -> None:
    """The fence extends a lease that ran out while nobody else was there."""
    await put(db, "k")
    mine = await take(db)
    assert mine is not None
    await age(db, mine.id)
    async with db.write("t", "late") as tx:
        await outbox.fence(tx, "t", mine, "a", LEASE)
    assert await take(db, "b") is None


async def test_backoff_waits_by_the_databases_time(db: Database) -> None:
    """AUTO-1: what is tried again is not due before its time; an attempt that does not count is not counted."""
    await put(db, "k")
    mine = await take(db)
    assert mine is not None
    async with db.write("t", "again") as tx:
        await outbox.again(tx, "t", mine, "NotSent", 60.0)
    assert await take(db) is None
    async with db.write("*", "age") as tx:
        await tx.conn.execute(update(rows).values(not_before=db_now()))
    mine = await take(db)
    assert mine is not None
    assert (mine.attempts, mine.lost) == (1, False)
    async with db.write("t", "wait") as tx:
        await outbox.again(tx, "t", mine, None, 0.0, counted=False)
    assert (await row(db, mine.id))["attempts"] == 1


async def test_beat_keeps_what_this_process_holds(db: Database) -> None:
    await put(db, "k1", "k2")
    one, two = await take(db, "a"), await take(db, "b")
    assert one is not None
    assert two is not None
    await age(db, one.id)
    await age(db, two.id)
    async with db.write("*", "beat") as tx:
        await outbox.beat(tx.conn, "a", [one.id, two.id], LEASE)
    assert (await take(db, "c") or one).id == two.id
    assert await take(db, "c") is None


async def test_buried_and_unknown_wait_for_a_person(db: Database) -> None:
    """AUTO-1, APPR-5: dead letters are put back, unknown effects are settled one way or the other, each once."""
    await put(db, "k1", "k2", "k3")
    for deed in (outbox.bury, outbox.doubt, outbox.doubt):
        mine = await take(db)
        assert mine is not None
        async with db.write("t", "end") as tx:
            await deed(tx, "t", mine, "why", NOW)
    assert await take(db) is None
    async with db.read() as conn:
        failed, _ = await dead_letters.page_of(conn, "t", EFFECT, "failed", 0, 10)
        unknown, total = await dead_letters.page_of(conn, "t", EFFECT, "unknown", 0, 10)
        elsewhere, none = await dead_letters.page_of(conn, "other", EFFECT, "unknown", 0, 10)
    assert (len(failed), total, elsewhere, none) == (1, 2, [], 0)
    async with db.write("t", "settle") as tx:
        assert await dead_letters.put_back(tx, "t", EFFECT, failed[0]["id"], "failed")
        assert not await dead_letters.put_back(tx, "t", EFFECT, failed[0]["id"], "failed")
        assert await dead_letters.declare_done(tx, "t", unknown[0]["id"], "seen", NOW)
        assert not await dead_letters.declare_done(tx, "t", unknown[0]["id"], "seen", NOW)
        assert not await dead_letters.declare_done(tx, "other", unknown[1]["id"], "seen", NOW)
    mine = await take(db)
    assert mine is not None
    assert (mine.id, mine.attempts) == (failed[0]["id"], 0)


async def test_a_copilots_effects_wait_while_it_is_switched_off(db: Database) -> None:
    """AUTO-7: what an approved call queued does not leave; what a host's own page queued does."""
    await put(db, "page")
    await put(db, "call", call="c1")
    await put(db, "other", call="c2", tenant="u")
    async with db.write("t", "flip") as tx:
        await settings.flip(tx, "t", "*", False, "admin", NOW)
    assert {(await take(db)).key, (await take(db)).key} == {"page", "other"}  # type: ignore[union-attr]
    assert await take(db) is None
    async with db.write("t", "flip") as tx:
        await settings.flip(tx, "t", "*", True, "admin", NOW)
    assert (await take(db)).key == "call"  # type: ignore[union-attr]


async def test_events_by_tenant_and_how_many_are_under_way(db: Database) -> None:
    """AUTO-3: what counts against concurrency is what living workers hold."""
    for tenant in ("t", "u"):
        async with db.write(tenant, "put") as tx:
            await outbox.put(tx.conn, tenant, [], [Enqueued("made", f"{tenant}{n}") for n in range(2)], NOW)
    async with db.read() as conn:
        made = [Due(EVENT, "made", tenant) for tenant in ("t", "u")]
        assert await outbox.due(conn, ["out"], ["made"]) == made
        assert await outbox.due(conn, ["out"], ["other"]) == []
    await put(db, "letter")
    async with db.read() as conn:
        assert await outbox.due(conn, ["out", "email"], ["made"]) == [Due(EFFECT), *made], "effects come first"
    mine = await take(db, kind=EVENT, tenant="u")
    assert mine is not None
    assert mine.tenant == "u"
    async with db.read() as conn:
        assert await outbox.under_way(conn, "u", "made") == 1
    await age(db, mine.id)
    async with db.read() as conn:
        assert await outbox.under_way(conn, "u", "made") == 0


async def test_the_same_event_is_written_once(db: Database) -> None:
    """AUTO-1: unique by type and subject."""
    for _ in range(2):
        async with db.write("t", "put") as tx:
            await outbox.put(tx.conn, "t", [], [Enqueued("made", "1")], NOW)
    async with db.read() as conn:
        assert await dead_letters.counts(conn, "t") == {"event.pending": 1}


async def test_the_history_of_policies_refuses_to_be_changed(db: Database) -> None:
    """AUTO-3: append-only, held by the database."""
    values = {"id": "1", "tenant": "t", "name": "a", "version": 1, "changed_by": "x", "after": {}, "changed_at": NOW}
    async with db.write("t", "put") as tx:
        await tx.conn.execute(insert(agent_changes).values(values))
    for deed in (update(agent_changes).values(version=2), agent_changes.delete()):
        with pytest.raises(Exception, match="append-only"):
            async with db.write("t", "tamper") as tx:
                await tx.conn.execute(deed)
