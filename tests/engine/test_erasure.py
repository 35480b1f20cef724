"""Erasing for good: one person's values, and the oldest part of a chain (AUD-5)."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.chain import PRUNED, SUBJECT_ERASED, Draft
from deputize.core.errors import Forbidden, Invalid, NotFound, Unavailable
from deputize.core.pack import open_pack, verify_pack
from deputize.engine import audit_export, auditing, erasure
from deputize.engine.audit_export import Asked
from deputize.store import audit, audit_read, keyfile
from deputize.store.checkpoints import CheckpointFiles
from deputize.testing.clock import FrozenClock
from tests.attacks.tampering import unguarded
from tests.engine.desk import ANA, EVA, VIC, Desk, make_desk

SUBJECT = f"person:{ANA}"
DAY = 86_400
FIVE_YEARS = 5 * 365 * DAY + DAY


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock, tmp_path: Path) -> AsyncIterator[Desk]:
    """A desk that signs checkpoints, with a tenant that has no other entries."""
    key = tmp_path / "checkpoint.key"
    keyfile.generate(key)
    made = await make_desk(database, clock, settings={"AI_CHECKPOINT_KEY_FILE": str(key)})
    yield made
    await made.deputy.close()


def files_of(desk: Desk) -> CheckpointFiles:
    assert desk.w.checkpoints is not None
    return desk.w.checkpoints


async def write(desk: Desk, count: int, *, sealed: bool = False) -> None:
    """That many entries, a minute apart, and a checkpoint over all that there are."""
    for n in range(count):
        async with desk.w.db.write("north", "test") as tx:
            personal = {"name": (SUBJECT, "Ana Ruiz")} if sealed else {}
            tx.note(Draft("host_fact", "eva", {"n": n}, run=f"run-{n % 2}", personal=personal))
        desk.clock.advance(60)
    async with desk.w.db.read() as conn:
        await files_of(desk).write(conn, "north")


async def verdict(desk: Desk) -> str:
    return str(await auditing.verdict_of(desk.w, "north"))


async def old_chain(desk: Desk) -> None:
    """Twenty entries older than five years, signed at 12 and at 20, and five young ones."""
    await write(desk, 12)
    await write(desk, 8)
    desk.clock.advance(FIVE_YEARS)
    await write(desk, 5)


async def test_a_person_is_erased_and_every_entry_verifies(desk: Desk) -> None:
    """AUD-5: the values are gone for good, the chain is whole, the act is an entry; again changes nothing."""
    await write(desk, 3, sealed=True)
    assert (await auditing.one(desk.w, EVA, 2))["personal"] == {"name": "Ana Ruiz"}
    done = await erasure.erase_subject(desk.w, EVA, SUBJECT)
    assert (done["subject"], done["keys"]) == (SUBJECT, 1)
    assert (await auditing.one(desk.w, EVA, 2))["personal"] == {"name": None}
    assert await verdict(desk) == "verified through 4"
    (told,) = (await auditing.page_of(desk.w, EVA, kind=SUBJECT_ERASED))["items"]
    assert (told["actor"], told["payload"]) == (EVA.id, {"subject": SUBJECT, "keys": 1})
    desk.clock.advance(60)
    assert await erasure.erase_subject(desk.w, EVA, SUBJECT) == {**done, "keys": 0}
    assert (await auditing.page_of(desk.w, EVA, kind=SUBJECT_ERASED))["total"] == 1


async def test_who_may_erase_and_whom(desk: Desk) -> None:
    """API-2: both rights, and only somebody of whom this tenant's chain holds a value."""
    await write(desk, 1, sealed=True)
    with pytest.raises(Forbidden):
        await erasure.erase_subject(desk.w, VIC, SUBJECT)
    with pytest.raises(NotFound):
        await erasure.erase_subject(desk.w, EVA, "person:nobody")
    with pytest.raises(NotFound):
        await erasure.erase(desk.w, "south", SUBJECT, by="operator")
    assert (await auditing.one(desk.w, EVA, 1))["personal"] == {"name": "Ana Ruiz"}


