"""Puts the result of what the user asked for into words."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from deputize.core.provider import ToolSchema
from deputize.providers.offline import records
from deputize.providers.offline.amounts import priced
from deputize.providers.offline.history import Answer
from deputize.providers.offline.lexicon import named_by
from deputize.providers.offline.moves import Ask, Goal, Say, Work
from deputize.providers.offline.names import Name
from deputize.providers.offline.phrases import caption, date_words, done, kind_word, moment_words, say
from deputize.providers.offline.render import describe, fields, refusal, same_day, table, visible, words
from deputize.providers.offline.schema import args_of
from deputize.providers.offline.times import When

Rows = list[Mapping[str, Any]]


def answered(goal: Goal, answer: Answer, work: Work, names: Sequence[Name] = (), when: When | None = None) -> Say:
    """The closing words; `names` and `when` were said but no argument took them, so they narrow the rows."""
    if not answer.ok:
        return _refused(goal, answer, work)
    if goal.tool.effect != "read":
        return Say(confirmed(goal, answer, work))
    return Say(summary(goal.tool, answer, work, names, when))


def _refused(goal: Goal, answer: Answer, work: Work) -> Say:
    text = refusal(answer, work)
    times = tuple(_moments(answer.alternatives, work))
    arg = next((a for a in args_of(goal.tool) if a.role == "datetime" and a.required), None)
    if times and arg is not None:
        return Say(text, Ask("when", arg, times=times))
    return Say(text)


def _moments(data: Any, work: Work) -> Iterator[datetime]:
    for value in records.strings(data):
        moment = records.moment(value)
        if isinstance(moment, datetime):
            yield work.local(moment)


def confirmed(goal: Goal, answer: Answer, work: Work) -> str:
    """`Done, booked: María López, Tuesday 1 December at 10:00.`"""
    concepts = [c for s in goal.said for n in s.named for c in n.concepts if c[0] == "@"]
    ids = [path for path in goal.tool.yields if "." not in path]
    text = done(concepts, work.language)
    line = describe(answer.result, ids, work) if isinstance(answer.result, dict) else ""
    said = f"{text}: {line}." if line else f"{text}."
    if answer.edited:
        said += " " + say("edited", work.language, fields=", ".join(caption(f, work.language) for f in answer.edited))
    return said


def summary(tool: ToolSchema, answer: Answer, work: Work, names: Sequence[Name] = (), when: When | None = None) -> str:
    """The result as a headline, a table for each list, and the fields around them."""
    result = priced(answer.result, work.language)
    parts: list[str] = []
    if isinstance(result, dict):
        parts.append(fields(_around(result), _ids(tool, ()), work))
    found = [one for n, one in enumerate(_lists(result, ())) if one[1] or n == 0]
    for way, rows in found:
        own = caption(way[-2], work.language) if len(found) > 1 and len(way) > 1 and not _ids(tool, way) else ""
        parts.append(_section(tool, way, rows, _narrow(rows, names, when, work), own, work))
    parts = [p for p in parts if p]
    if not parts:
        return say("nothing", work.language) + "."
    way, rows = found[0] if found else ((), [])
    counts = [v for v in result.values() if type(v) is int] if isinstance(result, dict) and _ids(tool, way) else []
    total = answer.total if answer.total is not None else max(counts, default=0)
    if total > len(rows) > 0:
        parts.append(say("more", work.language, shown=len(rows), total=total))
    elif answer.truncated:
        parts.append(say("cut", work.language))
    return "\n\n".join(parts)


def _around(result: Mapping[str, Any]) -> dict[str, Any]:
    """The fields beside the lists, without those that only repeat what a headline says: counts and the day."""
    sizes = [len(v) for v in result.values() if isinstance(v, list) and (not v or isinstance(v[0], dict))]
    if not sizes:
        return dict(result)
    return {
        k: v
        for k, v in result.items()
        if not (type(v) is int and v >= max(sizes)) and not (max(sizes) and records.moment(v) is not None)
    }


def _ids(tool: ToolSchema, way: tuple[str, ...]) -> list[str]:
    return [p.split(".")[-1] for p in tool.yields if tuple(p.split(".")[:-1]) == way]


def _lists(data: Any, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Rows]]:
    """All lists of mappings, outermost first, with their path; lists inside rows come with their own path."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _lists(value, (*way, key))
    elif isinstance(data, list):
        rows: Rows = [item for item in data if isinstance(item, dict)]
        inner = [found for item in rows for value in item.items() for found in _inner(way, value)]
        if rows == data and not (inner and all(not _scalars(r) for r in rows)):
            yield (*way, "*"), rows
        yield from inner
    return


