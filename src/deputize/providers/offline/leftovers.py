"""Puts the words that no other argument took into the plain texts still empty: names, searches, topics."""

import re
from collections.abc import Sequence

from deputize.providers.offline import values
from deputize.providers.offline.moves import Filled, Goal
from deputize.providers.offline.names import Name
from deputize.providers.offline.schema import Arg
from deputize.providers.offline.speech import BECAUSE, Speech, overlaps
from deputize.providers.offline.ways import query_arg

_REASONS = frozenset({"#reason", "#note"})
_SPECIFIC = frozenset({"#birth", "#due", "#name", "#last", "#address", "#phone", "#email"})


def words_left(goal: Goal, args: Sequence[Arg], filled: Filled) -> None:
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
    rest = None if best else values.topic(newest, filled.used) if query.required else _valued(newest, filled)
    if best or rest:
        filled.args[query.name] = best or rest
        filled.names = names[1:] if best and names and best == names[0].text else names


def _valued(speech: Speech, filled: Filled) -> str | None:
    """A value that no argument took (`how much is a cleaning`), which an optional search can look for."""
    for place in speech.named:
        if any(c[0] == "=" for c in place.concepts) and not overlaps(place.span, filled.used):
            return speech.text[place.span[0] : place.span[1]]
    return None


def _topic(goal: Goal, empty: Sequence[Arg], filled: Filled) -> None:
    fit = [a for a in empty if not a.about & _SPECIFIC]
    plain = [a for a in fit if a.role == "string"] or fit
    if not plain:
        return
    why = next((a for a in fit if a.about & _REASONS), fit[0] if len(fit) == 1 else None)
    if why is not None and not why.required and (said := _reason(goal)):
        filled.args[why.name] = said
        return
    if not any(a.required for a in plain) and _corrects(goal):
        _new_text(goal, plain, filled)
        return
    quoted = next(iter(goal.first.quoted), "")
    text = quoted or _after_colon(goal, filled) or _reason(goal) or values.topic(goal.first, filled.used)
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


def _after_colon(goal: Goal, filled: Filled) -> str:
    """What stands after a colon, up to the first part that another argument or a time took."""
    speech = goal.first
    colon = re.search(r":\s+", speech.text)
    if colon is None or (speech.note_span and speech.note_span[0] <= colon.start()):
        return ""
    ends = [s for s, _ in filled.used] + [w.start for w in speech.whens]
    ends += [s[0] for s in (speech.note_span, speech.minutes_span) if s]
    end = min((e for e in ends if e > colon.end()), default=len(speech.text))
    return values.untailed(speech, colon.end(), end)


def _reason(goal: Goal) -> str:
    """What stands after a `because`, as it was said."""
    found = BECAUSE.search(goal.first.text)
    return found[1].strip(" .") if found else ""


def _corrects(goal: Goal) -> bool:
    """The tool changes something that exists, so that left-over words are no value of it."""
    acts = {c for c in goal.first.concepts if c[0] == "@"}
    return not acts & {"@book", "@create", "@record", "@put", "@pay"}
