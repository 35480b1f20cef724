"""Packs verify without the database, whole or in part, and damage is named (AUD-4, AUD-6)."""

import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.chain import Draft, Finding
from deputize.core.checkpoint import Checkpoint, Signer
from deputize.core.pack import MANIFEST, DamagedPack, Pack, open_pack, verify_pack
from deputize.store import audit
from deputize.store.checkpoints import CheckpointFiles
from deputize.store.export import Selection, write_pack
from tests.attacks.packs import Lines, rewrite

NOW = datetime(2026, 5, 4, tzinfo=UTC)
SIGNER = Signer.from_seed(b"\x03" * 32)


@pytest.fixture
def files(tmp_path: Path) -> CheckpointFiles:
    """Checkpoints outside the database."""
    return CheckpointFiles(tmp_path / "outside", SIGNER, "copilot.example.org")


async def fill(database: AsyncEngine) -> None:
    """Twelve entries: two runs, two cases, a day between each four."""
    for day in range(3):
        entries = [Draft("tool_executed", "u", {"case": f"case-{n % 2}", "n": n}, run=f"run-{n % 3}") for n in range(4)]
        async with database.begin() as conn:
            await audit.append(conn, "t", entries, NOW + timedelta(days=day))


async def export(
    database: AsyncEngine, files: CheckpointFiles, path: Path, selection: Selection | None = None
) -> tuple[Pack, int]:
    async with database.connect() as conn:
        await files.write(conn, "t")
        count = await write_pack(
            conn, "t", path, NOW, notes=files.notes("t"), selection=selection, transcript=[{"role": "user"}]
        )
    return open_pack(path), count


async def test_a_whole_chain(database: AsyncEngine, files: CheckpointFiles, tmp_path: Path) -> None:
    """AUD-4: an export alone is verified like the database."""
    await fill(database)
    pack, count = await export(database, files, tmp_path / "all.zip")
    assert (count, pack.complete, pack.tenant, pack.head[0]) == (12, True, "t", 12)
    verdict = verify_pack(pack, [files.trusted("t")])
    assert (str(verdict), verdict.anchored) == ("verified through 12", 12)
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert archive.read("transcript.jsonl") == b'{"role": "user"}\n'


SELECTIONS = {
    "a period": (Selection(since=NOW + timedelta(days=1), until=NOW + timedelta(days=2)), 4),
    "a run": (Selection(runs=frozenset({"run-0"})), 6),
    "a case": (Selection(fields={"case": frozenset({"case-1"})}), 6),
    "a case in a period": (Selection(since=NOW + timedelta(days=1), fields={"case": frozenset({"case-1"})}), 4),
    "nothing": (Selection(runs=frozenset({"none"})), 0),
}


