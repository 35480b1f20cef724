"""Finds the record that a target means by reading: search, list, day's rows; asks where several remain."""

from collections.abc import Mapping, Sequence
from typing import Any

from deputize.core.provider import ToolSchema
from deputize.providers.offline import phrases, records
from deputize.providers.offline.allot import SURE, directly
from deputize.providers.offline.history import Answer, Made
from deputize.providers.offline.moves import Ask, Goal, Next, Say, Work
from deputize.providers.offline.names import Name
from deputize.providers.offline.records import Record
from deputize.providers.offline.render import describe, refusal
from deputize.providers.offline.schema import Arg, args_of
from deputize.providers.offline.speech import head, overlaps
from deputize.providers.offline.times import When
from deputize.providers.offline.values import choice
from deputize.providers.offline.ways import Way, pick, ways
from deputize.providers.offline.words import squash


def named(work: Work, goal: Goal, arg: Arg, names: Sequence[Name], source: When | None) -> str:
    """The id of the record that `names` (and, for rows of a day, `source`) mean. Raises Next."""
    name = names[0] if names else None
    if name is not None and name.kind == arg.kind.upper() and seen(work, arg.kind, name.text):
        return refreshed(work, goal, arg, name.text)
    known = ways(work, arg.kind)
    if name is not None and directly(known) == "search":
        return _one(work, arg, search(work, known, name.text), name.text)
    if name is not None and directly(known) == "list":
        return _listed(work, arg, known, name.text)
    return _row(work, goal, arg, known, names, source)


def search(work: Work, known: Sequence[Way], words: str) -> list[Record]:
    """The records that a search for `words` returns, narrowed to whole-word matches where there are any."""
    way = pick([w for w in known if w.main], "search") or pick(list(known), "search")
    if way is None or way.arg is None:
        return []
    answer = checked(work, work.read(way.tool, {way.arg.name: words}))
    kind = next(iter(way.tool.yields.values())) if way.main else ""
    return narrowed(records.distinct(records.records(way.tool, answer.result, kind or None)), words)


def narrowed(found: list[Record], words: str) -> list[Record]:
    """Only those whose text is exactly the words, else those that hold them as whole words, else all."""
    for test in (records.fully, records.exact):
        fit = [r for r in found if test(r, words)]
        if fit and (test is records.exact or len(fit) == 1):
            return fit
    return found


def checked(work: Work, answer: Answer) -> Answer:
    """The answer if it is ok; otherwise the turn ends by saying why not."""
    if not answer.ok:
        raise Next(Say(refusal(answer, work)))
    return answer


def _one(work: Work, arg: Arg, found: Sequence[Record], words: str) -> str:
    if len(found) == 1:
        return found[0].id
    if not found:
        raise Next(Say(phrases.not_found(work.language, arg.kind, words), Ask("target", arg)))
    text = phrases.several(work.language, arg.kind, words, [describe(r.data, r.ids, work) for r in found[:10]])
    raise Next(Say(text, Ask("target", arg, tuple(found))))


def _listed(work: Work, arg: Arg, known: Sequence[Way], words: str) -> str:
    way = pick([w for w in known if w.main], "list")
    assert way is not None  # `directly` said that there is a list
    answer = checked(work, work.read(way.tool, {}))
    every = records.distinct(records.records(way.tool, answer.result, arg.kind))
    found = narrowed([r for r in every if records.matches(r, words)], words)
    if found:
        return _one(work, arg, found, words)
    raise _others(work, arg, every, words)


def _others(work: Work, arg: Arg, every: Sequence[Record], words: str) -> Next:
    """None is called so: what there is, to choose from."""
    text = phrases.not_found(work.language, arg.kind, words)
    shown = [describe(r.data, r.ids, work) for r in every[:10]]
    return Next(Say(phrases.with_choices(text, shown), Ask("target", arg, tuple(every))))


