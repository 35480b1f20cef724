"""When an automation may run and how far it may go: working hours, caps, thresholds, backoff (AUTO-3)."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from deputize.core.automation import Automation, Policy
from deputize.core.effect import RowImage

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HOURS = re.compile(r"([a-z]{3}(?:-[a-z]{3})?(?:,[a-z]{3}(?:-[a-z]{3})?)*) ([0-2]\d:[0-5]\d)-([0-2]\d:[0-5]\d)")
_FENCE = re.compile(r"^```(?:json)?[ \t]*\r?\n(.*?)\r?\n?```$", re.DOTALL)
BACKOFF_SECONDS = 2.0
BACKOFF_LONGEST = 600.0
MAX_CONCURRENCY = 64
MAX_CAP = 1_000_000


@dataclass(frozen=True, slots=True)
class Hours:
    """Days of the week (0 is Monday) and a span of local time; a span over midnight belongs to its first day."""

    days: frozenset[int]
    begins: time
    ends: time


@dataclass(frozen=True, slots=True)
class Wait:
    """The event waits, no attempt is counted; `until` (UTC) is when to look again."""

    reason: str
    until: datetime


def parse_hours(text: str) -> Hours | None:
    """`*` (None: always) or such as `mon-fri 08:00-18:00`, `mon,wed-fri 22:00-06:00`. Raises ValueError."""
    plain = " ".join(text.lower().split())
    if plain == "*":
        return None
    match = _HOURS.fullmatch(plain)
    if match is None:
        raise ValueError("working hours are `*` or such as `mon-fri 08:00-18:00`")
    days: set[int] = set()
    for part in match[1].split(","):
        first, _, last = part.partition("-")
        if first not in DAYS or (last and last not in DAYS):
            raise ValueError("the days are mon, tue, wed, thu, fri, sat, sun")
        begin, end = DAYS.index(first), DAYS.index(last or first)
        days |= {day % 7 for day in range(begin, end + 1 if end >= begin else end + 8)}
    begins, ends = _time(match[2]), _time(match[3])
    if begins == ends:
        raise ValueError("the span is empty")
    return Hours(frozenset(days), begins, ends)


def _time(text: str) -> time:
    hours, minutes = int(text[:2]), int(text[3:])
    if hours > 23:
        raise ValueError("an hour is at most 23")
    return time(hours, minutes)


def zone_of(name: str) -> ZoneInfo:
    """The zone of an IANA name. Raises ValueError for an unknown one."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("the time zone is not known") from None


def opens_at(text: str, time_zone: str, now: datetime) -> datetime | None:
    """None within working hours; otherwise the moment (UTC) at which they next begin. Raises ValueError."""
    hours = parse_hours(text)
    if hours is None:
        return None
    zone = zone_of(time_zone)
    local = now.astimezone(zone)
    over_midnight = hours.ends < hours.begins
    for back in (1, 0):
        day = local.date() - timedelta(days=back)
        if day.weekday() not in hours.days:
            continue
        starts = datetime.combine(day, hours.begins, zone)
        stops = datetime.combine(day + timedelta(days=over_midnight), hours.ends, zone)
        if starts.astimezone(UTC) <= now < stops.astimezone(UTC):
            return None
    coming = (local.date() + timedelta(days=n) for n in range(8))
    starts_at = (datetime.combine(day, hours.begins, zone) for day in coming if day.weekday() in hours.days)
    return next(begin.astimezone(UTC) for begin in starts_at if begin.astimezone(UTC) > now)


def day_of(time_zone: str, now: datetime) -> tuple[datetime, datetime]:
    """The local day around `now`: its midnight and the next, in UTC. Raises ValueError for an unknown zone."""
    zone = zone_of(time_zone)
    today = now.astimezone(zone).date()
    following = today + timedelta(days=1)
    return tuple(datetime.combine(day, time(), zone).astimezone(UTC) for day in (today, following))  # type: ignore[return-value]  # two of them


def may_start(policy: Policy, now: datetime, passes_today: int, under_way: int) -> Wait | None:
    """None where a pass may begin now; otherwise why and until when its event waits (AUTO-3)."""
    if not policy.enabled:
        return Wait("switched_off", now)
    opens = opens_at(policy.working_hours, policy.time_zone, now)
    if opens is not None:
        return Wait("outside_working_hours", opens)
    if policy.daily_cap is not None and passes_today >= policy.daily_cap:
        return Wait("daily_cap", day_of(policy.time_zone, now)[1])
    if under_way >= policy.concurrency:
        return Wait("concurrency", now)
    return None


