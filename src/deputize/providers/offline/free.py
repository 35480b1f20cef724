"""Chooses a record that nobody named: the only one of its kind, or the one with a free slot at the wanted time."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from deputize.core.provider import ToolSchema
from deputize.providers.offline import records, targets
from deputize.providers.offline.answer import taken
from deputize.providers.offline.intent import features
from deputize.providers.offline.moves import Ask, Goal, Next, Say, Work
from deputize.providers.offline.phrases import which, with_choices
from deputize.providers.offline.records import Record, Slot
from deputize.providers.offline.render import describe
from deputize.providers.offline.schema import Arg, args_of
from deputize.providers.offline.speech import parse
from deputize.providers.offline.times import When
from deputize.providers.offline.ways import DAYS, pick, ways


def slot_for(work: Work, goal: Goal, arg: Arg, when: When | None, given: Mapping[str, Any]) -> str:
    """The id for `arg`. Raises Next where it must be asked for or read first."""
    listing = pick([w for w in ways(work, arg.kind) if w.main], "list") or pick(ways(work, arg.kind), "list")
    found: list[Record] = []
    if listing is not None:
        answer = targets.checked(work, work.read(listing.tool, {}))
        found = records.distinct(records.records(listing.tool, answer.result, arg.kind))
    found = found or targets.beside(work, arg)
    for fit in (found, targets.spoken_of(goal, found)):
        if len(fit) == 1:
            return fit[0].id
    tool = _slot_tool(work, goal, arg)
    if tool is not None and when is not None and when.moment is not None:
        return _free(work, goal, arg, tool, when.moment, given)
    if found:
        lines = [describe(r.data, r.ids, work) for r in found[:10]]
        raise Next(
            Say(with_choices(which(work.language, arg.kind, listed=True), lines), Ask("target", arg, tuple(found)))
        )
    raise Next(Say(which(work.language, arg.kind), Ask("target", arg)))


def _slot_tool(work: Work, goal: Goal, arg: Arg) -> ToolSchema | None:
    """The read by day that yields the kind and nothing but what the goal's tool takes: free times."""
    takes = set(goal.tool.targets.values())
    fit = [
        way.tool
        for way in ways(work, arg.kind)
        if way.how == "day" and set(way.tool.yields.values()) <= takes and any("*" in p for p in way.tool.yields)
    ]
    return max(fit, key=lambda tool: _freedom(work, tool), default=None)


def _freedom(work: Work, tool: ToolSchema) -> int:
    """How clearly the declaration speaks of free time."""
    said = {f for sentence in work.sentences.said[tool.name] for f in sentence}
    said |= features(parse(tool.description, work.now, "en"))
    return len(said & {"#free", "#slot"})


def _free(work: Work, goal: Goal, arg: Arg, tool: ToolSchema, wanted: datetime, given: Mapping[str, Any]) -> str:
    answer = targets.checked(work, work.read(tool, _asked(goal, tool, wanted, given)))
    free = [s for s in records.slots(tool, answer.result, work.local) if arg.kind in s.ids]
    hit = next((s for s in free if _covers(s, wanted)), None)
    if hit is not None:
        return hit.ids[arg.kind]
    near = sorted({s.start for s in free}, key=lambda m: abs(m - wanted))[:5]
    when = next((a for a in args_of(goal.tool) if a.role == "datetime"), arg)
    raise Next(Say(taken(wanted, sorted(near), work), Ask("when", when, times=tuple(sorted(near)))))


def _covers(slot: Slot, wanted: datetime) -> bool:
    return slot.start == wanted or (slot.end is not None and slot.start <= wanted < slot.end)


def _asked(goal: Goal, tool: ToolSchema, wanted: datetime, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of the free-slot read: the wanted day, and what the goal already knows of the same kind."""
    own = {k: given[n] for n, k in goal.tool.targets.items() if n in given}
    asked: dict[str, Any] = {}
    days: Sequence[Arg] = [a for a in args_of(tool) if a.role in DAYS]
    for arg in args_of(tool):
        if arg.role in DAYS and (arg.required or arg is days[0]):
            day = wanted.date().isoformat()
            late = len(days) > 1 and arg is days[1]
            asked[arg.name] = day if arg.role == "date" else f"{day}T{'23:59' if late else '00:00'}:00"
        elif arg.role == "target" and arg.kind in own:
            asked[arg.name] = own[arg.kind]
        elif arg.role == "integer" and "#duration" in arg.about and goal.first.minutes:
            asked[arg.name] = goal.first.minutes
    return asked
