"""Text as the planner sees it: folded words with their offsets, placeholders kept whole, light stems."""

import re
import unicodedata
from dataclasses import dataclass

PLACEHOLDER = re.compile(r"\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)_([a-z]{6})\b")
"""A redaction token: upper-case kind, underscore, three syllables (RED-3)."""

_WORD = re.compile(
    r"(?P<token>\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_[a-z]{6}\b)"
    r"|(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<code>\b[^\W\d_]{1,6}-?\d[\w/-]*)"
    r"|(?P<number>\+?\d[\d.,:/\- ]*\d|\d)"
    r"|(?P<word>[^\W\d_]+(?:[-'’·][^\W\d_]+)*)"
)
_POSSESSIVE = re.compile(r"['’]s?$", re.IGNORECASE)


def fold(text: str) -> str:
    """Lower case without accents, of exactly the same length, so that offsets stay true."""
    out = []
    for char in text:
        low = "'" if char == "’" else unicodedata.normalize("NFD", char)[0].lower()
        out.append(low if len(low) == 1 else char)
    return "".join(out)


def stem(word: str) -> str:
    """A folded word without plural and final vowel, in Spanish and English alike."""
    word = word.replace("-", "").replace("·", "")
    if len(word) > 5 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 5 and word.endswith("es") and word[-3] not in "aeiou":
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word[-1] in "aeo" else word


@dataclass(frozen=True, slots=True)
class Word:
    """One word; `fold` has no possessive ending, `kind` is the upper-case kind of a placeholder."""

    text: str
    fold: str
    start: int
    end: int
    sort: str
    first: bool
    possessive: bool = False

    @property
    def kind(self) -> str | None:
        return self.text.rpartition("_")[0] if self.sort == "token" else None

    @property
    def capital(self) -> bool:
        return self.sort == "word" and self.text[:1].isupper()

    @property
    def stem(self) -> str:
        return stem(self.fold)


def words(text: str) -> tuple[Word, ...]:
    """All words of `text` in order; `first` marks the first word of a sentence."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        sort = str(match.lastgroup)
        raw, start = match.group(), match.start()
        between = text[found[-1].end : start] if found else ""
        first = not found or (any(mark in between for mark in ".?!¿¡\n") and not _is_title(found[-1], between))
        bare = _POSSESSIVE.sub("", raw) if sort == "word" else raw
        possessive = bare != raw or (sort == "token" and text[match.end() : match.end() + 2] in ("'s", "’s"))
        if sort == "word" and raw in ("s", "S") and found and found[-1].possessive:
            continue
        found.append(Word(bare, fold(bare), start, start + len(bare), sort, first, possessive))
    return tuple(found)


def _is_title(word: Word, between: str) -> bool:
    return between.startswith(".") and word.fold in {"dr", "dra", "sr", "sra", "srta", "mr", "mrs", "ms", "prof", "d"}


def squash(value: str) -> str:
    """Folded text with only letters, digits and single spaces: for comparing labels, phones and codes."""
    return re.sub(r"[\W_]+", " ", fold(value)).strip()


def digits(value: str) -> str:
    """Only the digits of `value`."""
    return re.sub(r"\D", "", value)
