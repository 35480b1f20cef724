"""Twelve attacks on the chain, by raw SQL and by edited exports: what is found, when, and honestly what is not (AUD-4).

The attacker has the database's password, takes the guards away, and can link entries anew; the signing key
and the checkpoints are elsewhere.
"""

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.chain import ERASED, GENESIS, PRUNED, Draft, Finding, Verdict, entry_hash
from deputize.core.checkpoint import TrustedLog
from deputize.core.pack import open_pack, verify_pack
from deputize.core.verify import Row
from deputize.store import audit, audit_read
from deputize.store.checkpoints import CheckpointFiles
from deputize.store.export import write_pack
from tests.attacks.packs import rewrite
from tests.attacks.tampering import replace_chain, unguarded
from tests.chains import SIGNER, link
from tests.core.test_prefix import prefix_of

NOW = datetime(2026, 5, 4, tzinfo=UTC)
LENGTH = 10
SIGNED = LENGTH
Attack = Callable[[list[Row]], list[Row]]


def said(row: Row) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(row.header)
    return header


def relink(rows: Sequence[Row]) -> list[Row]:
    """Number and link the rows anew, as one who knows the format can: every hash fits again."""
    out: list[Row] = []
    prev = GENESIS
    for seq, row in enumerate(rows, 1):
        header = {**said(row), "seq": seq, "prev": prev}
        text = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        prev = entry_hash(text.encode())
        columns = (seq, header["kind"], header["at"], header["actor"], header["run"])
        out.append(row._replace(header=text, hash=prev, columns=columns))
    return out


def forged(count: int = 1) -> list[Row]:
    return link([Draft("tool_executed", "mallory", {"amount": "1", "n": n}) for n in range(count)])


def edit_payload(rows: list[Row]) -> list[Row]:
    return [*rows[:3], rows[3]._replace(payload='{"amount":"9","n":3}'), *rows[4:]]


def edit_header(rows: list[Row]) -> list[Row]:
    return [*rows[:3], rows[3]._replace(header=rows[3].header.replace('"ana"', '"bob"')), *rows[4:]]


def edit_and_rehash(rows: list[Row]) -> list[Row]:
    text = rows[3].header.replace('"ana"', '"bob"')
    columns = (*(rows[3].columns or ())[:3], "bob", (rows[3].columns or ())[4])
    return [*rows[:3], rows[3]._replace(header=text, hash=entry_hash(text.encode()), columns=columns), *rows[4:]]


def swap_numbers(rows: list[Row]) -> list[Row]:
    first, second = rows[3], rows[4]
    one, two = first.columns or (), second.columns or ()
    return [
        *rows[:3],
        second._replace(columns=(one[0], *two[1:])),
        first._replace(columns=(two[0], *one[1:])),
        *rows[5:],
    ]


@dataclass(frozen=True)
class Case:
    """An attack, and the verdicts without any checkpoint and with one over the whole chain."""

    attack: Attack
    bare: str
    anchored: str


SOUND = "verified through"
REWRITTEN = "tampered at 1 (entries 1 to 10 are not those that were signed)"
CASES = {
    "edit a payload": Case(edit_payload, "tampered at 4 (the payload was edited)", "same"),
    "edit who did it": Case(edit_header, "tampered at 4 (the header was edited)", "same"),
    "edit and hash anew": Case(edit_and_rehash, "tampered at 5 (the entry does not follow", "same"),
    "delete an entry": Case(lambda rows: rows[:3] + rows[4:], "tampered at 4 (an entry is missing)", "same"),
    "swap two entries": Case(swap_numbers, "tampered at 4 (entries were reordered)", "same"),
    "blank a payload": Case(
        lambda rows: [*rows[:3], rows[3]._replace(payload=None, salt=None), *rows[4:]],
        "tampered at 4 (payload removed without an erasure entry)",
        "same",
    ),
    "delete and link anew": Case(
        lambda rows: relink(rows[:3] + rows[4:]), SOUND, "truncated after 9 (a checkpoint was signed over 10 entries)"
    ),
    "insert and link anew": Case(lambda rows: relink([*rows[:3], *forged(), *rows[3:]]), SOUND, REWRITTEN),
    "reorder and link anew": Case(lambda rows: relink([*rows[:3], rows[4], rows[3], *rows[5:]]), SOUND, REWRITTEN),
    "cut the tail": Case(lambda rows: rows[:7], SOUND, "truncated after 7 (a checkpoint was signed over 10 entries)"),
    "fork in the middle": Case(lambda rows: relink(rows[:5] + forged(5)), SOUND, REWRITTEN),
    "rewrite the whole": Case(lambda rows: forged(LENGTH), SOUND, REWRITTEN),
}


