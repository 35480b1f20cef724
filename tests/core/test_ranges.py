"""Ranges behave as the sets that they stand for."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from deputize.core.ranges import Ranges

SPANS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 8)), max_size=12)


def both(spans: list[tuple[int, int]]) -> tuple[Ranges, set[int]]:
    ranges, plain = Ranges(), set()
    for first, more in spans:
        ranges.add(first, first + more)
        plain |= set(range(first, first + more + 1))
    return ranges, plain


@given(SPANS, SPANS)
def test_like_sets(some: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    """AUD-5: the first blank that no erasure covers is found."""
    (ranges, plain), (other, other_plain) = both(some), both(others)
    assert ranges.count == len(plain)
    pairs = ranges.pairs()
    assert {number for first, last in pairs for number in range(first, last + 1)} == plain
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(pairs))
    assert ranges.first_outside(other) == min(plain - other_plain, default=None)