def _inner(way: tuple[str, ...], field: tuple[str, Any]) -> Iterator[tuple[tuple[str, ...], Rows]]:
    key, value = field
    if isinstance(value, list) and any(isinstance(v, dict) for v in value):
        yield from _lists(value, (*way, "*", key))


def _scalars(row: Mapping[str, Any]) -> bool:
    return any(not isinstance(v, dict | list) for v in visible(row).values())


def _narrow(rows: Rows, names: Sequence[Name], when: When | None, work: Work) -> Rows:
    kept = rows
    for name in names:
        fit = [r for r in kept if records.matches(records.Record("", "", r), name.text)]
        kept = fit or kept
    if when is not None and (when.part or when.at):
        fit = [r for r in kept if _in_time(r, when, work)]
        kept = fit or kept
    return kept


def _in_time(row: Mapping[str, Any], when: When, work: Work) -> bool:
    moments = [work.local(m) for m in map(records.moment, row.values()) if isinstance(m, datetime)]
    if not moments:
        return False
    first = moments[0]
    if when.at is not None and when.edge == "after":
        return first.time() >= when.at
    if when.at is not None and when.edge == "before":
        return first.time() < when.at
    if when.at is not None:
        return first.time() == when.at
    return when.part is None or when.part[0] <= first.hour < when.part[1]


def _noun(tool: ToolSchema, way: tuple[str, ...], rows: Rows, work: Work) -> str:
    """What the rows are: the kind that they yield if the tool speaks of it, else the thing that it speaks of most."""
    path, kind = next(((p, k) for p, k in tool.yields.items() if tuple(p.split(".")[:-1]) == way), ("", ""))
    ids = [row.get(path.split(".")[-1]) for row in rows]
    if len(set(map(str, ids))) < len(ids):
        kind = ""
    said = [f for sentence in work.sentences.said[tool.name] for f in sorted(sentence) if f[0] == "#"]
    spoken = {*said, *work.sentences.described[tool.name]}
    concepts = [c for c in named_by(kind) if c[0] == "#"]
    things = [f for f in said if f not in ("#who", "#free", "#agenda", "#professional")]
    if not rows and things and not set(concepts) & set(things):
        kind = ""
    if kind and (not rows or not said or not concepts or spoken & set(concepts)):
        return kind
    return max(dict.fromkeys(things), key=things.count, default="")


def _section(tool: ToolSchema, way: tuple[str, ...], rows: Rows, kept: Rows, own: str, work: Work) -> str:
    language = work.language
    if own:
        return f"**{own}**\n\n{table(kept, (), work)}"
    kind = _noun(tool, way, rows, work)
    if not rows:
        return f"{say('nothing', language)} ({kind_word(kind, language, many=True)})."
    count = kind_word(kind, language, many=len(kept) != 1)
    head = f"**{len(kept)} {count}**"
    moments = [m for r in kept for v in r.values() if isinstance(m := records.moment(v), datetime)]
    if moments and same_day(kept, work):
        head += f", {date_words(work.local(moments[0]).date(), language)}"
    return f"{head}\n\n{table(kept, _ids(tool, way), work)}"


def taken(wanted: datetime, free: Sequence[datetime], work: Work) -> str:
    """The wanted time is not free; the nearest ones are offered."""
    if not free:
        return say("none_free", work.language, when=date_words(wanted.date(), work.language))
    label = moment_words(wanted, work.language)
    return "\n".join(
        [say("taken", work.language, when=label[:1].upper() + label[1:]), ""]
        + [f"{n}. {words(moment.isoformat(), work)}" for n, moment in enumerate(free, 1)]
    )
