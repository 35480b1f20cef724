"""Bars of a chart: lengths in thousandths of the longest, so that a template only draws."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: what it is called, its value, and the value in words. `length` is set by `bars`, 0 to 1000."""

    name: str
    value: int
    shown: str
    length: int = 0


def bars(given: Sequence[Bar]) -> list[Bar]:
    """The same bars with their lengths; nothing is shorter than a sliver unless it is nothing."""
    longest = max((bar.value for bar in given), default=0)
    return [
        Bar(bar.name, bar.value, bar.shown, max(4, bar.value * 1000 // longest) if bar.value > 0 else 0)
        for bar in given
    ]