async def test_a_prefix_goes_below_a_checkpoint(desk: Desk, tmp_path: Path) -> None:
    """AUD-5: the newest checkpoint that is old enough is the edge; the rest verifies, is signed on and exported."""
    await old_chain(desk)
    done = await erasure.prune(desk.w, "north", by="operator")
    assert (done.through, done.deleted, done.left) == (20, 20, 6)
    assert await verdict(desk) == "verified through 26 (the first 20 were pruned below a checkpoint)"
    entry = (await auditing.page_of(desk.w, EVA, kind=PRUNED))["items"][0]
    assert (entry["actor"], entry["payload"]["through"]) == ("operator", 20)
    with pytest.raises(NotFound):
        await auditing.one(desk.w, EVA, 20)
    with pytest.raises(NotFound, match="nothing to prune"):
        await erasure.prune(desk.w, "north", by="operator")

    next(files_of(desk).folder.glob("*north.position")).unlink()
    await write(desk, 3)
    latest = files_of(desk).latest("north")
    assert latest is not None
    assert latest.size == 29, "signed on, also without the signer's own position"
    trusted = [files_of(desk).trusted("north")]
    for asked, count in ((Asked(), 10), (Asked(runs=("run-1",)), 3)):
        pack = tmp_path / f"{count}.zip"
        assert await audit_export.pack(desk.w, "north", asked, pack, by="operator") >= count
        found = verify_pack(open_pack(pack), trusted)
        assert found.ok, str(found)
        assert found.pruned == (20 if asked.selection.everything else 0)


async def test_a_second_pruning_takes_the_entry_of_the_first(desk: Desk) -> None:
    """AUD-5: the chain never needs more than its newest pruning."""
    await old_chain(desk)
    await erasure.prune(desk.w, "north", by="operator")
    await write(desk, 2)
    desk.clock.advance(FIVE_YEARS)
    await write(desk, 2)
    assert (await erasure.prune(desk.w, "north", by="operator")).through == 28
    assert await verdict(desk) == "verified through 31 (the first 28 were pruned below a checkpoint)"
    async with desk.w.db.read() as conn:
        assert (await audit_read.entries(conn, "north", kind=PRUNED))[1] == 1


async def test_what_is_young_or_unsigned_or_damaged_is_not_pruned(desk: Desk) -> None:
    """AUD-5: only below a checkpoint, only after five years, only out of a chain that verifies."""
    await write(desk, 4)
    with pytest.raises(NotFound):
        await erasure.prune(desk.w, "north", by="operator")
    with pytest.raises(Invalid):
        await erasure.prune(desk.w, "north", by="operator", before=desk.clock.now())
    desk.clock.advance(FIVE_YEARS)
    await write(desk, 1)
    with pytest.raises(NotFound):
        await erasure.prune(desk.w, "north", by="operator", before=desk.clock.now() - timedelta(days=3650))
    await unguarded(desk.engine, "UPDATE deputize_audit_entries SET payload = '{}' WHERE seq = 2")
    with pytest.raises(Unavailable, match="does not verify"):
        await erasure.prune(desk.w, "north", by="operator")
    with pytest.raises(Unavailable, match="no key"):
        await erasure.prune(replace(desk.w, checkpoints=None), "north", by="operator")


async def test_a_clock_that_went_back_makes_nothing_old(desk: Desk) -> None:
    """Bad input: an old time after a young one lies above the edge all the same."""
    old, young = desk.clock.now(), desk.clock.now() + timedelta(days=3)
    for at in (old, old, young, old, old):
        async with desk.w.db.write("north", "test") as tx:
            await audit.append(tx.conn, "north", [Draft("host_fact", "eva", {})], at)
        async with desk.w.db.read() as conn:
            await files_of(desk).write(conn, "north")
    desk.clock.advance(FIVE_YEARS + DAY)
    assert (await erasure.prune(desk.w, "north", by="operator")).through == 2
    assert (await verdict(desk)).startswith("verified through 6")


async def test_the_guards_stand_again_afterwards(desk: Desk) -> None:
    """AUD-1: nothing can be deleted after a pruning, nor the pruning's own contents blanked."""
    await old_chain(desk)
    await erasure.prune(desk.w, "north", by="operator")
    for statement in (
        "DELETE FROM deputize_audit_entries WHERE seq = 21",
        "UPDATE deputize_audit_entries SET payload = NULL, salt = NULL WHERE kind = 'prefix_pruned'",
    ):
        with pytest.raises(DBAPIError):
            async with desk.engine.begin() as conn:
                await conn.execute(text(statement))


async def test_a_pruning_that_no_checkpoint_vouches_for(desk: Desk) -> None:
    """AUD-4: a beginning that went some other way is damage, and without the outside checkpoint nothing is proved."""
    await old_chain(desk)
    await erasure.prune(desk.w, "north", by="operator")
    async with desk.w.db.read() as conn:
        bare = await audit_read.verify_database(conn, "north")
        assert str(bare) == (
            "unverifiable (the first 20 entries were pruned, and no trusted checkpoint vouches for them)"
        )
        notes, trusted = files_of(desk).notes("north"), [files_of(desk).trusted("north")]
        assert (await audit_read.verify_database(conn, "north", notes[:1], trusted)).finding == "unverifiable"
        assert (await audit_read.verify_database(conn, "north", notes[-1:], trusted)).ok
    await unguarded(desk.engine, "DELETE FROM deputize_audit_entries WHERE seq = 21")
    assert await verdict(desk) == "tampered at 1 (21 entries are missing)"