def _row(work: Work, goal: Goal, arg: Arg, known: Sequence[Way], names: Sequence[Name], source: When | None) -> str:
    """A record without words of its own, such as a row in a day's agenda: by its day, its people, its hour."""
    by_day, default = pick(list(known), "day"), pick(list(known), "all")
    through = next((w for w in known if w.how == "through" and _person(work, w, names) is not None), None)
    if by_day is not None and by_day.arg is not None and source is not None and source.day is not None:
        found = _of_day(work, arg, by_day, names, source)
    elif through is not None and through.arg is not None:
        rows = beside(work, arg)
        found = spoken_of(goal, rows)
        if rows and not found and names and names[0].rank == SURE and names[0].mark == "named":
            raise _others(work, arg, rows, names[0].text)
        found = found or _of_person(work, arg, through, names)
    elif default is not None and (names or source is not None):
        found = _of_default(work, arg, default, names)
        if not found:
            raise Next(Say(phrases.which_day(work.language, arg.kind), Ask("day", arg)))
    elif by_day is not None:
        raise Next(Say(phrases.which_day(work.language, arg.kind), Ask("day", arg)))
    else:
        raise Next(Say(phrases.which(work.language, arg.kind), Ask("target", arg)))
    if source is not None and source.at is not None:
        found = _at_hour(work, arg, found, source)
    if len(found) > 1:
        found = spoken_of(goal, found) or found
    sought = [*(n.text for n in names), phrases.day(source, work)]
    return _one(work, arg, found, ", ".join(s for s in sought if s))


def _of_day(work: Work, arg: Arg, way: Way, names: Sequence[Name], source: When) -> list[Record]:
    assert way.arg is not None  # asked by the caller
    assert source.day is not None  # asked by the caller
    day = source.day.isoformat()
    asked: dict[str, Any] = {way.arg.name: day if way.arg.role == "date" else f"{day}T00:00:00"}
    answer = checked(work, work.read(way.tool, asked))
    found = records.distinct(records.records(way.tool, answer.result, arg.kind))
    if names:
        direct = [r for r in found if all(records.matches(r, n.text) for n in names)]
        page = _page_arg(way.tool)
        if not direct and page is not None and _goes_on(answer, len(found)):
            answer = checked(work, work.read(way.tool, {**asked, page.name: 2}))
            found += records.distinct(records.records(way.tool, answer.result, arg.kind))
            direct = [r for r in found if all(records.matches(r, n.text) for n in names)]
        return direct or _joined(work, way, found, names)
    return [r for r in found if _on_screen(work, r)] or found


def _at_hour(work: Work, arg: Arg, found: list[Record], source: When) -> list[Record]:
    """Only the rows that begin at the hour that was said; where none does, the others are offered."""
    fit = [r for r in found if starts(work, r.data, source)]
    if fit or not found:
        return fit
    raise _others(work, arg, found[:10], f"{source.at:%H:%M}")


def _of_default(work: Work, arg: Arg, way: Way, names: Sequence[Name]) -> list[Record]:
    """The named rows of a list that shows today where no day is given."""
    answer = checked(work, work.read(way.tool, {}))
    found = records.distinct(records.records(way.tool, answer.result, arg.kind))
    direct = [r for r in found if all(records.matches(r, n.text) for n in names)]
    return direct or (_joined(work, way, found, names) if names and found else [])


def _page_arg(tool: ToolSchema) -> Arg | None:
    """The argument that turns the page: an integer that begins at one and is one by default."""
    return next((a for a in args_of(tool) if a.role == "integer" and a.default == 1 and a.minimum == 1), None)


def _goes_on(answer: Answer, shown: int) -> bool:
    """The result says that there are more rows than it holds."""
    counts = [v for v in answer.result.values() if type(v) is int] if isinstance(answer.result, dict) else []
    return answer.truncated or any(count > shown > 0 for count in counts)


def _joined(work: Work, way: Way, found: Sequence[Record], names: Sequence[Name]) -> list[Record]:
    """Rows that carry the id of a record which a search for the name returns (a short name behind a placeholder)."""
    kinds = [k for k in dict.fromkeys(way.tool.yields.values()) if directly(ways(work, k)) == "search"]
    for kind in kinds:
        ids = {r.id for r in search(work, ways(work, kind), names[0].text)}
        fit = [r for r in found if ids & set(records.strings(r.data))]
        if fit:
            return fit
    return []


def _person(work: Work, way: Way, names: Sequence[Name]) -> Arg | None:
    """The other record's argument, if that record can be found: named, or on the screen."""
    arg = way.arg
    if arg is None:
        return None
    if names and directly(ways(work, arg.kind)) == "search":
        return arg
    return arg if not names and on_screen(work, arg.kind) else None


def beside(work: Work, arg: Arg) -> list[Record]:
    """The rows that belong to the record on the page: a case's findings while the case is shown."""
    for way in ways(work, arg.kind):
        owner = on_screen(work, way.arg.kind) if way.how == "through" and way.arg is not None else None
        if way.arg is not None and owner is not None:
            answer = checked(work, work.read(way.tool, {way.arg.name: owner}))
            return records.distinct(records.records(way.tool, answer.result, arg.kind))
    return []


