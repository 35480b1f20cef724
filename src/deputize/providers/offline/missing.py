"""Asks one clear question for the first required argument that is missing, or takes the natural default."""

from collections.abc import Sequence
from datetime import date, datetime, time

from deputize.providers.offline.allot import directly
from deputize.providers.offline.moves import Ask, Filled, Goal, Next, Say, Work
from deputize.providers.offline.phrases import kind_word, say, what, with_choices
from deputize.providers.offline.render import words
from deputize.providers.offline.schema import Arg
from deputize.providers.offline.wanted_times import Times
from deputize.providers.offline.ways import ways


def ask_missing(work: Work, goal: Goal, args: Sequence[Arg], times: Times, filled: Filled) -> None:
    for arg in args:
        if not arg.required or arg.name in filled.args:
            continue
        if arg.role in ("date", "datetime") and goal.tool.effect == "read":
            filled.args[arg.name] = _default_day(arg, work)
        elif arg.role == "target":
            if _wants_word(work, arg):
                raise Next(Say(_which(work, arg), Ask("target", arg)))
        elif arg.role in ("date", "datetime", "time"):
            raise Next(Say(_when_question(work, arg, times), Ask("when", arg)))
        elif arg.role == "bool":
            filled.args[arg.name] = False
        else:
            raise Next(Say(question(work, arg), Ask("value", arg)))


def _default_day(arg: Arg, work: Work) -> str:
    today: date = work.now.date()
    return today.isoformat() if arg.role == "date" else datetime.combine(today, time(0)).isoformat()


def _wants_word(work: Work, arg: Arg) -> bool:
    known = ways(work, arg.kind)
    return directly(known) == "search" or not known


def _which(work: Work, arg: Arg) -> str:
    return say("which", work.language, kind=kind_word(arg.kind, work.language))


def _when_question(work: Work, arg: Arg, times: Times) -> str:
    value = times.value
    if arg.role == "date" or (value is not None and value.at and not value.day):
        return say("what_day", work.language)
    return say("what_hour" if value is not None and value.day else "what_both", work.language)


def question(work: Work, arg: Arg) -> str:
    """One clear question for a missing value."""
    language, name = work.language, what(arg, work.language)
    if arg.role == "enum":
        return with_choices(say("one_of", language, what=name), [words(c, work) for c in arg.choices])
    if arg.role in ("integer", "number"):
        return say("how_much", language, what=name)
    return say("address" if arg.role == "destination" else "what_text", language, what=name)
