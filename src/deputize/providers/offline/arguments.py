"""Finds the value of one plain argument in what was said, or in the answer to the question for it."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any

from deputize.providers.offline import values
from deputize.providers.offline.moves import Filled, Goal, Work
from deputize.providers.offline.schema import Arg
from deputize.providers.offline.speech import Span, Speech
from deputize.providers.offline.times import When
from deputize.providers.offline.wanted_times import Times


def _answers(goal: Goal, arg: Arg) -> list[Speech]:
    return [s for ask, s in goal.answers if ask.sort == "value" and ask.arg is not None and ask.arg.name == arg.name]


def value_of(goal: Goal, arg: Arg, args: Sequence[Arg], times: Times, filled: Filled, work: Work) -> Any:
    if arg.role in ("date", "datetime", "time"):
        return _time(goal, arg, args, times, work)
    if arg.role == "integer" and arg.days and goal.tool.effect == "read":
        when = times.value
        return None if when is None or when.day is None else ((when.last or when.day) - when.day).days + 1
    for speech in reversed(_answers(goal, arg)):
        return _answer_value(arg, speech)
    for speech in reversed(goal.said):
        found = _from(arg, args, speech)
        if found is not None:
            if speech is goal.first:
                filled.used.append(found[1])
            return found[0]
    return None


def _from(arg: Arg, args: Sequence[Arg], speech: Speech) -> tuple[Any, Span] | None:
    if arg.role == "enum":
        return values.choice(arg, speech, {a.kind for a in args if a.role == "target"})
    if arg.role in ("integer", "number"):
        if arg.days:
            return None
        figures = [a for a in args if a.role in ("integer", "number") and not a.days and a.default != 1]
        return values.figure(arg, speech, figures == [arg])
    if arg.role == "bool":
        return values.yes_or_no(arg, speech)
    if arg.role == "destination":
        return values.destination(arg, speech)
    if arg.role in ("string", "text") and not arg.many:
        if arg.role == "text" and speech.note:
            return speech.note, speech.note_span or (0, 0)
        others = {c for a in args if a is not arg and a.role in ("string", "text") for c in a.about}
        return values.labelled(arg, speech, others)
    return None


def _answer_value(arg: Arg, speech: Speech) -> Any:
    """The answer to a question for exactly this argument."""
    if arg.role in ("integer", "number"):
        found = values.figure(arg, speech, True)
        return found[0] if found else speech.minutes
    found_value = _from(arg, (arg,), speech)
    if found_value is not None:
        return found_value[0]
    return speech.text.strip() if arg.role in ("string", "text", "destination") else None


def _time(goal: Goal, arg: Arg, args: Sequence[Arg], times: Times, work: Work) -> str | None:
    if arg.role == "time":
        clocks = [a for a in args if a.role == "time"]
        return _clock(times.value, clocks.index(arg) == 1, len(clocks) > 1)
    same = [a for a in args if a.role in ("date", "datetime")]
    if len(same) > 1 and arg.about & {"#birth", "#due"} and not any(s.about(arg.about) for s in goal.said):
        return None
    plain = [a for a in same if not a.about & {"#birth", "#due"} or len(same) == 1]
    second = arg in plain and plain.index(arg) == 1
    when = times.value
    if arg.role == "date":
        return _date(arg, when, times, second)
    if when is None:
        return None
    return _datetime(goal, when, times, second)


def _clock(when: When | None, second: bool, pair: bool) -> str | None:
    """An hour, or one end of a stretch of the day where the tool takes both."""
    if when is None:
        return None
    if when.at is not None:
        wanted = second if when.edge == "before" else not second
        return when.at.isoformat() if wanted or not pair else None
    if when.part is None:
        return None
    hour = when.part[1 if second else 0]
    return time(hour).isoformat() if 0 < hour < 24 else None


def _date(arg: Arg, when: When | None, times: Times, second: bool) -> str | None:
    if when is None or when.day is None:
        return None
    if not second:
        return when.day.isoformat()
    last = when.last or (times.second.last or times.second.day if times.second else None)
    return (last or when.day).isoformat() if last or arg.required else None


def _datetime(goal: Goal, when: When, times: Times, second: bool) -> str | None:
    if goal.tool.effect == "read":
        if when.day is None:
            return None
        edge = (when.part or (0, 24))[1 if second else 0]
        day = (when.last or when.day) if second else when.day
        moment = datetime.combine(day, time(0)) + timedelta(hours=edge)
        return (moment if when.at is None or second else datetime.combine(day, when.at)).isoformat()
    if when.moment is None:
        return None
    if not second:
        return when.moment.isoformat()
    if times.second is not None and times.second.at is not None:
        return datetime.combine(times.second.day or when.moment.date(), times.second.at).isoformat()
    minutes = next((s.minutes for s in reversed(goal.said) if s.minutes), None)
    return (when.moment + timedelta(minutes=minutes)).isoformat() if minutes else None
