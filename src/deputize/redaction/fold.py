"""A folded shadow of a text (no accents, no invisible characters, plain digits) with its way back to the original."""

import re
import unicodedata
from dataclasses import dataclass

_SPECIAL = {
    "ß": "ss",
    "ẞ": "SS",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "Đ": "D",
    "ð": "d",
    "þ": "th",
    "ı": "i",
    "’": "'",
    "‘": "'",
    "ʼ": "'",
    "´": "'",
    "\u2028": "\n",
    "\u2029": "\n",
}
_CONFUSABLE = dict(
    zip(
        "аеорсхуіјѕԁһвзкмнт" + "АЕОРСХУІЈЅԀҺВЗКМНТ" + "αβεζηικμνορτυχ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcxyijsdhb3kmht" + "AEOPCXYIJSDHB3KMHT" + "abezhikmnoptyx" + "ABEZHIKMNOPTYX",
        strict=True,
    )
)
"""Small and capital letters look like the same ones, so that a name in those scripts is itself in any case."""
_UNSPACED = re.compile(
    "[\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)
_DROPPED = frozenset({"Mn", "Me", "Cf"})


def unspaced(char: str) -> bool:
    """True for a letter of a script that writes words without blanks: it ends any word of another script."""
    return _UNSPACED.match(char) is not None


def joins(beside: str) -> bool:
    """True for a character (or none) that makes a longer word of what it stands beside."""
    return beside.isalnum() and not unspaced(beside)


def fold_char(char: str) -> str:
    """One character in the shadow: empty if it is a mark or invisible, several letters for a ligature.

    A letter of a script without blanks is a word of its own.
    """
    if unspaced(char):
        return f" {char} "
    if char in _SPECIAL:
        return _SPECIAL[char]
    out = []
    for part in unicodedata.normalize("NFKD", char):
        category = unicodedata.category(part)
        if category in _DROPPED:
            continue
        if category == "Nd":
            part = str(unicodedata.decimal(part))
        elif category == "Pd" or part == "\u2212":
            part = "-"
        elif category == "Zs":
            part = " "
        out.append(_CONFUSABLE.get(part, _SPECIAL.get(part, part)))
    return "".join(out)


class _Table(dict[int, str]):
    """Folded characters by code point, filled as they are met; bounded by Unicode itself."""

    def __missing__(self, point: int) -> str:
        folded = self[point] = fold_char(chr(point))
        return folded


_TABLE = _Table()
_SINGLE: set[str] = set()
"""Characters met so far that fold to exactly one."""


@dataclass(frozen=True, slots=True)
class Folded:
    """`shadow` is what is matched; `starts[i]` is the original index of shadow character i (None: the same)."""

    text: str
    shadow: str
    starts: tuple[int, ...] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Original offsets of a shadow span; marks that hang on its last letter belong to it."""
        if self.starts is None or start >= end:
            return start, end
        after = self.starts[end] if end < len(self.starts) else len(self.text)
        return self.starts[start], max(after, self.starts[end - 1] + 1)

    def tight(self, start: int, end: int) -> tuple[int, int]:
        """Original offsets of a shadow span without anything that was dropped after its last letter."""
        if self.starts is None or start >= end:
            return start, end
        return self.starts[start], self.starts[end - 1] + 1


def fold(text: str) -> Folded:
    """The shadow of a text; the case is kept. Source: contract RED-4 (accents, full width, confusables)."""
    if text.isascii():
        return Folded(text, text)
    shadow = text.translate(_TABLE)
    if not (set(text) - _SINGLE):
        return Folded(text, shadow)
    _SINGLE.update(char for char in set(text) if len(_TABLE[ord(char)]) == 1)
    if not (set(text) - _SINGLE):
        return Folded(text, shadow)
    starts: list[int] = []
    for index, char in enumerate(text):
        starts.extend([index] * len(_TABLE[ord(char)]))
    return Folded(text, shadow, tuple(starts))


def folded(text: str) -> str:
    """The shadow alone, in lower case: the form in which words are compared."""
    return (text if text.isascii() else text.translate(_TABLE)).lower()


def lower(shadow: str) -> str:
    """Lower case of a shadow with the same length, whatever letters it holds."""
    low = shadow.lower()
    if len(low) == len(shadow):
        return low
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in shadow)
