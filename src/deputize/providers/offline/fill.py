"""Fills the arguments of the chosen tool, one by one, and asks for what is missing."""

from collections.abc import Mapping, Sequence

from deputize.providers.offline import records, targets
from deputize.providers.offline.allot import allot, directly, mentions, names_of
from deputize.providers.offline.arguments import value_of
from deputize.providers.offline.free import slot_for
from deputize.providers.offline.leftovers import words_left
from deputize.providers.offline.missing import ask_missing
from deputize.providers.offline.moves import Filled, Goal, Work
from deputize.providers.offline.names import Name
from deputize.providers.offline.schema import Arg, args_of
from deputize.providers.offline.speech import overlaps
from deputize.providers.offline.wanted_times import Times, times_of
from deputize.providers.offline.ways import pick, query_arg, ways
from deputize.providers.offline.words import squash


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
    if query_arg(goal.tool) is None:
        _perhaps(work, goal, filled)
    for arg in args:
        if arg.name in filled.args or arg.role == "target":
            continue
        value = value_of(goal, arg, args, times, filled, work)
        if value is not None:
            filled.args[arg.name] = value
    words_left(goal, args, filled)
    ask_missing(work, goal, args, times, filled)
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


def _perhaps(work: Work, goal: Goal, filled: Filled) -> None:
    """A read's optional record from a short list: whoever was named is looked up there, and may well be another."""
    if goal.tool.effect != "read" or any(a.role == "target" and a.required for a in args_of(goal.tool)):
        return
    for arg in targets.needs(goal):
        named = [n for n in filled.names if n.rank <= 5 and n.kind is None]
        if arg.name in filled.args or not named or directly(ways(work, arg.kind)) != "list":
            continue
        for name in named:
            found = [r for r in _listed(work, arg) if records.matches(r, name.text)]
            if len(found) == 1:
                filled.args[arg.name] = found[0].id
                filled.names.remove(name)
                break
        return


def _listed(work: Work, arg: Arg) -> list[records.Record]:
    way = pick([w for w in ways(work, arg.kind) if w.main], "list")
    answer = work.read(way.tool, {}) if way is not None else None
    if way is None or answer is None or not answer.ok:
        return []
    return records.distinct(records.records(way.tool, answer.result, arg.kind))


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
    found = _listed(work, arg)
    said = {w for s in goal.said for w in squash(s.text).split()}
    fit = [r for r in found if any(_label(v) and _label(v) <= said for v in records.strings(r.data))]
    return fit[0].id if len(fit) == 1 else None


def _label(value: str) -> set[str]:
    return set(squash(value).split())


def _places(goal: Goal, allotted: Mapping[str, Sequence[Name]], filled: Filled) -> None:
    taken = [n for names in allotted.values() for n in names]
    here = [(n.start, n.end) for n in taken if goal.first.text[n.start : n.end].strip() == n.text]
    filled.names = [n for n in names_of(goal) if n not in taken and not overlaps((n.start, n.end), here)]
    filled.used += [(n.start, n.end) for n in taken if n in names_of(goal)]
    filled.used += [span for span in here if span not in filled.used]


def _other_targets(work: Work, goal: Goal, args: Sequence[Arg], times: Times, filled: Filled) -> None:
    """Required records that nobody named: the only one there is, or the one whose time is free."""
    for arg in args:
        if arg.role == "target" and arg.required and arg.name not in filled.args:
            filled.args[arg.name] = slot_for(work, goal, arg, times.value, filled.args)
