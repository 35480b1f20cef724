"""Finds the values of plain arguments in the user's words: choices, numbers, booleans, addresses, prose."""

import re
from collections.abc import Collection, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from deputize.providers.offline.lexicon import OUTCOMES, concepts_of, is_function, named_by
from deputize.providers.offline.names import Name
from deputize.providers.offline.schema import Arg
from deputize.providers.offline.speech import Named, Number, Span, Speech, overlaps
from deputize.providers.offline.times import number
from deputize.providers.offline.words import PLACEHOLDER, digits, fold, squash, words

_UNITS = {
    "#amount": ("€", "$", "eur", "euro", "euros", "usd", "dollars"),
    "#month": ("mes", "meses", "month", "months"),
}
_ENTITY = frozenset({
    "#appointment", "#patient", "#slot", "#order", "#recall", "#budget", "#invoice", "#payment", "#note", "#case",
    "#user", "#treatment", "#professional", "#room", "#title", "#description", "#priority", "#reason", "#name",
})  # fmt: skip


def choice(arg: Arg, speech: Speech, records: Collection[str] = ()) -> tuple[str, Span] | None:
    """(value, place) of the enumeration's member that was said; the last one where several were.

    A member that is called like a kind of the tool's own `records` is not meant where the record is.
    """
    found: list[tuple[int, int, str, Span]] = []
    folded = fold(speech.text)
    for value in (value for value in arg.choices if value not in records):
        concepts = {c for c in named_by(value) if c[0] in "=#"}
        own = {c for c in concepts if c[0] == "="}
        if not own and not concepts <= speech.concepts:
            concepts = set()
        for place in speech.about(concepts):
            exactness = sum(c in concepts for c in place.concepts)
            found.append((place.span[1] - place.span[0] + exactness, place.span[0], value, place.span))
        for said in (squash(value), *(other for other, of in arg.synonyms if of == value)):
            literal = re.search(rf"(?<!\w){re.escape(said).replace(chr(92) + ' ', '[ -]')}(?:e?s)?(?!\w)", folded)
            if literal and said:
                found.append((len(said) + 9, literal.start(), value, literal.span()))
        if {f"={p}" for p in _parts(speech)} & concepts:
            found.append((1, 0, value, (0, 0)))
    found = found or _outcome(arg, speech)
    if not found:
        return None
    best = max(found)
    return best[2], best[3]


def _outcome(arg: Arg, speech: Speech) -> list[tuple[int, int, str, Span]]:
    """The member that the action itself leads to, where no value was said (`cancel order 12`)."""
    led = {OUTCOMES[c]: n.span for n in speech.named for c in n.concepts if c in OUTCOMES}
    return [(0, 0, v, led[c]) for v in arg.choices for c in named_by(v) if c in led]


def _parts(speech: Speech) -> set[str]:
    starts = {(0, 14): "morning", (0, 12): "morning", (14, 21): "afternoon", (12, 18): "afternoon"}
    return {starts.get(w.part, "evening") for w in speech.whens if w.part}


def figure(arg: Arg, speech: Speech, only: bool) -> tuple[Any, Span] | None:
    """(number, place) for an integer or number argument; a bare number only if no other argument wants one."""
    if speech.minutes is not None and speech.minutes_span and "#duration" in arg.about:
        return speech.minutes, speech.minutes_span
    if speech.minutes is not None and speech.minutes_span and only and not arg.required:
        return speech.minutes, speech.minutes_span
    for concept, units in _UNITS.items():
        if concept not in arg.about:
            continue
        for found in speech.numbers:
            if found.unit in units:
                return _fit(arg, found.value), _with_unit(found, speech)
        spelled = re.search(r"(\w+) (?:mes(?:es)?|months?)\b", fold(speech.text)) if concept == "#month" else None
        count = number(spelled[1]) if spelled else None
        if spelled and count:
            return count, spelled.span()
    for place in speech.about({c for c in arg.about if c[0] == "#"}):
        near = [n for n in speech.numbers if 0 <= n.span[0] - place.span[1] <= 12]
        if near:
            return _fit(arg, near[0].value), near[0].span
    if only and speech.numbers and arg.required:
        return _fit(arg, speech.numbers[0].value), speech.numbers[0].span
    return None


def _with_unit(number: Number, speech: Speech) -> Span:
    """The number and the unit after it."""
    start, end = number.span
    spaces = len(speech.text[end:]) - len(speech.text[end:].lstrip())
    return start, end + spaces + len(number.unit)


def _fit(arg: Arg, value: str) -> Any:
    try:
        exact = Decimal(value)
    except InvalidOperation:
        return value
    if arg.role == "integer":
        return int(exact * 100) if arg.minor else int(exact)
    return format(exact, "f") if arg.decimal else float(exact)


_MINE = re.compile(r"\b(?:mis?|mia|mios?|mias|yo|tengo|my|mine|i|i have|do i)\b")