@dataclass
class Scene:
    """A chain of ten entries with its checkpoints in a folder outside."""

    database: AsyncEngine
    files: CheckpointFiles
    rows: list[Row]

    @property
    def trusted(self) -> list[TrustedLog]:
        return [self.files.trusted("t")]

    async def by_sql(self, rows: Sequence[Row], *, notes: Sequence[str] = ()) -> Verdict:
        """Put the rows into the database and verify it."""
        await replace_chain(self.database, "t", rows)
        async with self.database.connect() as conn:
            return await audit_read.verify_database(conn, "t", notes, self.trusted)

    async def by_export(self, rows: Sequence[Row], path: Path, *, notes: Sequence[str] = ()) -> Verdict:
        """Write the rows into an export and verify it alone; `notes` come from outside, none is in the pack."""
        async with self.database.connect() as conn:
            await write_pack(conn, "t", path, NOW)
        lines = [
            {
                "header": row.header,
                "hash": row.hash,
                "payload": row.payload,
                "salt": None if row.salt is None else base64.b64encode(row.salt).decode(),
            }
            for row in rows
        ]
        rewrite(path, lambda _: lines)
        return verify_pack(open_pack(path), self.trusted, notes)


@pytest.fixture
async def scene(database: AsyncEngine, tmp_path: Path) -> Scene:
    """Ten entries by Ana, signed."""
    files = CheckpointFiles(tmp_path / "outside", SIGNER, "copilot.example.org")
    async with database.begin() as conn:
        entries = [Draft("tool_executed", "ana", {"amount": "1", "n": n}, run="r") for n in range(LENGTH)]
        await audit.append(conn, "t", entries, NOW)
        await files.write(conn, "t")
        rows = [row async for batch in audit_read.stream(conn, "t") for row in batch]
    return Scene(database, files, rows)


async def test_by_raw_sql(scene: Scene, subtests: pytest.Subtests) -> None:
    """AUD-4: without a checkpoint six attacks pass for a sound chain; with one, none does."""
    for name, case in CASES.items():
        with subtests.test(name):
            rows = case.attack(scene.rows)
            assert str(await scene.by_sql(rows)).startswith(case.bare)
            anchored = str(await scene.by_sql(rows, notes=scene.files.notes("t")))
            assert anchored.startswith(case.bare if case.anchored == "same" else case.anchored)


