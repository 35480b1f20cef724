"""How a day's hours are resolved and what is left free: pure functions over ranges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Literal, TypeVar
from uuid import UUID

T = TypeVar("T", int, datetime)

Range = tuple[int, int]
"""Minutes since local midnight: from, until."""


@dataclass(frozen=True, slots=True)
class Closing:
    """An override as resolved: days, both included; ranges are empty when closed."""

    first_day: date
    last_day: date
    ranges: tuple[Range, ...]
    reason: str = ""


Source = Literal["weekly", "override", "clinic"]


@dataclass(frozen=True, slots=True)
class Plan:
    """Weekly ranges by weekday and exceptions of one owner. `given` is False where nothing was ever entered."""

    weekly: dict[int, tuple[Range, ...]] = field(default_factory=dict)
    exceptions: tuple[Closing, ...] = ()

    @property
    def given(self) -> bool:
        """The owner has hours of their own."""
        return bool(self.weekly)

    def on(self, day: date) -> Closing | None:
        """The exception that covers the day."""
        return next((e for e in self.exceptions if e.first_day <= day <= e.last_day), None)


@dataclass(frozen=True, slots=True)
class Day:
    """A resolved day: its open ranges, what decided them, and the exception's reason if there is one."""

    ranges: tuple[Range, ...]
    source: Source
    reason: str = ""


def merge(ranges: Iterable[tuple[T, T]]) -> tuple[tuple[T, T], ...]:
    """Sorted, without overlap; touching ranges become one."""
    merged: list[tuple[T, T]] = []
    for start, end in sorted(r for r in ranges if r[0] < r[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def intersect(one: Sequence[tuple[T, T]], two: Sequence[tuple[T, T]]) -> tuple[tuple[T, T], ...]:
    """What lies in both."""
    return merge((max(a, c), min(b, d)) for a, b in one for c, d in two)


def subtract(ranges: Sequence[tuple[T, T]], busy: Iterable[tuple[T, T]]) -> tuple[tuple[T, T], ...]:
    """What is left of the ranges without the busy times."""
    left = list(merge(ranges))
    for start, end in merge(busy):
        left = [piece for a, b in left for piece in ((a, min(b, start)), (max(a, end), b)) if piece[0] < piece[1]]
    return tuple(left)


def resolve(day: date, clinic: Plan, professional: Plan | None = None) -> Day:
    """Clinic exception over clinic week; then professional exception over professional week; then both at once.

    A professional without a week of their own has the clinic's hours.
    """
    closed = clinic.on(day)
    base = Day(merge(closed.ranges), "override", closed.reason) if closed else _week(day, clinic, "clinic")
    if professional is None:
        return base if closed else Day(base.ranges, "weekly")
    own = professional.on(day)
    if own is not None:
        return Day(intersect(base.ranges, merge(own.ranges)), "override", own.reason or base.reason)
    if not professional.given:
        return Day(base.ranges, base.source, base.reason)
    mine = _week(day, professional, "weekly")
    return Day(intersect(base.ranges, mine.ranges), base.source if closed else "weekly", base.reason)


def _week(day: date, plan: Plan, source: Source) -> Day:
    return Day(merge(plan.weekly.get(day.weekday(), ())), source)


@dataclass(frozen=True, slots=True)
class Gap:
    """Free time of one professional, UTC."""

    professional_id: UUID
    start: datetime
    end: datetime

    def nearest(self, wanted: datetime, minutes: int) -> tuple[datetime, datetime] | None:
        """The place for `minutes` in this gap that begins closest to `wanted`, or None if it is too short."""
        length = timedelta(minutes=minutes)
        if self.end - self.start < length:
            return None
        start = min(max(wanted, self.start), self.end - length)
        return start, start + length