def yes_or_no(arg: Arg, speech: Speech) -> tuple[bool, Span] | None:
    """(True, place) where the argument's own word was said, False where it was denied, None where it was not."""
    if arg.own:
        return (True, (0, 0)) if _MINE.search(fold(speech.text)) else None
    label = list(words(arg.described or arg.name.replace("_", " ")))
    own = {w.stem for w in label if not is_function(w.fold) and not any(c[0] == "#" for c in concepts_of(w.fold))}
    concepts = {c for c in arg.about if c[0] in "=@"}
    negative = any(w.fold in ("no", "not", "sin", "without") for w in label)
    for at, word in enumerate(speech.words):
        if word.stem in own or any(n.span[0] <= word.start < n.span[1] for n in speech.about(concepts)):
            before = {w.fold for w in speech.words[max(0, at - 2) : at]}
            denied = bool(before & {"sin", "no", "not", "don't", "without", "except", "excepto"})
            return denied if negative else not denied, (word.start, word.end)
    return None


def destination(arg: Arg, speech: Speech) -> tuple[str, Span] | None:
    """(value, place) of an e-mail address, a phone number or a placeholder of that kind."""
    for word in speech.words:
        if arg.kind == "email" and word.sort == "mail":
            return word.text, (word.start, word.end)
        if word.kind is not None and (word.kind == arg.kind.upper() or word.kind.startswith(arg.kind.upper())):
            return word.text, (word.start, word.end)
    if arg.kind == "phone":
        for found in speech.numbers:
            if len(digits(found.value)) >= 7:
                return found.value, found.span
    patterns = {"iban": r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b", "url": r"https?://\S+"}
    match = re.search(patterns[arg.kind], speech.text) if arg.kind in patterns else None
    return (match.group(), match.span()) if match else None


_TAIL = r"\s*(?:(?:es|is|a|al|to|as|por|with|de|en|in|now|ahora)\s+)*[:=]?\s*"


def labelled(arg: Arg, speech: Speech, others: Collection[str]) -> tuple[str, Span] | None:
    """(text, place) after the argument's own word: `título: …`, `change the address to …`."""
    own = {c for c in arg.about if c[0] == "#"} - set(others)
    own |= {"@rename"} if own & {"#title", "#name"} else set()
    for place in speech.about(own):
        rest = speech.text[place.span[1] :]
        colon = re.match(r"\s*[:=]\s*([^\n;]+)", rest)
        if colon:
            end = _next_label(rest, colon.start(1), colon.end(1))
            return rest[colon.start(1) : end].strip(" ,."), (place.span[0], place.span[1] + end)
        verb = re.search(r"(?:^|\s)(?:a|to|por|is|es|as)\s+(?:now\s+|ahora\s+)?(.+)$", rest, re.DOTALL)
        if verb:
            start = place.span[1] + verb.start(1)
            return verb[1].strip(" .\"'“”«»"), (start, len(speech.text))
    return None


def _next_label(rest: str, start: int, end: int) -> int:
    """A comma followed by another label ends the value."""
    other = re.search(r",?\s+[\wáéíóúñ]+(?: [\wáéíóúñ]+)?\s*:", rest[start:end])
    return start + other.start() if other else end


def person(args: Sequence[Arg], names: Sequence[Name]) -> dict[str, str]:
    """The name of somebody new over the arguments that hold names: the first word, then the rest."""
    if not names or not args:
        return {}
    whole = min(names, key=lambda n: (n.rank, n.start)).text
    parts = whole.split()
    if len(args) == 1 or PLACEHOLDER.fullmatch(whole) or len(parts) == 1:
        return {args[0].name: whole}
    return {args[0].name: parts[0], args[1].name: " ".join(parts[1:])}


def topic(speech: Speech, used: Sequence[Span]) -> str:
    """What is left to say: the longest stretch that nothing else has taken, without the words that only lead to it."""
    taken = [*used, *((w.start, w.end) for w in speech.whens)]
    taken += [s for s in (speech.minutes_span, speech.note_span) if s]
    taken += [n.span for n in speech.named if n.concepts and all(c[0] == "@" for c in n.concepts)]
    stretches: list[list[Any]] = [[]]
    for word in speech.words:
        if overlaps((word.start, word.end), taken):
            stretches.append([])
        else:
            stretches[-1].append(word)
    texts = [_trimmed(speech, stretch) for stretch in stretches]
    return max(texts, key=len, default="")


def _trimmed(speech: Speech, stretch: list[Any]) -> str:
    places: list[Named] = [n for n in speech.named if any(c in _ENTITY for c in n.concepts)]

    def leads(word: Any) -> bool:
        thing = any(p.span[0] <= word.start < p.span[1] for p in places)
        return thing or (word.sort == "word" and is_function(word.fold)) or word.fold in ("nuevo", "nueva", "new")

    while stretch and leads(stretch[0]):
        stretch = stretch[1:]
    while stretch and leads(stretch[-1]):
        stretch = stretch[:-1]
    return speech.text[stretch[0].start : stretch[-1].end] if stretch else ""


def untailed(speech: Speech, start: int, end: int) -> str:
    """The text from `start` to `end` without the words at its end that only lead to what follows (`, priority`)."""
    kept = [w for w in speech.words if start <= w.start and w.end <= end]
    places = [n for n in speech.named if any(c in _ENTITY | {"#due"} for c in n.concepts)]
    if end < len(speech.text):
        while kept and (is_function(kept[-1].fold) or any(p.span[0] <= kept[-1].start < p.span[1] for p in places)):
            kept.pop()
    return speech.text[start : kept[-1].end].strip(" ,.;") if kept else ""