async def test_by_editing_an_export(scene: Scene, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """AUD-4: the same twelve on a pack whose own checkpoint the forger has taken out."""
    path = tmp_path / "pack.zip"
    for name, case in CASES.items():
        with subtests.test(name):
            rows = case.attack(scene.rows)
            assert str(await scene.by_export(rows, path)).startswith(case.bare)
            anchored = str(await scene.by_export(rows, path, notes=scene.files.notes("t")))
            assert anchored.startswith(case.bare if case.anchored == "same" else case.anchored)


def test_a_bare_chain_misses_half_of_them() -> None:
    """Honest count: six of twelve need a checkpoint that is kept outside."""
    assert len(CASES) == 12
    assert sum(case.bare == SOUND for case in CASES.values()) == 6
    assert all(case.anchored != SOUND for case in CASES.values())


async def test_what_comes_after_the_last_checkpoint_is_not_protected(scene: Scene, subtests: pytest.Subtests) -> None:
    """Honest limit: the same attacks on entries that nobody signed yet are not found (256 entries or 60 s)."""
    async with scene.database.begin() as conn:
        more = [Draft("tool_executed", "ana", {"amount": "1", "n": n}, run="r") for n in range(LENGTH)]
        await audit.append(conn, "t", more, NOW)
        rows = [row async for batch in audit_read.stream(conn, "t") for row in batch]
    for name, case in CASES.items():
        if case.bare != SOUND:
            continue
        with subtests.test(name):
            attacked = relink(rows[:SIGNED] + case.attack(rows[SIGNED:]))
            verdict = await scene.by_sql(attacked, notes=scene.files.notes("t"))
            assert verdict.finding is Finding.VERIFIED
            assert verdict.anchored == SIGNED, "and the verdict says how far it is vouched for"


async def test_a_blank_under_a_forged_erasure_entry_stands_in_the_open(scene: Scene) -> None:
    """Honest limit: who can append can erase a payload lawfully; the entry that says so is there to be read."""
    blank = [*scene.rows[:3], scene.rows[3]._replace(payload=None, salt=None), *scene.rows[4:]]
    cover = link([Draft(ERASED, "mallory", {"ranges": [[4, 4]], "reason": "x"})])
    verdict = await scene.by_sql(relink(blank + cover), notes=scene.files.notes("t"))
    assert (verdict.finding, verdict.erased) == (Finding.VERIFIED, 1)
    async with scene.database.connect() as conn:
        assert (await audit_read.entries(conn, "t", kind=ERASED))[1] == 1


async def test_a_forged_pruning_stands_in_the_open(scene: Scene) -> None:
    """Honest limit: who owns the tables can prune lawfully; the entry is there to be read, the signature needed."""
    cover = link([Draft(PRUNED, "mallory", prefix_of(scene.rows[:4]).said())], prev=scene.rows[-1].hash, first=11)
    left = [*scene.rows[4:], *cover]
    verdict = await scene.by_sql(left, notes=scene.files.notes("t"))
    assert (verdict.finding, verdict.pruned) == (Finding.VERIFIED, 4)
    async with scene.database.connect() as conn:
        assert (await audit_read.entries(conn, "t", kind=PRUNED))[1] == 1
    assert (await scene.by_sql(left)).finding is Finding.UNVERIFIABLE
    assert str(await scene.by_sql(scene.rows[4:], notes=scene.files.notes("t"))) == (
        "tampered at 1 (4 entries are missing)"
    )


async def test_the_signer_does_not_sign_over_an_attack(scene: Scene) -> None:
    """AUD-4: whoever rewrites the signed part also stops the checkpoints."""
    await replace_chain(scene.database, "t", forged(LENGTH + 1))
    async with scene.database.connect() as conn:
        with pytest.raises(RuntimeError, match="signed last"):
            await scene.files.write(conn, "t")


async def test_look_up_columns_that_lie(scene: Scene) -> None:
    """AUD-4: columns that only serve look-ups cannot hide an entry from the screens."""
    hidden = [*scene.rows[:3], scene.rows[3]._replace(columns=(4, "viewed", 0, "nobody", None)), *scene.rows[4:]]
    assert str(await scene.by_sql(hidden)) == "tampered at 4 (the look-up columns differ from the header)"


async def test_a_head_that_lies(scene: Scene) -> None:
    """AUD-4: a head put back behind the entries, or ahead of them, is noticed without any checkpoint."""
    for head, expected in (
        (f"seq = 7, hash = '{scene.rows[6].hash}'", "tampered at 8 (entries stand above the head)"),
        ("seq = 12", "truncated after 10 (the head stands at 12)"),
        (f"seq = 10, hash = '{scene.rows[6].hash}'", "tampered at 10 (the head differs from the last entry)"),
    ):
        await unguarded(scene.database, f"UPDATE deputize_audit_heads SET {head}")
        async with scene.database.connect() as conn:
            assert str(await audit_read.verify_database(conn, "t")) == expected


async def test_a_tenants_chain_that_vanished(scene: Scene) -> None:
    """AUD-4: an empty chain under a checkpoint is truncated, not sound."""
    verdict = await scene.by_sql([], notes=scene.files.notes("t"))
    assert str(verdict) == "truncated after 0 (a checkpoint was signed over 10 entries)"
