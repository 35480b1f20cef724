"""Finds records in results by the paths that a tool declares to yield ids, and matches them with people's words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from deputize.core.provider import ToolSchema
from deputize.providers.offline.words import PLACEHOLDER, digits, squash, stem

_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_CLOCK = re.compile(r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Record:
    """An id with the mapping it stands in; `parents` are the mappings around it, nearest first.

    `ids` are the keys of `data` that hold ids of any kind, for hiding them.
    """

    kind: str
    id: str
    data: Mapping[str, Any]
    ids: tuple[str, ...] = ()
    parents: tuple[Mapping[str, Any], ...] = ()


def records(tool: ToolSchema, result: Any, kind: str | None = None) -> list[Record]:
    """All records in `result` by the tool's `yields`, of one kind or of all, without repetition of an id."""
    found: dict[tuple[str, str, int], Record] = {}
    for path, of in tool.yields.items():
        if kind is not None and of != kind:
            continue
        *way, key = path.split(".")
        if key == "*":
            continue
        for holder, parents in _holders(result, way, ()):
            if holder.get(key) is not None:
                ids = tuple(k.split(".")[-1] for k in tool.yields if k.split(".")[:-1] == way)
                record = Record(of, str(holder[key]), holder, ids, parents)
                found.setdefault((of, record.id, id(holder)), record)
    return list(found.values())


def _holders(
    data: Any, way: Sequence[str], parents: tuple[Mapping[str, Any], ...]
) -> Iterator[tuple[Mapping[str, Any], tuple[Mapping[str, Any], ...]]]:
    if not way:
        if isinstance(data, dict):
            yield data, parents
        return
    head, rest = way[0], way[1:]
    if head == "*":
        for item in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
            yield from _holders(item, rest, parents)
    elif isinstance(data, dict) and head in data:
        yield from _holders(data[head], rest, (data, *parents))


def distinct(found: Sequence[Record]) -> list[Record]:
    """One record for each id, the first."""
    return list({r.id: r for r in reversed(found)}.values())[::-1]


def strings(data: Any) -> Iterator[str]:
    """All texts and numbers inside, depth first."""
    if isinstance(data, dict):
        for value in data.values():
            yield from strings(value)
    elif isinstance(data, list):
        for value in data:
            yield from strings(value)
    elif isinstance(data, str):
        yield data
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield str(data)


def matches(record: Record, wanted: str) -> bool:
    """True where every word of `wanted` begins some word of the record; placeholders and numbers count whole."""
    hay = [*strings(record.data), record.id]
    token = PLACEHOLDER.fullmatch(wanted.strip())
    if token:
        return any(wanted.strip() in value for value in hay)
    if len(digits(wanted)) >= 6 and any(digits(wanted) in digits(value) for value in hay):
        return True
    have = " ".join(squash(value) for value in hay if not _ISO.fullmatch(value)).split()
    return all(any(_begins(word, part) for word in have) for part in squash(wanted).split())


def _begins(word: str, part: str) -> bool:
    return word == part or (len(part) >= 4 and word.startswith(part))


def exact(record: Record, wanted: str) -> bool:
    """True where the wanted words are whole words of the record."""
    have = set(" ".join(squash(value) for value in strings(record.data)).split())
    return set(squash(wanted).split()) <= have or any(wanted == v for v in strings(record.data))


def stem_of(word: str) -> str:
    """The stem by which a record's word is compared with a spoken one."""
    return stem(word)


def fully(record: Record, wanted: str) -> bool:
    """True where the wanted words are all of one text of the record, or of its first two texts together."""
    texts = [squash(v) for v in record.data.values() if isinstance(v, str)]
    goal = squash(wanted)
    return bool(goal) and (goal in texts or any(f"{a} {b}" == goal for a in texts for b in texts if a != b))


def moment(value: Any) -> datetime | date | None:
    """The moment or day that a text holds in ISO form, or None."""
    if not isinstance(value, str) or not _ISO.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None


def is_clock(value: Any) -> bool:
    """True for an hour without a day, `09:30` or `09:30:00`."""
    return isinstance(value, str) and _CLOCK.fullmatch(value) is not None


@dataclass(frozen=True, slots=True)
class Slot:
    """A stretch of time in a result, with the ids that stand beside or above it, by entity kind."""

    start: datetime
    end: datetime | None
    ids: Mapping[str, str]
    data: Mapping[str, Any]


def slots(tool: ToolSchema, result: Any, local: Any) -> list[Slot]:
    """All mappings of `result` that hold a moment, in time order; `local` turns a moment into naive local time."""
    by_place: dict[int, dict[str, str]] = {}
    for path, kind in tool.yields.items():
        *way, key = path.split(".")
        for holder, _ in _holders(result, way, ()):
            if holder.get(key) is not None:
                by_place.setdefault(id(holder), {})[kind] = str(holder[key])
    found = list(_slots(result, by_place, {}, local, None))
    return sorted(found, key=lambda s: s.start)


def _slots(
    data: Any, places: Mapping[int, Mapping[str, str]], ids: Mapping[str, str], local: Any, day: date | None
) -> Iterator[Slot]:
    if isinstance(data, list):
        for item in data:
            yield from _slots(item, places, ids, local, day)
    elif isinstance(data, dict):
        ids = {**ids, **places.get(id(data), {})}
        days = [m for m in map(moment, data.values()) if m is not None and not isinstance(m, datetime)]
        day = days[0] if days else day
        times = [local(m) for m in map(moment, data.values()) if isinstance(m, datetime)]
        if not times and day:
            times = [
                datetime.combine(day, datetime.strptime(v[:5], "%H:%M").time()) for v in data.values() if is_clock(v)
            ]
        if times:
            yield Slot(times[0], times[1] if len(times) > 1 and times[1] > times[0] else None, ids, data)
        for value in data.values():
            if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
                for text in value:
                    at = moment(text)
                    if isinstance(at, datetime):
                        yield Slot(local(at), None, ids, data)
            elif isinstance(value, dict | list):
                yield from _slots(value, places, ids, local, day)
