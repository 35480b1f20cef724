"""Sets of sequence numbers kept as sorted, disjoint ranges, so that long erasures take no memory."""

from bisect import bisect_left, bisect_right


class Ranges:
    """A set of positive integers; both ends of a range belong to it."""

    __slots__ = ("_ends", "_starts", "count")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self.count = 0
        """How many numbers are in the set."""

    def add(self, first: int, last: int) -> None:
        """Add `first` to `last`, merging with what touches them."""
        low = bisect_left(self._ends, first - 1)
        high = bisect_right(self._starts, last + 1)
        if low < high:
            first = min(first, self._starts[low])
            last = max(last, self._ends[high - 1])
        gone = sum(self._ends[i] - self._starts[i] + 1 for i in range(low, high))
        self._starts[low:high] = [first]
        self._ends[low:high] = [last]
        self.count += last - first + 1 - gone

    def pairs(self) -> list[tuple[int, int]]:
        """The ranges, in order."""
        return list(zip(self._starts, self._ends, strict=True))

    def first_outside(self, other: "Ranges") -> int | None:
        """The smallest number that is here and not in `other`."""
        for first, last in self.pairs():
            at = bisect_left(other._ends, first)
            if at == len(other._starts) or other._starts[at] > first:
                return first
            if other._ends[at] < last:
                return other._ends[at] + 1
        return None
