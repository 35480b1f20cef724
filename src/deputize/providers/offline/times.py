"""Finds the days and hours that a sentence names and places them relative to now, in the tenant's zone."""

import calendar
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from deputize.providers.offline import calendar_words as cw
from deputize.providers.offline.words import fold


@dataclass(frozen=True, slots=True)
class When:
    """A day, an hour, or both, as said at `start` to `end` of the text.

    `last` closes a range of days; `part` is a part of the day as (first hour, last hour); `role` is `from`
    or `to` where the words before say so; `edge` is `before` or `after` where the hour is a limit.
    """

    start: int
    end: int
    day: date | None = None
    last: date | None = None
    at: time | None = None
    until: time | None = None
    part: tuple[int, int] | None = None
    role: str | None = None
    edge: str | None = None

    @property
    def moment(self) -> datetime | None:
        """Day and hour together, naive local, if both are known."""
        return datetime.combine(self.day, self.at) if self.day and self.at else None


_GAP = re.compile(r"[\s,]*(?:\b(?:a|at|on|el|the|de|del|por|y|and|in|para|for|sobre)\b[\s,]*){0,2}")
_Build = Callable[[re.Match[str], datetime], When | None]


def find(text: str, now: datetime, language: str) -> list[When]:
    """All times named in `text` in order; `now` is local and naive. Neighbouring day and hour are joined."""
    folded = fold(text)
    other = cw.EN if language == "es" else ()
    taken: list[When] = []
    for kind, pattern in (*cw.SHARED, *(cw.ES if language == "es" else cw.EN), *other):
        for match in re.finditer(rf"(?<![\w/])(?:{pattern})(?![\w/])", folded):
            if any(match.start() < w.end and w.start < match.end() for w in taken):
                continue
            when = _build(kind, match, now)
            if when is not None:
                taken.append(when)
    taken.sort(key=lambda w: w.start)
    return [_role(w, folded) for w in _join(taken, folded)]


def duration(text: str) -> tuple[int, int, int] | None:
    """(minutes, start, end) of the first length of time named, or None."""
    match = re.search(rf"(?<!\w)(?:{cw.DURATION})", fold(text))
    if match is None or re.match(r"\s*(?:libre|disponible|free)", fold(text)[match.end() :]):
        return None
    if re.search(r"(?:dentro de|\ben|\bin|\blas?)\s*$", fold(text)[: match.start()]):
        return None
    unit = 60 if match["u"].startswith("h") else 1
    count = 0.5 if match["n"] in ("media", "half") else float(number(match["n"]) or 0)
    minutes = int(count * unit) + (unit // 2 if match["half"] else 0)
    return (minutes, match.start(), match.end()) if minutes else None


def number(word: str) -> int | None:
    """The value of a numeral or a number word of either language."""
    word = fold(word)
    return int(word) if word.isdigit() else cw.NUMBERS.get(word)


def _build(kind: str, match: re.Match[str], now: datetime) -> When | None:
    groups = {k: v for k, v in match.groupdict().items() if v is not None}
    blank = When(match.start(), match.end())
    try:
        if kind[-1].isdigit():
            return _counted(kind, blank, now.date())
        return _BUILDERS[kind](groups, now, blank)
    except ValueError:
        return None


def _counted(kind: str, blank: When, today: date) -> When:
    unit, shift = re.fullmatch(r"([a-z]+)([+-]?\d)", kind).groups()  # type: ignore[union-attr]  # kinds are ours
    by = int(shift)
    if unit == "day":
        return replace(blank, day=today + timedelta(days=by))
    if unit == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=by)
        return replace(blank, day=monday, last=monday + timedelta(days=6))
    if unit == "month":
        first = _add_months(today.replace(day=1), by)
        return replace(blank, day=first, last=_month_end(first))
    first = date(today.year + by, 1, 1)
    return replace(blank, day=first, last=date(first.year, 12, 31))


def _month_end(first: date) -> date:
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])


def _add_months(day: date, by: int) -> date:
    year, month = divmod(day.month - 1 + by, 12)
    year += day.year
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


_Groups = Mapping[str, str]


def _iso(g: _Groups, now: datetime, blank: When) -> When:
    at = time(int(g["H"]), int(g["M"])) if "H" in g else None
    return replace(blank, day=date(int(g["y"]), int(g["m"]), int(g["d"])), at=at)


def _upcoming(day: int, month: int, year: str | None, today: date) -> date:
    if year:
        return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
    found = date(today.year, month, day)
    return found if found >= today - timedelta(days=60) else date(today.year + 1, month, day)


def _slashed(g: _Groups, now: datetime, blank: When) -> When:
    day, month = int(g["d"]), int(g["m"])
    if month > 12 >= day:
        day, month = month, day
    return replace(blank, day=_upcoming(day, month, g.get("y"), now.date()))


def _month_day(g: _Groups, now: datetime, blank: When) -> When:
    day = 1 if g["d"] == "primero" else int(g["d"])
    return replace(blank, day=_upcoming(day, cw.MONTHS[g["m"]], g.get("y"), now.date()))


def _month_only(g: _Groups, now: datetime, blank: When) -> When:
    first = _upcoming(1, cw.MONTHS[g["m"]], g.get("y"), now.date())
    if "y" not in g and now.month == cw.MONTHS[g["m"]]:
        first = now.date().replace(day=1)
    return replace(blank, day=first, last=_month_end(first))


def _day_of(g: _Groups, now: datetime, blank: When) -> When:
    today = now.date()
    day = int(g["d"])
    month = today.replace(day=1) if day >= today.day else _add_months(today.replace(day=1), 1)
    return replace(blank, day=month.replace(day=day))


