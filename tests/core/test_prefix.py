"""What stands for a pruned beginning is believed only as far as a checkpoint vouches for it (AUD-4, AUD-5)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deputize.core.chain import PRUNED, Draft
from deputize.core.merkle import Tree
from deputize.core.pack import DamagedPack, verify_pack
from deputize.core.prefix import Prefix, read_prefix
from deputize.core.verify import Row, Verifier
from tests.chains import TENANT, TRUSTED, chain, link, note
from tests.core.test_pack import write

ROWS = chain(9)
FULL = note(ROWS)


def prefix_of(rows: Sequence[Row]) -> Prefix:
    tree = Tree()
    path: tuple[bytes, ...] = ()
    for row in rows:
        path = tuple(reversed(tree.peaks))
        tree.append(bytes.fromhex(row.hash))
    return Prefix(len(rows), rows[-1].hash, tuple(tree.peaks), path)


def pruned(size: int, told: Prefix | None = None) -> list[Row]:
    """What is left of the nine once `size` have gone, with the entry that says so at its end."""
    said = (told or prefix_of(ROWS[:size])).said()
    return [*ROWS[size:], *link([Draft(PRUNED, "operator", said)], prev=ROWS[-1].hash, first=10)]


def verdict(rows: Sequence[Row], prefix: Prefix | None, notes: Sequence[str]) -> str:
    verifier = Verifier(TENANT, notes, TRUSTED, prefix)
    for row in rows:
        verifier.feed(row)
    return str(verifier.finish())


@pytest.mark.parametrize("size", range(1, 10))
def test_a_lawful_pruning_verifies(size: int) -> None:
    """AUD-5: whatever the size, under a checkpoint over those entries or more; older ones no longer count."""
    notes = [note(ROWS[:size]), note(ROWS), *([note(ROWS[: size - 1])] if size > 1 else [])]
    said = f"verified through 10 (the first {size} were pruned below a checkpoint)"
    assert verdict(pruned(size), prefix_of(ROWS[:size]), notes) == said
    assert verdict(pruned(size), prefix_of(ROWS[:size]), [FULL]) == said


def test_what_does_not_hold() -> None:
    """AUD-4: no checkpoint there, another chain's edge, no entry, an entry that says something else."""
    mine, other = prefix_of(ROWS[:4]), prefix_of(chain(4)[:3] + link([Draft("x", "m", {})], first=4))
    signed = [note(ROWS[:4])]
    assert "no trusted checkpoint vouches for them" in verdict(pruned(4), mine, [note(ROWS[:3])])
    assert "no trusted checkpoint vouches for them" in verdict(pruned(4), mine, [])
    assert verdict(pruned(4, other), other, signed) == ("tampered at 1 (entries 1 to 4 are not those that were signed)")
    assert verdict(ROWS[4:], mine, signed) == "tampered at 1 (4 entries are missing, and no entry says so)"
    assert verdict(pruned(4, prefix_of(ROWS[:3])), mine, signed).startswith("tampered at 1 (4 entries are missing")
    assert verdict(pruned(4), None, signed) == "tampered at 1 (4 entries are missing)"
    assert verdict(pruned(4)[1:], mine, signed) == "tampered at 5 (an entry is missing)"
    broken = link([Draft(PRUNED, "operator", {"through": 4})], prev=ROWS[-1].hash, first=10)
    assert "does not say what it stands for" in verdict([*ROWS[4:], *broken], mine, signed)


@pytest.mark.parametrize(
    "change",
    [
        {"through": 5},
        {"through": 0},
        {"through": True},
        {"through": "4"},
        {"last": ROWS[2].hash},
        {"last": "zz"},
        {"last": None},
        {"peaks": []},
        {"peaks": "00"},
        {"peaks": ["00"]},
        {"path": []},
        {"path": [7]},
    ],
)
def test_what_is_malformed_is_refused(change: dict[str, Any]) -> None:
    """Bad input: a record that does not fit together never reaches the verifier."""
    said = prefix_of(ROWS[:4]).said()
    assert read_prefix(said) == prefix_of(ROWS[:4])
    with pytest.raises(ValueError, match=r"."):
        read_prefix({**said, **change})
    with pytest.raises(ValueError, match="missing"):
        read_prefix({"through": 4})


def test_a_pack_of_a_pruned_chain(tmp_path: Path) -> None:
    """AUD-6: the manifest says what stands for the beginning; a manifest that lies is damage."""
    signed, mine = [note(ROWS[:4])], prefix_of(ROWS[:4])
    head = {"seq": 10, "hash": pruned(4)[-1].hash}
    pack = write(tmp_path / "p.zip", pruned(4), notes=signed, pruned=mine.said(), head=head)
    assert verify_pack(pack, TRUSTED).ok
    pack = write(tmp_path / "q.zip", pruned(4), notes=signed, pruned=None, head=head)
    assert str(verify_pack(pack, TRUSTED)) == "tampered at 1 (4 entries are missing)"
    with pytest.raises(DamagedPack, match="manifest"):
        write(tmp_path / "r.zip", pruned(4), notes=signed, pruned={**mine.said(), "through": 3}, head=head)
