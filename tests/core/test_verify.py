"""The verifier names the first bad entry and the kind of damage (AUD-4)."""

import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deputize.core.chain import ERASED, Draft, Finding
from deputize.core.checkpoint import Signer, parse_vkey
from deputize.core.verify import Row, Verifier, verify
from tests.chains import ORIGIN, SIGNER, TENANT, TRUSTED, chain, link, note

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "chain.json").read_text(encoding="utf-8")
)
ROWS = chain(12)


def test_the_frozen_chain_verifies_with_each_of_its_checkpoints() -> None:
    """AUD-4: against entries and notes that a separate script made."""
    rows = [
        Row(entry["header"], entry["hash"], entry["payload"], bytes.fromhex(entry["salt"]))
        for entry in VECTORS["entries"]
    ]
    verdict = verify(rows, VECTORS["tenant"], list(VECTORS["notes"].values()), [parse_vkey(VECTORS["vkey"])])
    assert str(verdict) == "verified through 5"
    assert (verdict.anchored, verdict.checkpoints) == (5, 6)


def test_a_sound_chain() -> None:
    """AUD-4: verified, and how far something outside vouches for it."""
    verdict = verify(ROWS, TENANT, [note(ROWS[:5]), note(ROWS[:9])], TRUSTED, head=(12, ROWS[-1].hash))
    assert verdict.ok
    assert (verdict.through, verdict.anchored, verdict.checkpoints) == (12, 9, 2)
    bare = verify(ROWS, TENANT)
    assert bare.ok
    assert bare.anchored == 0
    assert verify([], TENANT, head=(0, "0" * 64)).ok


def edit(index: int, **change: Any) -> Callable[[list[Row]], list[Row]]:
    def apply(rows: list[Row]) -> list[Row]:
        return [row._replace(**change) if i == index else row for i, row in enumerate(rows)]

    return apply


def header_of(index: int, **change: Any) -> dict[str, str]:
    said = {**json.loads(ROWS[index].header), **change}
    return {"header": json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)}


DAMAGE: dict[str, tuple[Callable[[list[Row]], list[Row]], int, str]] = {
    "header edited": (edit(4, **header_of(4, actor="mallory")), 5, "the header was edited"),
    "kind edited": (edit(4, **header_of(4, kind="tool_refused")), 5, "the header was edited"),
    "spaces in header": (edit(4, header=ROWS[4].header.replace(":", ": ", 1)), 5, "the header is malformed"),
    "key twice": (edit(4, header=ROWS[4].header.replace('{"actor"', '{"actor":"x","actor"')), 5, "malformed"),
    "other version": (edit(4, **header_of(4, version=2)), 5, "the header is malformed"),
    "float for integer": (edit(4, **header_of(4, at=1.5)), 5, "the header is malformed"),
    "not JSON": (edit(4, header="{"), 5, "the header is malformed"),
    "hash edited": (edit(4, hash="f" * 64), 5, "the header was edited"),
    "payload edited": (edit(4, payload='{"n":5}'), 5, "the payload was edited"),
    "salt edited": (edit(4, salt=b"x" * 16), 5, "the payload was edited"),
    "salt longer": (edit(4, salt=b"x" * 17), 5, "payload and salt"),
    "salt gone": (edit(4, salt=None), 5, "payload and salt"),
    "payload gone": (edit(4, payload=None), 5, "payload and salt"),
    "both gone": (edit(4, payload=None, salt=None), 5, "without an erasure entry"),
    "columns edited": (edit(4, columns=(5, "other", 0, "u", None)), 5, "look-up columns"),
    "one missing": (lambda rows: rows[:4] + rows[5:], 5, "an entry is missing"),
    "three missing": (lambda rows: rows[:4] + rows[7:], 5, "3 entries are missing"),
    "first missing": (lambda rows: rows[1:], 1, "an entry is missing"),
    "twice": (lambda rows: rows[:5] + rows[4:], 6, "inserted or stands twice"),
    "swapped": (lambda rows: [*rows[:4], rows[5], rows[4], *rows[6:]], 5, "reordered"),
    "another tenant's": (
        lambda rows: [*rows[:4], *link([Draft("x", "u", {})], tenant="other", first=5, prev=rows[3].hash), *rows[5:]],
        5,
        "another tenant",
    ),
    "inserted and linked": (
        lambda rows: [*rows[:4], *link([Draft("x", "u", {})], first=5, prev=rows[3].hash), *rows[5:]],
        6,
        "does not follow",
    ),
}


