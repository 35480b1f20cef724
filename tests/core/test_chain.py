"""Canonical JSON and the frozen form of entries (AUD-1)."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from deputize.core.chain import (
    GENESIS,
    Draft,
    Finding,
    NotCanonical,
    Verdict,
    canonical,
    entry_hash,
    header,
    payload_hash,
)

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "chain.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("entry", VECTORS["entries"], ids=lambda entry: entry["hash"][:8])
def test_the_writer_makes_the_frozen_bytes(entry: dict[str, Any]) -> None:
    """AUD-1, against vectors that a separate script made from the documents alone."""
    said = json.loads(entry["header"])
    salt = bytes.fromhex(entry["salt"])
    payload = canonical(entry["value"])
    assert payload == entry["payload"].encode()
    assert payload_hash(salt, payload) == said["payload"]
    text = header(
        tenant=VECTORS["tenant"],
        seq=said["seq"],
        at=said["at"],
        draft=Draft(said["kind"], said["actor"], {}, said["run"]),
        payload=said["payload"],
        prev=said["prev"],
    )
    assert text == entry["header"].encode()
    assert entry_hash(text) == entry["hash"]


def test_the_vectors_are_one_chain() -> None:
    """AUD-1: each entry names the hash of the one before it."""
    hashes = [GENESIS, *(entry["hash"] for entry in VECTORS["entries"])]
    assert [json.loads(entry["header"])["prev"] for entry in VECTORS["entries"]] == hashes[:-1]


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": 1.5}, "a"),
        ({"a": float("nan")}, "a"),
        ({"a": [0, {"b": 2**53}]}, "a[1].b"),
        ({"a": -(2**53)}, "a"),
        ({"ñ": 1}, ""),
        ({"a": {"tab\t": 1}}, "a"),
        ({1: 2}, ""),
        ({"a": datetime(2026, 1, 1, tzinfo=UTC)}, "a"),
        ({"a": b"x"}, "a"),
        ({"a": {1, 2}}, "a"),
        ({"a": "\ud800"}, ""),
        (nested(65), "[0]" * 64),
    ],
)
def test_what_has_no_canonical_form_is_refused_by_place(value: Any, path: str) -> None:
    """AUD-1: typed, naming the place and never the value."""
    with pytest.raises(NotCanonical) as refused:
        canonical(value)
    assert refused.value.path == path
    assert "1.5" not in str(refused.value)


def test_subclasses_do_not_slip_through() -> None:
    """AUD-1: an enum or a flag that prints otherwise than it compares is refused."""

    class Loud(int):
        def __repr__(self) -> str:
            return "loud"

    with pytest.raises(NotCanonical):
        canonical({"a": Loud(3)})


def test_bounds_that_still_fit() -> None:
    """AUD-1: the largest integers and the deepest nesting."""
    assert canonical([2**53 - 1, -(2**53) + 1]) == b"[9007199254740991,-9007199254740991]"
    assert canonical(nested(64)) == b"[" * 64 + b"1" + b"]" * 64


def test_verdicts_in_words() -> None:
    """AUD-4: the four answers."""
    assert str(Verdict(Finding.VERIFIED, 7)) == "verified through 7"
    assert str(Verdict(Finding.TAMPERED, 3, 4, "the payload was edited")) == "tampered at 4 (the payload was edited)"
    assert str(Verdict(Finding.TRUNCATED, 3, damage="x")) == "truncated after 3 (x)"
    assert str(Verdict(Finding.UNVERIFIABLE, 0, damage="no key")) == "unverifiable (no key)"
    assert Verdict(Finding.VERIFIED, 7).ok
    assert not Verdict(Finding.TRUNCATED, 7).ok
