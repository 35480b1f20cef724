"""Decides which of the names in a sentence belongs to which target of the tool."""

import re
from collections.abc import Mapping, Sequence

from deputize.providers.offline.lexicon import is_function, named_by
from deputize.providers.offline.moves import Goal, Work
from deputize.providers.offline.names import Name
from deputize.providers.offline.schema import Arg, args_of
from deputize.providers.offline.speech import Speech
from deputize.providers.offline.values import choice, topic
from deputize.providers.offline.ways import Way, pick, ways

_MARK = re.compile(r"[\s#]*(?:\bn(?:[uú]m(?:ero)?|o)?[.º°]*)?[\s#]*$", re.IGNORECASE)
"""What may stand between a thing's name and its number: `order #12`, `orden n.º 12`."""
SURE = 6
"""Names of a higher rank than this are only words that nobody declared."""


def allot(goal: Goal, work: Work) -> Mapping[str, tuple[Name, ...]]:
    """Names by target argument, best first; a target that nobody named is missing."""
    targets = [a for a in args_of(goal.tool) if a.role == "target"]
    found: dict[str, tuple[Name, ...]] = {}
    names = sorted(names_of(goal), key=lambda n: (n.rank, n.start))
    if not names and not goal.first.points:
        names = _described(goal)
    by_kind = {a.name: ways(work, a.kind) for a in targets}
    for arg in targets:
        given = _answer(goal, arg) or _by_number(goal, arg, by_kind[arg.name])
        if given:
            found[arg.name] = given
            names = [n for n in names if n not in given]
    for arg in sorted(targets, key=lambda a: (not a.required, a.role != "target")):
        if arg.name in found:
            continue
        mine = _mine(arg, by_kind[arg.name], names, targets, by_kind)
        if mine:
            found[arg.name] = mine
            names = [n for n in names if n not in mine]
    return found


def _described(goal: Goal) -> list[Name]:
    """Words that say which thing is meant where nobody is named: what no value and no time has taken."""
    taken = [found[1] for a in args_of(goal.tool) if a.choices and (found := choice(a, goal.first))]
    text = topic(goal.first, taken)
    start = goal.first.text.find(text)
    return [Name(text, start, start + len(text), SURE, "named")] if text and goal.tool.effect != "read" else []


def _mine(
    arg: Arg,
    known: Sequence[Way],
    names: Sequence[Name],
    targets: Sequence[Arg],
    by_kind: Mapping[str, Sequence[Way]],
) -> tuple[Name, ...]:
    """The names that are this target's: one for a person or thing with words of its own, all for a row in a list."""
    if not names:
        return ()
    token = next((n for n in names if n.kind == arg.kind.upper()), None)
    if token is not None:
        return (token,)
    if directly(known) == "search":
        rivals = [t for t in targets if t is not arg and directly(by_kind[t.name]) == "list"]
        fit = [n for n in names if n.mark not in ("title", "with") or not rivals]
        best = next((n for n in fit if n.rank <= SURE or arg.required), None)
        return (best,) if best else ()
    if directly(known) == "list":
        if arg.required and len(targets) == 1:
            return tuple(n for n in names if n.rank <= SURE)[:1]
        return tuple(n for n in names if n.mark in ("title", "with") and n.rank <= SURE)[:1]
    return tuple(n for n in names if n.rank <= SURE) if arg.required else ()


def directly(known: Sequence[Way]) -> str:
    """How records of the kind are found by their own words: `search`, `list`, or not at all."""
    own = [w for w in known if w.main]
    if pick(own, "search"):
        return "search"
    return "list" if pick(own, "list") else ""


def names_of(goal: Goal) -> list[Name]:
    """Names of the newest sentence that has any; a number right after a thing's name counts (`order 12`)."""
    for speech in reversed(goal.said):
        found = [*speech.names, *_numbered(speech, goal)]
        if found:
            return found
    return []


def _unmarked(text: str) -> str:
    return _MARK.sub("", text, count=1)


def _by_number(goal: Goal, arg: Arg, known: Sequence[Way]) -> tuple[Name, ...]:
    """The number right after the target's own word (`order 12`): nothing names it more surely."""
    if directly(known) != "search":
        return ()
    own = {c for c in named_by(arg.kind) if c[0] == "#"}
    for number in goal.first.numbers:
        start, end = number.span
        place = len(_unmarked(goal.first.text[:start]))
        if any(n.span[1] == place and own & set(n.concepts) for n in goal.first.named):
            return (Name(goal.first.text[start:end].strip(), start, end, 0, "named"),)
    return ()


def _numbered(speech: Speech, goal: Goal) -> list[Name]:
    found = []
    kinds = {c for kind in goal.tool.targets.values() for c in named_by(kind) if c[0] == "#"}
    for number in speech.numbers:
        start, end = number.span
        before = _unmarked(speech.text[:start])
        near = any(n.span[1] == len(before) and any(c in kinds for c in n.concepts) for n in speech.named)
        hashed = speech.text[start - 1 : start] == "#"
        if near or hashed or len(number.value) >= 7:
            found.append(Name(speech.text[start:end].strip(), start, end, 2, "named"))
    return found


def _answer(goal: Goal, arg: Arg) -> tuple[Name, ...]:
    """What was answered to the question for this target, as a name."""
    for ask, speech in reversed(goal.answers):
        if ask.sort == "target" and ask.arg is not None and ask.arg.name == arg.name:
            named = sorted([*speech.names, *_numbered(speech, goal)], key=lambda n: n.rank)
            return (named[0],) if named else _bare(speech)
    return ()


def _bare(speech: Speech) -> tuple[Name, ...]:
    """The whole answer without its function words at either end."""
    kept = [w for w in speech.words if not is_function(w.fold)]
    if not kept:
        return ()
    start, end = kept[0].start, kept[-1].end
    return (Name(speech.text[start:end], start, end, 2, "named"),)


def mentions(goal: Goal, arg: Arg) -> bool:
    """The user spoke of this kind of thing (`el gabinete 2`, `with the dentist`)."""
    wanted = {c for c in (*named_by(arg.kind), *arg.about) if c[0] == "#"}
    kind = re.sub(r"[\W_]+", " ", arg.kind.lower())
    return any(s.about(wanted) or kind in s.text.lower() for s in goal.said)