def spoken_of(goal: Goal, found: Sequence[Record]) -> list[Record]:
    """Those with most of the words that the wish says of a record and not every rival has; none if nobody has one."""
    said = goal.first
    taken = [(w.start, w.end) for w in said.whens] + [(head(said), len(said.text))]
    taken += [value[1] for a in args_of(goal.tool) if a.choices and (value := choice(a, said))]
    spoken = {w.stem for w in said.words if w.sort == "word" and not overlaps((w.start, w.end), taken)}
    shared = [_shared(r, spoken, found) for r in found]
    most = max(shared, default=0)
    return [r for r, count in zip(found, shared, strict=True) if count == most > 0]


def _of_person(work: Work, arg: Arg, way: Way, names: Sequence[Name]) -> list[Record]:
    other = way.arg
    assert other is not None  # asked by the caller
    if not names:
        owner = str(on_screen(work, other.kind))
    elif names[0].kind == other.kind.upper() and seen(work, other.kind, names[0].text):
        owner = names[0].text
    else:
        owner = _one(work, other, search(work, ways(work, other.kind), names[0].text), names[0].text)
    answer = checked(work, work.read(way.tool, {other.name: owner}))
    found = records.distinct(records.records(way.tool, answer.result, arg.kind))
    return [r for r in found if _ahead(work, r)] or found


def _ahead(work: Work, record: Record) -> bool:
    moments = [m for m in map(records.moment, record.data.values()) if m is not None]
    return any(work.local(m) >= work.now for m in moments)


def starts(work: Work, data: Mapping[str, Any], source: When) -> bool:
    """The mapping's first moment is at the hour that was said (and on the day, if one was)."""
    moments = [work.local(m) for m in map(records.moment, data.values()) if m is not None]
    first = min(moments, default=None)
    return first is not None and first.time() == source.at and source.day in (None, first.date())


def _shared(record: Record, spoken: set[str], rivals: Sequence[Record]) -> int:
    """How many words the record has that were said and that not every rival has."""
    words = _words(record) & spoken
    return sum(not all(word in _words(other) for other in rivals) for word in words)


def _words(record: Record) -> set[str]:
    return {records.stem_of(part) for value in records.strings(record.data) for part in squash(value).split()}


def _on_screen(work: Work, record: Record) -> bool:
    shown = {str(e.get("id")) for e in work.screen}
    return bool(shown & set(records.strings(record.data)))


def on_screen(work: Work, kind: str) -> str | None:
    """The id of the one record of that kind on the page."""
    found = [str(e["id"]) for e in work.screen if e.get("kind") == kind and e.get("id")]
    return found[0] if len(found) == 1 else None


def seen(work: Work, kind: str, identity: str) -> bool:
    """A result of this conversation, or the screen, carried this id (TOOL-6)."""
    if any(e.get("kind") == kind and str(e.get("id")) == identity for e in work.screen):
        return True
    return any(r.id == identity for call in _calls(work) for r in _found(work, call, kind))


def recent(work: Work, kind: str) -> str | None:
    """The record of that kind that the conversation was last about: a call's target, or a result's only record."""
    for call in reversed(_calls(work)):
        tool = work.tool(call.tool)
        if tool is None or call.answer is None or not call.answer.ok:
            continue
        used = [str(call.args[n]) for n, k in tool.targets.items() if k == kind and n in call.args]
        if used:
            return used[0]
        found = records.distinct(_found(work, call, kind))
        if found:
            return found[0].id if len(found) == 1 else None
    return None


def _calls(work: Work) -> list[Made]:
    return [call for turn in (*work.before, work.turn) for call in turn.calls]


def _found(work: Work, call: Made, kind: str) -> list[Record]:
    tool = work.tool(call.tool)
    if tool is None or call.answer is None or not call.answer.ok:
        return []
    return records.records(tool, call.answer.result, kind)


def refreshed(work: Work, goal: Goal, arg: Arg, identity: str) -> str:
    """`identity`, read again in this run if the goal is a write and a read by id is offered (TOOL-5)."""
    if goal.tool.effect == "read" or any(r.id == identity for c in work.turn.calls for r in _found(work, c, arg.kind)):
        return identity
    way = pick(ways(work, arg.kind), "get")
    if way is not None and way.arg is not None and way.arg.kind == arg.kind and way.tool.effect == "read":
        work.read(way.tool, {way.arg.name: identity})
    return identity


def needs(goal: Goal) -> list[Arg]:
    """The targets of the goal's tool."""
    return [a for a in args_of(goal.tool) if a.role == "target"]
