"""The tree against RFC 6962's own recursive definition and published values."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize.core.merkle import EMPTY_ROOT, Tree, inclusion, levels, root_from

PUBLISHED = [
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
]
"""The leaves of the reference tree of Certificate Transparency's own tests, and its root below."""
PUBLISHED_ROOT = "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"


def naive(leaves: list[bytes]) -> bytes:
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + naive(leaves[:split]) + naive(leaves[split:])).digest()


def grown(leaves: list[bytes]) -> Tree:
    tree = Tree()
    for data in leaves:
        tree.append(data)
    return tree


def test_published_root() -> None:
    """AUD-4: the eight-leaf tree that other implementations test against."""
    assert grown([bytes.fromhex(leaf) for leaf in PUBLISHED]).root().hex() == PUBLISHED_ROOT


@given(st.lists(st.binary(max_size=8), max_size=40))
def test_root_and_proofs_follow_the_definition(leaves: list[bytes]) -> None:
    """AUD-6: every leaf's proof leads to the root, and to no other leaf, place or size."""
    tree = grown(leaves)
    assert tree.root() == naive(leaves)
    assert Tree(tree.size, tree.peaks).root() == tree.root()
    every = levels(leaves)
    for index, data in enumerate(leaves):
        path = inclusion(every, index)
        assert root_from(data, index, len(leaves), path) == tree.root()
        assert root_from(data + b"x", index, len(leaves), path) != tree.root()
        assert root_from(data, index, len(leaves), [*path, b"x" * 32]) is None
        if path:
            assert root_from(data, index, len(leaves), path[:-1]) != tree.root()


def test_frozen_paths() -> None:
    """AUD-6, against vectors that a separate script made."""
    vectors = json.loads((Path(__file__).parent.parent / "vectors" / "chain.json").read_text(encoding="utf-8"))
    leaves = [bytes.fromhex(entry["hash"]) for entry in vectors["entries"]]
    every = levels(leaves)
    for index in range(len(leaves)):
        assert [item.hex() for item in inclusion(every, index)] == vectors["paths"][str(index)]


def test_bad_figures() -> None:
    """Sizes, peaks and places that cannot be."""
    assert Tree().root() == EMPTY_ROOT
    for size, peaks in ((1, []), (2, [b"x" * 32] * 2), (-1, []), (1, [b"short"])):
        with pytest.raises(ValueError, match="peaks"):
            Tree(size, peaks)
    with pytest.raises(ValueError, match="leaf"):
        inclusion(levels([b"a"]), 1)
    assert root_from(b"a", 1, 1, []) is None
    assert root_from(b"a", -1, 1, []) is None


@given(st.integers(1, 70), st.integers(0, 70), st.data())
def test_paths_beyond_a_prefix_that_is_no_longer_kept(gone: int, more: int, data: st.DataObject) -> None:
    """AUD-5: with the edge of what is gone, each later leaf has the very path that it had with all of them."""
    leaves = [index.to_bytes(32, "big") for index in range(gone + more)]
    before = Tree()
    for item in leaves[:gone]:
        before.append(item)
    whole, part = levels(leaves), levels(leaves[gone:], before)
    assert part[-1] == whole[-1]
    if more:
        index = data.draw(st.integers(gone, gone + more - 1))
        assert inclusion(part, index) == inclusion(whole, index)