async def test_a_selection_proves_each_entry(
    database: AsyncEngine, files: CheckpointFiles, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """AUD-6: a case or a period verifies against the signed root, without the rest of the chain."""
    await fill(database)
    for name, (selection, expected) in SELECTIONS.items():
        with subtests.test(name):
            pack, count = await export(database, files, tmp_path / "part.zip", selection)
            assert (count, pack.complete) == (expected, False)
            verdict = verify_pack(pack, [files.trusted("t")])
            assert (verdict.finding, verdict.anchored) == (Finding.VERIFIED, 12)
            assert verify_pack(pack).finding is Finding.UNVERIFIABLE, "nobody to trust"


async def test_blanks_in_a_selection_bring_their_erasure_entries(
    database: AsyncEngine, files: CheckpointFiles, tmp_path: Path
) -> None:
    """AUD-5: an erased payload is lawful in a pack only with the entry that covers it."""
    await fill(database)
    async with database.begin() as conn:
        await audit.erase_payloads(conn, "t", NOW + timedelta(hours=1), NOW, by="system", reason="r")
    pack, count = await export(database, files, tmp_path / "part.zip", Selection(runs=frozenset({"run-0"})))
    verdict = verify_pack(pack, [files.trusted("t")])
    assert (count, verdict.ok, verdict.erased) == (7, True, 2)
    rewrite(pack.path, lambda lines: [line for line in lines if "payload_erased" not in line["header"]])
    assert "without an erasure entry" in verify_pack(open_pack(pack.path), [files.trusted("t")]).damage


def changed(index: int, **change: Any) -> Callable[[Lines], Lines]:
    return lambda lines: [{**line, **change} if i == index else line for i, line in enumerate(lines)]


EDITS: dict[str, tuple[Callable[[Lines], Lines], Finding, str]] = {
    "payload": (changed(2, payload="{}"), Finding.TAMPERED, "payload was edited"),
    "hash": (changed(2, hash="f" * 64), Finding.TAMPERED, "header was edited"),
    "proof": (changed(2, proof=["00" * 32]), Finding.TAMPERED, "not in the signed chain"),
    "order": (lambda lines: lines[::-1], Finding.TAMPERED, "reordered|stand twice"),
    "repeat": (lambda lines: [*lines, lines[-1]], Finding.TAMPERED, "stand twice"),
    "salt not base64": (changed(2, salt="?"), Finding.UNVERIFIABLE, "line of the entries is damaged"),
    "no header": (changed(2, header=None), Finding.UNVERIFIABLE, "line of the entries is damaged"),
    "hash not text": (changed(2, hash=3), Finding.UNVERIFIABLE, "line of the entries is damaged"),
}


async def test_edited_selections(
    database: AsyncEngine, files: CheckpointFiles, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """AUD-4: what a forger can do to a pack is named."""
    await fill(database)
    case = Selection(fields={"case": frozenset({"case-1"})})
    for name, (change, finding, why) in EDITS.items():
        with subtests.test(name):
            pack, _ = await export(database, files, tmp_path / "part.zip", case)
            rewrite(pack.path, change)
            verdict = verify_pack(open_pack(pack.path), [files.trusted("t")])
            assert verdict.finding is finding
            assert any(part in verdict.damage for part in why.split("|"))


async def test_leaving_entries_out_of_a_selection_is_noticed_only_by_the_count(
    database: AsyncEngine, files: CheckpointFiles, tmp_path: Path
) -> None:
    """Honest limit: a selection proves what is in it; with the manifest edited too, an omission is not found."""
    await fill(database)
    pack, _ = await export(database, files, tmp_path / "part.zip", Selection(runs=frozenset({"run-0"})))
    rewrite(pack.path, lambda lines: lines[:-1], {"entries": 6})
    assert verify_pack(open_pack(pack.path), [files.trusted("t")]).finding is Finding.TRUNCATED
    rewrite(pack.path, lambda lines: lines)
    assert verify_pack(open_pack(pack.path), [files.trusted("t")]).ok


async def test_a_checkpoint_of_other_hands(database: AsyncEngine, files: CheckpointFiles, tmp_path: Path) -> None:
    """Bad input: a checkpoint of another chain does not vouch for this one."""
    await fill(database)
    pack, _ = await export(database, files, tmp_path / "all.zip")
    stranger = Signer.from_seed(b"\x04" * 32)
    foreign = stranger.sign(Checkpoint("example.org/else", 12, bytes(32)))
    assert verify_pack(pack, [stranger.log("example.org/else")], [foreign]).finding is Finding.UNVERIFIABLE


def test_damaged_files_get_a_clear_answer(tmp_path: Path) -> None:
    """Bad input: no file, no zip, a zip of something else, a manifest that says nothing."""
    path = tmp_path / "x.zip"
    with pytest.raises(DamagedPack, match="cannot be read"):
        open_pack(path)
    path.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(DamagedPack, match="cannot be read"):
        open_pack(path)
    manifest: Any
    for manifest in ({}, {"format": "other", "version": 1}, {"format": "deputize-audit-pack", "version": 1}, [], "x"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(MANIFEST, json.dumps(manifest))
            archive.writestr("checkpoints.txt", "")
        with pytest.raises(DamagedPack, match=r"manifest|known version"):
            open_pack(path)


async def test_a_pack_with_broken_bytes(database: AsyncEngine, files: CheckpointFiles, tmp_path: Path) -> None:
    """Bad input: bytes flipped on disk are noticed by the archive's own sums."""
    await fill(database)
    pack, _ = await export(database, files, tmp_path / "all.zip")
    data = bytearray(pack.path.read_bytes())
    data[200] ^= 0xFF
    pack.path.write_bytes(bytes(data))
    assert verify_pack(pack, [files.trusted("t")]).finding is Finding.UNVERIFIABLE
