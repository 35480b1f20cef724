"""Cuts a shadow into the pieces that known values are looked up by: words, mail addresses, phones, numbers."""

import re
from collections.abc import Iterator

from deputize.redaction.canonical import compact, phone
from deputize.redaction.fold import lower

Word = tuple[int, int, str]
"""Start, end and lower-case letters of a word of the shadow."""

_WORD = re.compile(r"[^\W\d_]+")
_MIXED = re.compile(r"[^\W_]+")
_GAP = re.compile(r"(?:[ \t\n_.,'+\-/]|%20|%2C|&nbsp;){1,4}\Z", re.IGNORECASE)
EMAIL = re.compile(
    r"(?<![\w.%+\-])\w[\w.%+'\-]{0,63}@(?:[^\W_](?:[\w\-]{0,61}[^\W_])?\.){1,8}[^\W\d_](?:[\w\-]{0,61}[^\W_])?"
)
PHONE = re.compile(
    r"[+(0-9](?:(?<![^\W_].)|(?<=tel.)|(?<=tlf.)|(?<=fax.)|(?<=movil.)|(?<=phone.)|(?<=mobile.))(?<!\d[.,].)"
    r"(?:(?<=\+) ?\(?\d|(?<=\()\d|(?<=\d))(?:[ ().\-/]{0,3}\d){6,14}(?!\d)(?!(?!x\d|ext)[^\W_])",
    re.IGNORECASE,
)
"""Begins with what a number begins with, so that a search can leap there; what may stand before it is asked next."""
PHONE_LINES = re.compile(
    r"(?<![^\W_])(?:\+ ?|00 ?)?\d(?:[ .\-]?\d){1,8}[ .\-]?\n {0,4}\d(?:[ .\-]?\d){1,8}(?![^\W_])",
)
"""A phone that a line's end cuts in two."""
NUMBER = re.compile(
    r"(?<![^\W_])(?=[A-Za-z\-]{0,10}\d)[A-Za-z0-9]{1,36}(?:[.\-/ ][A-Za-z0-9]{1,12}){0,7}(?![^\W_])", re.ASCII
)
DIGIT = re.compile(r"[0-9]")
_TOKENS = re.compile(r"[A-Za-z0-9]+")


def words(shadow: str) -> list[Word]:
    """Words of letters or of letters and digits; `_`, `%20` and punctuation end a word."""
    low = lower(shadow)
    found = [(match.start(), match.end(), match.group()) for match in _MIXED.finditer(low)]
    if "%" not in low:
        return found
    return [word for start, end, text in found for word in _decoded(low, start, end, text)]


def _decoded(low: str, start: int, end: int, text: str) -> Iterator[Word]:
    """A percent-escape swallows the first two characters of the word after it (`%20ruiz`)."""
    if start and low[start - 1] == "%" and re.match(r"[0-9a-f]{2}", text):
        if end - start > 2:
            yield start + 2, end, text[2:]
    else:
        yield start, end, text


def joined(shadow: str, end: int, start: int) -> bool:
    """True where two words stand so close that they can be one name."""
    if start - end == 1:
        return shadow[end] in " _.,'-+/\n\t"
    return start - end <= 6 and _GAP.match(shadow[end:start]) is not None


def emails(shadow: str) -> Iterator[tuple[int, int, str]]:
    """Mail addresses with the form by which they are compared."""
    if "@" in shadow:
        for match in EMAIL.finditer(shadow):
            yield match.start(), match.end(), lower(match.group())


def phones(shadow: str) -> Iterator[tuple[int, int, str]]:
    """Runs of digits that may be a phone, with their canonical number."""
    for match in PHONE.finditer(shadow):
        yield match.start(), match.end(), phone(match.group())
    if "\n" in shadow:
        for match in PHONE_LINES.finditer(shadow):
            yield match.start(), match.end(), phone(match.group())


def numbers(shadow: str) -> Iterator[tuple[int, int, str]]:
    """Pieces of letters and digits that may be an identifier, alone and joined over spaces, dots and hyphens."""
    for match in NUMBER.finditer(shadow):
        pieces = [(one.start(), one.end()) for one in _TOKENS.finditer(shadow, match.start(), match.end())]
        for first, (start, _) in enumerate(pieces):
            for _, end in pieces[first : first + 8]:
                if end - start >= 4:
                    yield start, end, compact(shadow[start:end])
