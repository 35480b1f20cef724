"""Mends the edges of found names: whole words, hyphens, the capital words beside them, one span for one name."""

import re
from collections.abc import Sequence

from deputize.redaction.fold import Folded, folded, joins
from deputize.redaction.lexicon import PARTICLES, calendar, is_ordinary, listed, surnames
from deputize.redaction.spans import GUESS, Span

_NAMES = frozenset({"NAME", "PERSON"})
_RIGHT = re.compile(r"(?:[ ]|-|'(?=[A-Z])|[ ]?-[ ]?(?=[A-Z]))(?P<word>[^\W\d_]+)")
_LEFT = re.compile(r"(?<![^\W_])(?P<word>[^\W\d_]+)(?:[ ]|-|')\Z")
_WORD = re.compile(r"[^\W_]+")
_ELIDED = re.compile(r"(?<![^\W_])[ODL]['\u2019]\Z")
_WITHIN = re.compile(r"(?:[ \t]|-|'|\. ?| (?:de|del|la|de la|van|von|da|do|dos) )\Z", re.IGNORECASE)


def repaired(text: Folded, spans: Sequence[Span], sure: Sequence[Span]) -> list[Span]:
    """Guesses with mended edges; those that lie inside a sure find are dropped.

    A lone known word (a first name, a surname) is given among `spans`: where it is part of a longer name it
    loses its person, for somebody else may be meant.
    """
    source = text.text
    names = sorted((one for one in spans if one.kind in _NAMES), key=lambda one: (one.start, -one.end))
    mended: list[Span] = []
    for found in names:
        span = _widened(source, _trimmed(text, found) if found.rank == GUESS else found)
        if span.start >= span.end:
            continue
        last = mended[-1] if mended else None
        if last is not None and (span.start < last.end or _one_name(source, last.end, span.start)):
            mended[-1] = _union(last, span)
        else:
            mended.append(span)
    rest = [_whole_words(source, one) for one in spans if one.kind not in _NAMES]
    kept = [one for one in mended + rest if not any(_inside(one, held) for held in sure)]
    return [one for one in kept if not (_is_word(source, one) and any(_inside(held, one) for held in sure))]


def _is_word(text: str, span: Span) -> bool:
    """A guess of one word only: who is known in a part of it (`MariaGarciaFinal`) says more than the guess."""
    return span.rank == GUESS and span.kind in _NAMES and _WORD.fullmatch(text, span.start, span.end) is not None


def _inside(span: Span, held: Span) -> bool:
    return held.start <= span.start and span.end <= held.end and (held.start, held.end) != (span.start, span.end)


def _union(left: Span, right: Span) -> Span:
    start, end = min(left.start, right.start), max(left.end, right.end)
    for one in (left, right):
        if (one.start, one.end) == (start, end) and one.subject is not None:
            return one
    for one in (left, right):
        if (one.start, one.end) == (start, end):
            return one
    return Span(start, end, "PERSON", None, GUESS)


def _one_name(text: str, end: int, start: int) -> bool:
    return start - end <= 7 and _WITHIN.match(text[end:start]) is not None


def _whole_words(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start > 0 and joins(text[start]) and joins(text[start - 1]):
        start -= 1
    while end < len(text) and joins(text[end - 1]) and joins(text[end]):
        end += 1
    while end > start and text[end - 1] in " \t\n,;:":
        end -= 1
    while start < end and text[start] in " \t\n,;:":
        start += 1
    return span.moved(start, end)


def _trimmed(text: Folded, span: Span) -> Span:
    """A guess without the words of the house at its ends (`Cancela Iratxe Etxabe mañana`); maybe nothing is left."""
    pieces = [(*match.span(), match.group()) for match in _WORD.finditer(text.text, span.start, span.end)]
    while pieces and _small(text.text, pieces[-1]):
        pieces.pop()
    while pieces and _small(text.text, pieces[0]):
        pieces.pop(0)
    return span.moved(pieces[0][0], pieces[-1][1]) if pieces else span.moved(span.start, span.start)


def _small(text: str, piece: tuple[int, int, str]) -> bool:
    start, _, word = piece
    low = folded(word)
    if word[0].islower():
        return low in PARTICLES or is_ordinary(low, always=True)
    return len(word) > 2 and is_ordinary(low, always=True) and low not in listed() and _begins(text, start)


def _widened(text: str, span: Span) -> Span:
    mended = _whole_words(text, span)
    start, end = mended.start, mended.end
    if start >= end or not text[start].isupper():
        return mended
    shout = text[start:end].isupper()
    for _ in range(3):
        match = _RIGHT.match(text, end)
        if match is None or not _capital(match["word"], shout):
            break
        end = match.end()
    if _ELIDED.search(text, max(0, start - 3), start) is not None:
        start -= 2
    match = _LEFT.search(text, max(0, start - 24), start)
    if match is not None and _capital(match["word"], shout) and not _begins(text, match.start()):
        start = match.start()
    if (start, end) == (mended.start, mended.end):
        return mended
    return Span(start, end, "PERSON", None, GUESS)


def _capital(word: str, shout: bool) -> bool:
    low = folded(word)
    if (
        not word[0].isupper()
        or (shout and low not in listed())
        or low in PARTICLES
        or (is_ordinary(low) and not _borne(low))
    ):
        return False
    return (word.isupper() and len(word) > 1) == shout or len(word) == 1


def _borne(low: str) -> bool:
    """Beside a name a word of the house is a surname after all (`Ana Corona`), a day is not."""
    return low in surnames() and not calendar(low)


def _begins(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \"'([*-")
    return not before or before[-1] in ".!?\n:;\u00bf\u00a1" or text[start - 1] == "\n"