def _weekday(g: _Groups, now: datetime, blank: When) -> When:
    today = now.date()
    if "d" in g and "m" in g:
        return replace(blank, day=_upcoming(int(g["d"]), cw.MONTHS[g["m"]], None, today))
    wanted, said = cw.WEEKDAYS[g["w"]], (g.get("pre", "") + g.get("post", "")).strip()
    ahead = (wanted - today.weekday()) % 7
    if said in ("pasado", "last"):
        return replace(blank, day=today - timedelta(days=(today.weekday() - wanted) % 7 or 7))
    if "semana" in said or said == "next week":
        return replace(blank, day=today - timedelta(days=today.weekday()) + timedelta(days=7 + wanted))
    if "d" in g:
        near = next(
            (today + timedelta(days=n) for n in range(60) if _is(today + timedelta(days=n), wanted, g["d"])), None
        )
        if near:
            return replace(blank, day=near)
    if said in ("este", "this"):
        return replace(blank, day=today + timedelta(days=ahead))
    return replace(blank, day=today + timedelta(days=ahead or 7))


def _is(day: date, weekday: int, of_month: str) -> bool:
    return day.weekday() == weekday and day.day == int(of_month)


def _shifted(g: _Groups, now: datetime, blank: When, sign: int) -> When:
    count = (number(g.get("n") or g["n2"]) or 0) * sign
    unit = (g.get("u") or g["u2"])[:3]
    if unit in ("hor", "hou"):
        moment = (now + timedelta(hours=count)).replace(second=0, microsecond=0)
        return replace(blank, day=moment.date(), at=moment.time())
    if unit in ("mes", "mon"):
        return replace(blank, day=_add_months(now.date(), count))
    if unit in ("ano", "yea"):
        return replace(blank, day=_add_months(now.date(), 12 * count))
    return replace(blank, day=now.date() + timedelta(days=count * (7 if unit in ("sem", "wee") else 1)))


def _period(g: _Groups, now: datetime, blank: When) -> When:
    name = next(iter(g.values()))
    at = time(12) if name == "mediodia" else None
    return replace(blank, part=cw.PERIODS[name], at=at)


_HALVES = {"media": 30, "cuarto": 15, "diez": 10, "veinte": 20, "cinco": 5}


def _hour(g: _Groups, now: datetime, blank: When) -> When:
    raw = g["H"]
    hour, minute = number(raw) or 0, int(g.get("M", 0))
    minute = _HALVES[g["half"]] if "half" in g else minute
    half = g.get("ap", "").replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    elif not half and 1 <= hour <= 6 and not raw.startswith("0"):
        hour += 12
    back = {"menos cuarto": 15, "menos diez": 10}.get(g.get("less", ""), 0)
    moment = datetime.combine(now.date(), time(hour, minute)) - timedelta(minutes=back)
    edges = {"antes de": "before", "before": "before", "hasta": "before", "until": "before", "till": "before"}
    edge = g.get("edge", "").strip()
    return replace(blank, at=moment.time(), edge=edges.get(edge, "after") if edge else None)


def _half(g: _Groups, now: datetime, blank: When) -> When:
    base = _hour({k: v for k, v in g.items() if k != "rel"}, now, blank)
    shift = {"half past": 30, "quarter past": 15, "quarter to": -15}[g["rel"]]
    moment = datetime.combine(now.date(), base.at or time(0)) + timedelta(minutes=shift)
    return replace(base, at=moment.time())


_BUILDERS: Mapping[str, Callable[[_Groups, datetime, When], When | None]] = {
    "iso": _iso,
    "slashed": _slashed,
    "clock": _hour,
    "month_day": _month_day,
    "month_only": _month_only,
    "day_of": _day_of,
    "weekday": _weekday,
    "in": lambda g, now, blank: _shifted(g, now, blank, 1),
    "ago": lambda g, now, blank: _shifted(g, now, blank, -1),
    "period": _period,
    "today_period": lambda g, now, blank: replace(_period(g, now, blank), day=now.date()),
    "hour": _hour,
    "half": _half,
    "noon": lambda g, now, blank: replace(blank, at=time(12)),
}


def _join(pieces: list[When], folded: str) -> list[When]:
    joined: list[When] = []
    for piece in pieces:
        if joined and _GAP.fullmatch(folded[joined[-1].end : piece.start]) and _fits(joined[-1], piece):
            joined[-1] = _merge(joined[-1], piece)
        else:
            joined.append(piece)
    return joined


def _fits(one: When, other: When) -> bool:
    clash = (one.day and other.day) or (one.at and other.at) or (one.part and other.part)
    return not clash


def _merge(one: When, other: When) -> When:
    merged = replace(
        one,
        end=other.end,
        day=one.day or other.day,
        last=one.last or other.last,
        at=one.at or other.at,
        part=one.part or other.part,
        edge=one.edge or other.edge,
    )
    return in_part(merged)


def in_part(when: When) -> When:
    """Move the hour into the named part of the day (`a las 8 de la tarde` is 20:00, `12 de la noche` is 0:00)."""
    if when.at is None or when.part is None or when.part[0] <= when.at.hour < when.part[1]:
        return when
    if when.part[0] >= 20 and when.at.hour == 12:
        return replace(when, at=when.at.replace(hour=0))
    for hour in (when.at.hour - 12, when.at.hour + 12):
        if when.part[0] <= hour < min(when.part[1], 24):
            return replace(when, at=when.at.replace(hour=hour))
    return when


def _role(when: When, folded: str) -> When:
    before = folded[: when.start]
    first_word = folded[when.start : when.end]
    if re.search(cw.BEFORE_FROM, before):
        return replace(when, role="from")
    if re.search(cw.BEFORE_TO, before) or (when.day is None and re.match(r"a las?\b", first_word)):
        return replace(when, role="to")
    return when
