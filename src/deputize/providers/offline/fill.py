"""Fills the arguments of the chosen tool, one by one, and asks for what is missing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from deputize.providers.offline import records, targets, values
from deputize.providers.offline.allot import allot, directly, mentions, names_of
from deputize.providers.offline.free import slot_for
from deputize.providers.offline.moves import Ask, Goal, Next, Say, Work
from deputize.providers.offline.names import Name
from deputize.providers.offline.phrases import kind_word, say, what, with_choices
from deputize.providers.offline.render import words
from deputize.providers.offline.schema import Arg, args_of
from deputize.providers.offline.speech import Span, Speech
from deputize.providers.offline.times import When
from deputize.providers.offline.wanted_times import Times, times_of
from deputize.providers.offline.ways import pick, query_arg, ways
from deputize.providers.offline.words import squash

_SPECIFIC = frozenset({"#birth", "#due", "#name", "#last", "#address", "#phone", "#email"})


@dataclass(slots=True)
class Filled:
    """The arguments so far; `used` are the places of the first sentence that some argument took."""

    args: dict[str, Any] = field(default_factory=dict)
    used: list[Span] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    """Names that no argument took."""
    when: When | None = None
    """The time as said, for narrowing a read's rows."""


def fill(work: Work, goal: Goal) -> Filled:
    """All arguments of the goal's tool. Raises Next with a read to make or a question to ask."""
    args = args_of(goal.tool)
    filled = Filled(dict(goal.bound))
    allotted = allot(goal, work)
    by_day = any(_found_by_day(work, a) for a in args if a.role == "target" and a.required)
    times = times_of(goal, by_day, work.now.date())
    filled.when = times.value
    _named_targets(work, goal, allotted, times, filled)
    _places(goal, allotted, filled)
    for arg in args:
        if arg.name in filled.args or arg.role == "target":
            continue
        value = _value(goal, arg, args, times, filled, work)
        if value is not None:
            filled.args[arg.name] = value
    _words_left(goal, args, filled)
    _missing(work, goal, args, times, filled)
    _other_targets(work, goal, args, times, filled)
    return filled


def _found_by_day(work: Work, arg: Arg) -> bool:
    known = ways(work, arg.kind)
    return not directly(known) and pick(known, "day") is not None


def _named_targets(
    work: Work, goal: Goal, allotted: Mapping[str, Sequence[Name]], times: Times, filled: Filled
) -> None:
    for arg in targets.needs(goal):
        if arg.name in goal.bound:
            targets.refreshed(work, goal, arg, str(goal.bound[arg.name]))
            continue
        names = allotted.get(arg.name, ())
        found: str | None = None
        if names or (arg.required and _found_by_day(work, arg) and _pointless(work, goal, arg)):
            found = targets.named(work, goal, arg, names, times.source)
        elif arg.required or goal.first.points:
            found = _pointed(work, goal, arg)
        if found is None and not names and not arg.required and mentions(goal, arg):
            found = _mentioned(work, goal, arg)
        if found is not None:
            filled.args[arg.name] = [found] if arg.many else found


def _pointless(work: Work, goal: Goal, arg: Arg) -> bool:
    """A row sought by its day is on no page and was not spoken of before, or its day was said."""
    return _pointed(work, goal, arg, read=False) is None


def _pointed(work: Work, goal: Goal, arg: Arg, read: bool = True) -> str | None:
    """The record on the page, or the one that was last spoken of, where the user names nobody."""
    found = targets.on_screen(work, arg.kind)
    if found is None and goal.first.points:
        found = targets.recent(work, arg.kind)
    return targets.refreshed(work, goal, arg, found) if found is not None and read else found


def _mentioned(work: Work, goal: Goal, arg: Arg) -> str | None:
    """An optional record from a short list whose own words the user said (`en el gabinete 2`)."""
    way = pick([w for w in ways(work, arg.kind) if w.main], "list")
    if way is None:
        return None
    answer = work.read(way.tool, {})
    found = records.distinct(records.records(way.tool, answer.result, arg.kind)) if answer.ok else []
    said = {w for s in goal.said for w in squash(s.text).split()}
    fit = [r for r in found if any(_label(v) and _label(v) <= said for v in records.strings(r.data))]
    return fit[0].id if len(fit) == 1 else None


def _label(value: str) -> set[str]:
    return set(squash(value).split())


def _places(goal: Goal, allotted: Mapping[str, Sequence[Name]], filled: Filled) -> None:
    taken = [n for names in allotted.values() for n in names]
    filled.names = [n for n in names_of(goal) if n not in taken]
    filled.used += [(n.start, n.end) for n in taken if n in (*goal.first.names, *names_of(goal))]


def _answers(goal: Goal, arg: Arg) -> list[Speech]:
    return [s for ask, s in goal.answers if ask.sort == "value" and ask.arg is not None and ask.arg.name == arg.name]


