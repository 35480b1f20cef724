"""A found stretch of text, and the rule by which overlapping finds become one."""

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` hold a value of this kind; `subject` is the person if exactly one is meant.

    `rank` orders layers: what is known outranks a checked pattern, which outranks a guess.
    """

    start: int
    end: int
    kind: str
    subject: str | None = None
    rank: int = 0

    def moved(self, start: int, end: int) -> "Span":
        """The same find over other characters."""
        return self if (start, end) == (self.start, self.end) else replace(self, start=start, end=end)


KNOWN, PATTERN, GUESS = 3, 2, 1


def settle(spans: Iterable[Span]) -> list[Span]:
    """Disjoint spans in order that together cover every character any span covered (nothing is left in clear).

    Among overlapping spans the highest rank decides the kind, then the longest, then the first; what the
    loser covers outside the winner stays a span of its own.
    """
    kept: list[Span] = []
    for span in sorted(spans, key=lambda one: (-one.rank, one.start - one.end, one.start)):
        pieces = [span]
        for winner in kept:
            pieces = [part for piece in pieces for part in _minus(piece, winner)]
        kept.extend(pieces)
    return sorted(kept, key=lambda one: one.start)


def _minus(span: Span, winner: Span) -> list[Span]:
    if span.end <= winner.start or span.start >= winner.end:
        return [span]
    parts = []
    if span.start < winner.start:
        parts.append(replace(span, end=winner.start, subject=None))
    if span.end > winner.end:
        parts.append(replace(span, start=winner.end, subject=None))
    return parts