@pytest.mark.parametrize(("damage", "at", "kind"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named(damage: Callable[[list[Row]], list[Row]], at: int, kind: str) -> None:
    """AUD-4: the first bad entry and what is wrong with it, without any checkpoint."""
    verdict = verify(damage(ROWS), TENANT)
    assert verdict.finding is Finding.TAMPERED
    assert (verdict.at, verdict.through) == (at, at - 1)
    assert kind in verdict.damage


def test_a_rewritten_chain_is_found_by_its_checkpoint_only() -> None:
    """AUD-4: a chain that is linked anew from the third entry on looks sound by itself."""
    forged = ROWS[:2] + link([Draft("x", "mallory", {"n": n}) for n in range(10)], first=3, prev=ROWS[1].hash)
    assert verify(forged, TENANT).ok, "a bare chain cannot know"
    verdict = verify(forged, TENANT, [note(ROWS[:2]), note(ROWS[:8])], TRUSTED)
    assert str(verdict) == "tampered at 3 (entries 3 to 8 are not those that were signed)"
    assert (verdict.through, verdict.anchored) == (2, 2)


def test_truncation_is_found_by_checkpoint_or_head() -> None:
    """AUD-4: below a checkpoint, or where the database's own head says more."""
    assert verify(ROWS[:7], TENANT).ok, "a bare chain cannot know"
    cut = verify(ROWS[:7], TENANT, [note(ROWS[:9])], TRUSTED)
    assert str(cut) == "truncated after 7 (a checkpoint was signed over 9 entries)"
    assert verify(ROWS[:7], TENANT, head=(12, ROWS[-1].hash)).finding is Finding.TRUNCATED
    assert verify([], TENANT, [note(ROWS)], TRUSTED).finding is Finding.TRUNCATED
    assert verify(ROWS, TENANT, head=(12, "f" * 64)).finding is Finding.TAMPERED
    assert verify(ROWS, TENANT, head=(5, ROWS[4].hash)).finding is Finding.TAMPERED


def test_what_cannot_be_judged_says_why() -> None:
    """AUD-4: a wrong key, another chain's checkpoint, no key at all; a sound chain is then not called verified."""
    stranger = Signer.from_seed(b"\x09" * 32)
    for notes, trusted, why in (
        ([note(ROWS, stranger)], TRUSTED, "not signed by a trusted key"),
        ([note(ROWS, SIGNER, "example.org/else")], TRUSTED, "another chain, or of a log that is not trusted"),
        ([note(ROWS)], [], "another chain, or of a log that is not trusted"),
        ([note(ROWS).replace("\n12\n", "\n13\n")], TRUSTED, "signature is wrong"),
        (["rubbish"], TRUSTED, "cut"),
    ):
        verdict = verify(ROWS, TENANT, notes, trusted)
        assert verdict.finding is Finding.UNVERIFIABLE
        assert why in verdict.damage
    assert verify(DAMAGE["twice"][0](ROWS), TENANT, ["rubbish"]).finding is Finding.TAMPERED, "damage comes first"


def test_two_checkpoints_of_one_size_that_differ() -> None:
    """AUD-4: a signer that signed a fork is found out."""
    forged = link([Draft("x", "mallory", {"n": n}) for n in range(12)])
    assert verify(ROWS, TENANT, [note(ROWS), note(forged)], TRUSTED).finding is Finding.TAMPERED


def erased(*spans: tuple[int, int]) -> list[Row]:
    """Twelve entries, then an erasure entry over `spans`; entries 2 to 4 are blank."""
    entry = link([Draft(ERASED, "system", {"ranges": [list(span) for span in spans]})], first=13, prev=ROWS[-1].hash)
    return [row._replace(payload=None, salt=None) if 2 <= i <= 4 else row for i, row in enumerate(ROWS, 1)] + entry


def test_erasure_leaves_the_chain_whole_where_an_entry_covers_it() -> None:
    """AUD-1, AUD-5: blanks are lawful only under an erasure entry that stands after them."""
    for spans in (((2, 4),), ((2, 2), (3, 4)), ((1, 12),)):
        verdict = verify(erased(*spans), TENANT, [note(ROWS)], TRUSTED)
        assert verdict.ok
        assert verdict.erased == 3
    verdict = verify(erased((2, 3)), TENANT)
    assert str(verdict) == "tampered at 4 (payload removed without an erasure entry)"
    assert verify(erased((14, 20)), TENANT).finding is Finding.TAMPERED, "an entry cannot cover what comes after it"


@pytest.mark.parametrize("ranges", ["x", [[1]], [["a", "b"]], None])
def test_an_erasure_entry_that_says_nothing(ranges: Any) -> None:
    """Bad input: an erasure entry whose ranges cannot be read."""
    rows = link([Draft(ERASED, "system", {"ranges": ranges})])
    assert "does not say" in verify(rows, TENANT).damage


def test_nothing_after_the_first_bad_entry_matters() -> None:
    """AUD-4: the verifier stops where the damage is."""
    verifier = Verifier(TENANT)
    for row in DAMAGE["payload edited"][0](ROWS):
        verifier.feed(row)
    assert verifier.stopped
    assert verifier.through == 4


def test_progress_is_told() -> None:
    """The screens show a bar."""
    told: list[int] = []
    assert verify(chain(2500), TENANT, progress=told.append).ok
    assert told[-1] == 2000


def test_memory_does_not_grow_with_the_chain() -> None:
    """AUD-4: a long chain streams through; the tree keeps one hash for each level."""
    rows = chain(4000)

    def peak(repeat: list[Row]) -> int:
        tracemalloc.start()
        verify(iter(repeat), TENANT, [note(rows[:10])], TRUSTED)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(rows[:100])
    assert peak(rows) < peak(rows[:400]) + 16_384


def test_a_generator_is_enough() -> None:
    """Rows may come from anywhere, once."""

    def once() -> Iterator[Row]:
        yield from ROWS

    assert verify(once(), TENANT, [note(ROWS)], [SIGNER.log(ORIGIN)]).ok