def faults_of(policy: Policy, declared: Collection[str], grades: Sequence[str]) -> list[tuple[str, str]]:
    """(field, rule) of everything that is wrong with a policy; `declared` are the fields the automation may touch."""
    faults: list[tuple[str, str]] = []
    if not set(policy.allowed) <= set(declared):
        faults.append(("allowedFields", f"only of {', '.join(sorted(declared)) or 'nothing'}"))
    if policy.daily_cap is not None and not 0 <= policy.daily_cap <= MAX_CAP:
        faults.append(("dailyCap", f"0 to {MAX_CAP}, or null for no cap"))
    if policy.threshold is not None and policy.threshold not in grades:
        faults.append(("flagThreshold", f"one of {', '.join(grades) or 'nothing'}, or null"))
    if not 1 <= policy.concurrency <= MAX_CONCURRENCY:
        faults.append(("concurrency", f"1 to {MAX_CONCURRENCY}"))
    for field, check, text in (
        ("workingHours", parse_hours, policy.working_hours),
        ("timeZone", zone_of, policy.time_zone),
    ):
        try:
            check(text)
        except ValueError as error:
            faults.append((field, str(error)))
    return faults


def declared_faults(automations: Sequence[Automation[Any, Any]], kinds: Collection[str]) -> list[str]:
    """What is wrong with the declarations of automations; `kinds` are the entities that are declared."""
    names, events = [one.name for one in automations], [one.on for one in automations]
    faults = [f"automation {name}: the name is declared twice" for name in _twice(names)]
    faults += [f"event {on}: two automations wait for it" for on in _twice(events)]
    for one in automations:
        faults += [f"automation {one.name}: {fault}" for fault in _own_faults(one, kinds)]
    return faults


def _twice(words: Sequence[str]) -> list[str]:
    return sorted({word for word in words if words.count(word) > 1})


def _own_faults(one: Automation[Any, Any], kinds: Collection[str]) -> Iterable[str]:
    if one.entity not in kinds:
        yield f"its subject's entity {one.entity!r} is not declared"
    if not one.capability:
        yield "it names no capability"
    for field in (one.graded, one.flag):
        if field is not None and field not in one.answer.model_fields:
            yield f"its answer has no field {field!r}"
    if one.answer.model_config.get("extra") != "forbid":
        yield "its answer must forbid unknown fields"
    try:
        zone_of(one.time_zone)
    except ValueError as error:
        yield str(error)


def flagged(policy: Policy, grades: Sequence[str], suggested: Any) -> bool:
    """Whether the suggested value is at or above the policy's threshold, so that it is flagged anyway."""
    if policy.threshold not in grades or suggested not in grades:
        return False
    return grades.index(suggested) >= grades.index(policy.threshold)


def read_answer(text: str) -> Any:
    """The one JSON object of a model's text, in a code fence or not. Raises ValueError; nothing is repaired."""
    plain = text.strip()
    fenced = _FENCE.match(plain)
    value = json.loads(fenced[1] if fenced else plain, parse_constant=_no_constant)
    if not isinstance(value, dict):
        raise ValueError("the answer is not an object")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def overstepped(
    rows: Iterable[RowImage],
    *,
    table: str,
    subject: str,
    fields: Collection[str],
    keeps: Collection[str],
    free: Collection[str] = (),
) -> str | None:
    """What a pass changed beyond its policy, as `table` or `table.column`; None where all is within it (AUTO-6).

    Of the subject's own row only `fields` may differ, beside what the write itself generates and the columns
    in `free` (version, volatile); rows of `keeps` may be inserted and changed; nothing is ever deleted.
    """
    for row in rows:
        if row.op == "delete":
            return str(row.table)
        if row.table in keeps and row.table != table:
            continue
        if row.table != table or row.id != subject or row.op != "update":
            return str(row.table)
        for column in sorted(_changed(row.before or {}, row.after or {})):
            if column not in fields and column not in free and column not in row.assigned:
                return f"{row.table}.{column}"
    return None


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def backoff(attempts: int, dice: float) -> float:
    """Seconds before the next attempt after `attempts` (1 or more) failed ones; `dice` in 0 to 1 spreads them."""
    plain = BACKOFF_SECONDS * 2.0 ** min(attempts - 1, 20)
    return float(min(plain, BACKOFF_LONGEST)) * (0.5 + dice)
