"""The RFC 6962 tree over entry hashes: a root that grows entry by entry, and proofs of inclusion."""

import hashlib
from collections.abc import Sequence

EMPTY_ROOT = hashlib.sha256(b"").digest()
_sha256 = hashlib.sha256


def leaf(data: bytes) -> bytes:
    """Hash of a leaf (RFC 6962, section 2.1)."""
    return _sha256(b"\x00" + data).digest()


def node(left: bytes, right: bytes) -> bytes:
    """Hash of an inner node."""
    return _sha256(b"\x01" + left + right).digest()


class Tree:
    """The right edge of a tree: roots of its complete subtrees, largest first; log2(size) hashes in memory."""

    __slots__ = ("peaks", "size")

    def __init__(self, size: int = 0, peaks: Sequence[bytes] = ()) -> None:
        if size < 0 or len(peaks) != size.bit_count() or any(len(peak) != 32 for peak in peaks):
            raise ValueError("peaks do not fit the size")
        self.size = size
        self.peaks = list(peaks)

    def append(self, data: bytes) -> None:
        """Add one leaf (the 32 raw bytes of an entry's hash)."""
        carry = _sha256(b"\x00" + data).digest()
        size = self.size
        peaks = self.peaks
        while size & 1:
            carry = _sha256(b"\x01" + peaks.pop() + carry).digest()
            size >>= 1
        peaks.append(carry)
        self.size += 1

    def root(self) -> bytes:
        """The root as it is now; SHA-256 of nothing for an empty tree."""
        if not self.peaks:
            return EMPTY_ROOT
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = node(peak, root)
        return root


def levels(leaves: Sequence[bytes], before: Tree | None = None) -> list[list[bytes]]:
    """All levels of the tree over raw leaf data, an odd last node carried up unchanged; for `inclusion`.

    `before` stands for the leaves that come first and are no longer kept: the nodes above them are empty but
    for those that the paths of the others need.
    """
    gone = 0 if before is None else before.size
    edge = [] if before is None else list(before.peaks)
    level = [b""] * gone + [leaf(data) for data in leaves]
    out = [level]
    while True:
        if gone & 1:
            level[gone - 1] = edge.pop()
        if len(level) <= 1:
            return out
        paired = [_above(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        if len(level) % 2:
            paired.append(level[-1])
        level = paired
        gone >>= 1
        out.append(level)


def _above(left: bytes, right: bytes) -> bytes:
    return node(left, right) if left and right else b""


def inclusion(tree: Sequence[Sequence[bytes]], index: int) -> list[bytes]:
    """The audit path of leaf `index` (from 0) in the tree given by its `levels` (RFC 6962, section 2.1.1)."""
    if not 0 <= index < len(tree[0]):
        raise ValueError("no such leaf")
    path = []
    for level in tree[:-1]:
        sibling = index ^ 1
        if sibling < len(level):
            path.append(level[sibling])
        index >>= 1
    return path


def root_from(data: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that an audit path leads to (RFC 9162, section 2.1.3.2); None where the path does not fit."""
    if not 0 <= index < size:
        return None
    at, last = index, size - 1
    root = leaf(data)
    for sibling in path:
        if last == 0:
            return None
        if at & 1 or at == last:
            root = node(sibling, root)
            while not at & 1 and at:
                at >>= 1
                last >>= 1
        else:
            root = node(root, sibling)
        at >>= 1
        last >>= 1
    return root if last == 0 else None
