"""Sorts the times of a goal into those that find a record and those that become arguments."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from deputize.providers.offline.moves import Goal
from deputize.providers.offline.schema import args_of
from deputize.providers.offline.times import When, in_part

_NOW = frozenset({"=arrived", "=treating", "=noshow"})
"""What is said of somebody on the day itself."""


@dataclass(frozen=True, slots=True)
class Times:
    """`source` says when the sought record is, `value` what the arguments shall be, `second` a later bound."""

    source: When | None = None
    value: When | None = None
    second: When | None = None


def times_of(goal: Goal, finds_by_day: bool, today: date) -> Times:
    """`finds_by_day`: the goal's target is found by its day (an appointment in an agenda)."""
    roles = {a.role for a in args_of(goal.tool)}
    takes = bool(roles & {"datetime", "date", "time"})
    spoken = [w for s in goal.said for w in s.whens]
    if not finds_by_day:
        found = _values(spoken)
    elif not takes:
        found = Times(source=_combine(spoken))
    else:
        found = _split(spoken)
    if finds_by_day and found.source is None and any(s.about(_NOW) for s in goal.said):
        found = replace(found, source=When(0, 0, day=today))
    for ask, speech in goal.answers:
        found = _answered(found, ask.sort, speech.whens)
    return found


def _answered(found: Times, sort: str, whens: Sequence[When]) -> Times:
    if not whens:
        return found
    if sort == "day":
        return replace(found, source=over(found.source, whens))
    if sort == "when":
        return replace(found, value=over(found.value, whens))
    return found


def over(old: When | None, whens: Sequence[When]) -> When | None:
    """`old` with what the new sentence says put over it, part by part."""
    new = _combine(whens)
    if new is None or old is None:
        return new or old
    part = new.part or (old.part if new.day is None else None)
    at = new.at or (old.at if new.part is None else None)
    day, last = (new.day, new.last) if new.day else (old.day, old.last)
    return in_part(
        replace(new, day=day, last=last, at=at, part=part, edge=new.edge or (old.edge if not new.at else None))
    )


def _combine(whens: Sequence[When]) -> When | None:
    if not whens:
        return None
    found = whens[0]
    for when in whens[1:]:
        found = replace(
            found,
            day=found.day or when.day,
            last=found.last or when.last,
            at=found.at or when.at,
            part=found.part or when.part,
            edge=found.edge or when.edge,
        )
    return in_part(found)


def _values(whens: Sequence[When]) -> Times:
    dated = [w for w in whens if w.day]
    clocked = [w for w in whens if w.at]
    second = dated[1] if len(dated) > 1 else None
    if second is None and len(clocked) > 1 and len(dated) <= 1:
        second = clocked[1]
    rest = [w for w in whens if w is not second]
    return Times(value=_combine(rest), second=second)


def _split(whens: Sequence[When]) -> Times:
    """Of a move: from where to where."""
    if not whens:
        return Times()
    source = next((w for w in whens if w.role == "from"), None)
    rest = [w for w in whens if w is not source]
    if source is None and sum(w.day is not None for w in whens) > 1:
        source, rest = whens[0], list(whens[1:])
        if source.role == "to":
            source, rest = whens[-1], list(whens[:-1])
    value = _combine(rest)
    if source is not None and value is None and source.at:
        return Times(replace(source, at=None, part=None), replace(source, part=None))
    if source is not None and value is not None and value.day is None:
        value = replace(value, day=source.day)
    return Times(source, value)
