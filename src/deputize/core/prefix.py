"""What stands for the oldest part of a chain once it has gone: its size, its end, and the proof of both (AUD-5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deputize.core.merkle import Tree, root_from


@dataclass(frozen=True, slots=True)
class Prefix:
    """The first `size` entries, none of which is kept.

    `last` is the hash of entry `size` (the next entry's `prev`), `peaks` the right edge of the tree over them,
    `path` the audit path of entry `size` in it. Nothing here is believed: the verifier holds the tree that begins with
    it against the checkpoints that were signed over those entries or more.
    """

    size: int
    last: str
    peaks: tuple[bytes, ...]
    path: tuple[bytes, ...]

    def tree(self) -> Tree:
        """The tree as it stood at the end of the prefix."""
        return Tree(self.size, self.peaks)

    def said(self) -> dict[str, Any]:
        """As it stands in the entry of a pruning and in the manifest of a pack."""
        return {
            "through": self.size,
            "last": self.last,
            "peaks": [peak.hex() for peak in self.peaks],
            "path": [item.hex() for item in self.path],
        }


def read_prefix(said: Any) -> Prefix:
    """Read it back. Raises ValueError where a part is malformed, or `last` is not the end of what `peaks` stand for."""
    try:
        size, last = said["through"], said["last"]
        peaks, path = _hashes(said["peaks"]), _hashes(said["path"])
        if type(size) is not int or size < 1:
            raise ValueError("the size is no count")
        root = Tree(size, peaks).root()
        if root_from(_hash(last), size - 1, size, path) != root:
            raise ValueError("the last entry is not the end of the tree")
    except (KeyError, TypeError):
        raise ValueError("a part is missing") from None
    return Prefix(size, last, peaks, path)


def _hashes(items: Sequence[str]) -> tuple[bytes, ...]:
    if not isinstance(items, list):
        raise ValueError("a list of hashes is no list")
    return tuple(_hash(item) for item in items)


def _hash(item: str) -> bytes:
    raw = bytes.fromhex(item)
    if len(raw) != 32 or raw.hex() != item:
        raise ValueError("a hash is malformed")
    return raw