def _value(goal: Goal, arg: Arg, args: Sequence[Arg], times: Times, filled: Filled, work: Work) -> Any:
    if arg.role in ("date", "datetime", "time"):
        return _time(goal, arg, args, times, work)
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
        return values.choice(arg, speech)
    if arg.role in ("integer", "number"):
        only = sum(a.role in ("integer", "number") for a in args) == 1
        return values.figure(arg, speech, only)
    if arg.role == "bool":
        answer = values.yes_or_no(arg, speech)
        return None if answer is None else (answer, (0, 0))
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
    same = [a for a in args if a.role in ("date", "datetime", "time")]
    if len(same) > 1 and arg.about & {"#birth", "#due"} and not any(s.about(arg.about) for s in goal.said):
        return None
    plain = [a for a in same if not a.about & {"#birth", "#due"} or len(same) == 1]
    second = arg in plain and plain.index(arg) == 1
    when = times.value
    if arg.role == "date":
        return _date(arg, when, times, second)
    if when is None:
        return None
    if arg.role == "time":
        at = when.at or (time(when.part[1 if second else 0] % 24) if when.part else None)
        return at.isoformat() if at else None
    return _datetime(goal, when, times, second)


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


def _words_left(goal: Goal, args: Sequence[Arg], filled: Filled) -> None:
    """Names of somebody new, the words of a search, and what remains, for the plain texts still empty."""
    empty = [a for a in args if a.role in ("string", "text") and a.name not in filled.args and not a.many]
    query = query_arg(goal.tool) if goal.tool.effect == "read" else None
    if query is not None and query in empty:
        _query(goal, query, filled)
        return
    if goal.tool.effect == "read":
        return
    if not any(a.role == "target" and a.required for a in args):
        people = [n for n in filled.names if n.rank <= 6]
        holders = [a for a in empty if a.about & {"#name", "#last"}] or _name_holders(empty, people)
        filled.args.update(values.person(holders, people))
        if holders and people:
            best = min(people, key=lambda n: (n.rank, n.start))
            filled.names.remove(best)
            filled.used.append((best.start, best.end))
        empty = [a for a in empty if a not in holders]
    _topic(goal, empty, filled)


def _name_holders(empty: Sequence[Arg], people: Sequence[Name]) -> list[Arg]:
    """Two plain texts that nothing describes, both needed, and somebody was named: first and last name."""
    bare = [a for a in empty if a.required and a.role == "string" and not a.about]
    return bare if len(bare) == 2 and any(n.rank <= 3 for n in people) else []


def _query(goal: Goal, query: Arg, filled: Filled) -> None:
    names = sorted(filled.names, key=lambda n: (n.rank, n.start))
    newest = goal.said[-1]
    mail = next(iter(newest.mails), None)
    number = next((n.value for n in newest.numbers if len(n.value) >= 3), None)
    best = names[0].text if names and (names[0].rank <= 6 or not (mail or number)) else mail or number
    rest = None if best or not query.required else values.topic(newest, filled.used)
    if best or rest:
        filled.args[query.name] = best or rest
        filled.names = names[1:] if best and names and best == names[0].text else names


def _topic(goal: Goal, empty: Sequence[Arg], filled: Filled) -> None:
    fit = [a for a in empty if not a.about & _SPECIFIC]
    plain = [a for a in fit if a.role == "string"] or fit
    if not plain:
        return
    if not any(a.required for a in plain) and _corrects(goal):
        _new_text(goal, plain, filled)
        return
    quoted = next(iter(goal.first.quoted), "")
    colon = goal.first.text.partition(":")[2].strip() if not goal.first.note and not goal.first.whens else ""
    text = quoted or (values.topic(goal.first, filled.used) if not colon else "") or _after_colon(goal, filled, colon)
    wanted = next((a for a in plain if a.required), plain[0])
    if text:
        filled.args[wanted.name] = text[0].upper() + text[1:] if len(text.split()) > 2 else text


def _new_text(goal: Goal, plain: Sequence[Arg], filled: Filled) -> None:
    """Of a change whose value nothing took: what stands after the last `a`, `to` or colon is the new text."""
    if len(plain) != 1 or plain[0].about or any(a not in goal.tool.targets for a in filled.args):
        return
    after = max((end for _, end in filled.used), default=0)
    match = re.match(r".*?(?:\b(?:a|to)\b|:)\s+(.+)$", goal.first.text[after:], re.DOTALL)
    if match:
        filled.args[plain[0].name] = match[1].strip(" .")


def _after_colon(goal: Goal, filled: Filled, text: str) -> str:
    """What stands after a colon, up to a comma before a part that another argument took."""
    offset = len(goal.first.text) - len(text)
    for start, _ in sorted(filled.used):
        if start > offset:
            text = text[: start - offset]
            break
    return text.strip(" ,.;").removesuffix(" con").removesuffix(" with").rstrip(" ,") if text else ""


def _corrects(goal: Goal) -> bool:
    """The tool changes something that exists, so that left-over words are no value of it."""
    acts = {c for c in goal.first.concepts if c[0] == "@"}
    return not acts & {"@book", "@create", "@record", "@put", "@pay"}


def _missing(work: Work, goal: Goal, args: Sequence[Arg], times: Times, filled: Filled) -> None:
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


def _other_targets(work: Work, goal: Goal, args: Sequence[Arg], times: Times, filled: Filled) -> None:
    """Required records that nobody named: the only one there is, or the one whose time is free."""
    for arg in args:
        if arg.role == "target" and arg.required and arg.name not in filled.args:
            filled.args[arg.name] = slot_for(work, goal, arg, times.value, filled.args)
