"""Packs made by hand, read and verified without a database (AUD-4, AUD-6)."""

import base64
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deputize.core.chain import ERASED, Draft, Finding
from deputize.core.checkpoint import Signer
from deputize.core.merkle import inclusion, levels
from deputize.core.pack import CHECKPOINTS, ENTRIES, MANIFEST, MAX_SMALL, DamagedPack, Pack, open_pack, verify_pack
from deputize.core.verify import Row
from tests.chains import ORIGIN, SIGNER, TENANT, TRUSTED, chain, link, note

ROWS = chain(9)


def write(
    path: Path, rows: Sequence[Row], *, whole: Sequence[Row] | None = None, notes: Sequence[str] = (), **said: Any
) -> Pack:
    """A pack of the rows; with `whole`, a selection out of that chain, each row with its proof."""
    tree = levels([bytes.fromhex(row.hash) for row in whole]) if whole else []
    lines = []
    for row in rows:
        line: dict[str, Any] = {
            "header": row.header,
            "hash": row.hash,
            "payload": row.payload,
            "salt": None if row.salt is None else base64.b64encode(row.salt).decode(),
        }
        if whole:
            line["proof"] = [item.hex() for item in inclusion(tree, json.loads(row.header)["seq"] - 1)]
        lines.append(json.dumps(line).encode() + b"\n")
    manifest = {
        "format": "deputize-audit-pack",
        "version": 1,
        "tenant": TENANT,
        "complete": whole is None,
        "head": {"seq": len(whole or rows), "hash": (whole or rows)[-1].hash},
        "entries": len(rows),
        "selection": {},
        **said,
    }
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(ENTRIES, b"".join(lines))
        archive.writestr(MANIFEST, json.dumps(manifest))
        archive.writestr(CHECKPOINTS, "".join(item + "\n" for item in notes))
    return open_pack(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pack.zip"


def test_a_whole_chain(path: Path) -> None:
    """AUD-4: verified like a database, with the checkpoints inside and with those from outside."""
    verdict = verify_pack(write(path, ROWS, notes=[note(ROWS[:4])]), TRUSTED, [note(ROWS[:7])])
    assert (str(verdict), verdict.anchored, verdict.checkpoints) == ("verified through 9", 7, 2)
    broken = [*ROWS[:3], ROWS[3]._replace(payload="{}"), *ROWS[4:]]
    assert str(verify_pack(write(path, broken), TRUSTED)) == "tampered at 4 (the payload was edited)"
    assert verify_pack(write(path, ROWS[:5], notes=[note(ROWS)]), TRUSTED).finding is Finding.TRUNCATED


def test_a_selection(path: Path) -> None:
    """AUD-6: entries 2, 3 and 7 alone, against the newest of several checkpoints."""
    chosen = [ROWS[1], ROWS[2], ROWS[6]]
    stranger = Signer.from_seed(b"\x09" * 32)
    notes = [note(ROWS[:3]), note(ROWS), note(ROWS[:5]), note(ROWS, stranger)]
    pack = write(path, chosen, whole=ROWS, notes=notes)
    verdict = verify_pack(pack, TRUSTED)
    assert (verdict.finding, verdict.through, verdict.anchored) == (Finding.VERIFIED, 7, 9)
    assert verify_pack(pack, [SIGNER.log(ORIGIN + "/x")]).finding is Finding.UNVERIFIABLE
    assert "there is none" in verify_pack(write(path, chosen, whole=ROWS), TRUSTED).damage


def selected(*rows: Row, **said: Any) -> tuple[Sequence[Row], dict[str, Any]]:
    return rows, said


BAD = {
    "edited": (selected(ROWS[1], ROWS[2]._replace(payload="{}")), "tampered at 3 (the payload was edited)"),
    "malformed": (selected(ROWS[1]._replace(header=ROWS[1].header + " ")), "tampered at 0 (the header is malformed)"),
    "hash": (selected(ROWS[1]._replace(hash="f" * 64)), "tampered at 2 (the header was edited)"),
    "reordered": (selected(ROWS[2], ROWS[1]), "tampered at 2 (entries were reordered or stand twice)"),
    "twice": (selected(ROWS[2], ROWS[2]), "tampered at 3 (entries were reordered or stand twice)"),
    "another tenant": (selected(ROWS[2], tenant="other"), "another tenant"),
    "fewer than counted": (selected(ROWS[2], entries=2), "truncated after 3 (2 entries were exported)"),
    "blank": (selected(ROWS[2]._replace(payload=None, salt=None)), "tampered at 3 (payload removed without"),
    "half blank": (selected(ROWS[2]._replace(salt=None)), "tampered at 3 (payload and salt"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_selections(path: Path, name: str) -> None:
    """AUD-4: the first bad entry of a selection, and its damage."""
    (rows, said), expected = BAD[name]
    whole = list(ROWS)
    tenant = said.get("tenant", TENANT)
    if name == "malformed":
        with zipfile.ZipFile(path, "w"):
            pass
    trusted = [SIGNER.log(ORIGIN.replace("/t", f"/{tenant}"))] if tenant != TENANT else TRUSTED
    notes = [note(whole, origin=trusted[0].origin)]
    assert expected in str(verify_pack(write(path, rows, whole=whole, notes=notes, **said), trusted))


def test_an_entry_of_a_fork_is_not_in_the_signed_chain(path: Path) -> None:
    """AUD-6: sound by itself, with a proof of its own fork."""
    fork = link([Draft("x", "mallory", {"n": n}) for n in range(9)])
    verdict = verify_pack(write(path, fork[2:4], whole=fork, notes=[note(ROWS)]), TRUSTED)
    assert str(verdict) == "tampered at 3 (the entry is not in the signed chain)"


def test_two_signed_neighbours_that_do_not_follow_each_other(path: Path) -> None:
    """AUD-6: a signer that signed a chain with a wrong link inside is found out where both ends are shown."""
    other = link([Draft("x", "u", {})], first=4, prev="e" * 64)
    whole = [*ROWS[:3], *other, *ROWS[4:]]
    verdict = verify_pack(write(path, whole[2:4], whole=whole, notes=[note(whole)]), TRUSTED)
    assert str(verdict) == "tampered at 4 (the entry does not follow the one before it)"


def test_blanks_under_an_erasure_entry(path: Path) -> None:
    """AUD-5: lawful in a selection with the entry that covers them."""
    whole = [*ROWS, *link([Draft(ERASED, "s", {"ranges": [[2, 2]]})], first=10, prev=ROWS[-1].hash)]
    blank = whole[1]._replace(payload=None, salt=None)
    verdict = verify_pack(write(path, [blank, whole[9]], whole=whole, notes=[note(whole)]), TRUSTED)
    assert (verdict.finding, verdict.erased) == (Finding.VERIFIED, 1)


@pytest.mark.parametrize(
    "manifest", [b"", b"{}", b"[]", b'"x"', b'{"format": "other", "version": 1}', b"\xff", b" " * (MAX_SMALL + 1)]
)
def test_manifests_that_say_nothing(path: Path, manifest: bytes) -> None:
    """Bad input: a damaged export gets a clear answer."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, manifest)
        archive.writestr(CHECKPOINTS, "")
    with pytest.raises(DamagedPack):
        open_pack(path)


def test_files_that_are_no_packs(path: Path) -> None:
    """Bad input: nothing, rubbish, cut checkpoints, a manifest without its entries."""
    with pytest.raises(DamagedPack, match="cannot be read"):
        open_pack(path)
    path.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(DamagedPack, match="cannot be read"):
        open_pack(path)
    with pytest.raises(DamagedPack, match="cannot be read"):
        write(path, ROWS, notes=["cut"])
    with pytest.raises(DamagedPack, match="manifest"):
        write(path, ROWS, head=None)
    pack = write(path, ROWS)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other", "")
    verdict = verify_pack(pack)
    assert (verdict.finding, verdict.damage) == (Finding.UNVERIFIABLE, "the entries cannot be read (KeyError)")


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b'{"header": 1, "hash": "", "payload": "", "salt": null}', b"{}", b'"x"', b"\xff"]
)
def test_lines_that_say_nothing(path: Path, line: bytes) -> None:
    """Bad input: a damaged line is no forgery."""
    pack = write(path, ROWS)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(ENTRIES, line)
    verdict = verify_pack(pack)
    assert (verdict.finding, verdict.damage) == (Finding.UNVERIFIABLE, "a line of the entries is damaged")


def test_flipped_bytes_are_damage_and_an_edit_is_forgery(path: Path) -> None:
    """Bad input: the archive's own sums tell broken bytes from an edited entry."""
    pack = write(path, chain(200))
    data = bytearray(path.read_bytes())
    place = data.index(b"tool_executed")
    data[place] ^= 1
    path.write_bytes(bytes(data))
    assert verify_pack(pack, TRUSTED).finding is Finding.UNVERIFIABLE
