"""Reads a word that is written together or bent: `MariaGarcia`, `mgarcia84`, `the Garcias`.

Source: contract RED-4, "known": matched however written, and never inside words. A word counts only where all of
it is the names of one person, or where its capitals say where a name begins.
"""

import re
from collections.abc import Callable, Collection, Container, Iterator

from deputize.redaction.lexicon import given, is_ordinary, listed
from deputize.redaction.matching import Word

SHORTEST = 6
"""Letters from which a word is looked at."""
_CAMEL = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]*)+")
_PART = 3
_REST = 5
"""Letters of a surname behind an initial (`mgarcia`)."""
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_FAMILY = re.compile(r"(?<!\w)(?:los|las|the|familia|family) \Z", re.IGNORECASE)
_ACCOUNT = re.compile(
    r"(?:[@/\\_=]|(?<!\w)(?:login|user|username|usuario|cuenta|account|alias|handle):? ?)\Z", re.IGNORECASE
)
_DIGITS = re.compile(r"\A\d+|\d+\Z")


Bearers = Callable[[list[str]], Collection[int]]
"""Who bears all of these words in one name; a word of one letter is an initial."""


def read(
    shadow: str, found: Word, known: Container[str], bearers: Bearers
) -> Iterator[tuple[int, int, Collection[int], bool]]:
    """Names in a word that is no known one: start, end, who may be meant, and whether it is a lone part of a name."""
    start, end, word = found
    letters = word if word.isalpha() else bare(word)
    if len(letters) < SHORTEST:
        return
    ways = [way for way in cuts(letters, known) if len(set(way)) == len(way)]
    if ways and (letters in listed() or is_ordinary(letters)):
        ways = []
    behind = initialled(letters, known) if letters[1:] in known and _is_account(shadow, found) else None
    for way in [*ways, *([list(behind)] if behind else [])]:
        if people := bearers(way):
            yield start, end, people, False
            return
    if base := singular(shadow, found, known):
        yield start, end, bearers([base]), True
        return
    yield from _humped(humps(shadow, found), known, bearers)


def _humped(
    parts: list[Word], known: Container[str], bearers: Bearers
) -> Iterator[tuple[int, int, Collection[int], bool]]:
    at = 0
    while at < len(parts):
        end, people = at, list[int]()
        while end < len(parts) and parts[end][2] in known:
            wider = bearers([one[2] for one in parts[at : end + 1]])
            if not wider:
                break
            end, people = end + 1, list(wider)
        lone = end - at == 1
        if people and not (lone and (len(parts[at][2]) <= _PART or is_ordinary(parts[at][2]))):
            yield parts[at][0], parts[end - 1][1], people, lone
        at = max(end, at + 1)


def cuts(word: str, known: Container[str], many: int = 4) -> Iterator[list[str]]:
    """Ways to read letters without a gap as two or more known words of three letters or more."""
    for end in range(_PART, len(word) - _PART + 1):
        if word[:end] not in known:
            continue
        rest = word[end:]
        if rest in known:
            yield [word[:end], rest]
        if many > 2:
            for tail in cuts(rest, known, many - 1):
                yield [word[:end], *tail]


def bare(word: str) -> str:
    """The word without figures at its ends (`garcia84`)."""
    return _DIGITS.sub("", word)


def initialled(word: str, known: Container[str]) -> tuple[str, str] | None:
    """An initial and a surname as in the name of an account; None where the word or its rest is an ordinary one."""
    rest = word[1:]
    if len(rest) < _REST or rest not in known or is_ordinary(rest) or is_ordinary(word) or word in listed():
        return None
    return word[0], rest


def humps(shadow: str, found: Word) -> list[Word]:
    """The parts of a word whose capitals say where they begin (`informeMariaGarcia`); none where they do not."""
    start, end, _ = found
    if shadow[start + 1 : end].islower() or shadow[start:end].isupper():
        return []
    piece = shadow[start:end]
    parts = [(start + one.start(), start + one.end(), one.group().lower()) for one in _HUMP.finditer(piece)]
    return parts if len(parts) > 1 else []


def _is_account(shadow: str, found: Word) -> bool:
    """True where what stands beside a word says that it names an account: `@`, figures, a path, the word for one."""
    start, _, word = found
    return word[-1].isdigit() or _ACCOUNT.search(shadow, max(0, start - 16), start) is not None


def singular(shadow: str, found: Word, known: Container[str]) -> str | None:
    """The surname in a family's plural (`los Garcías`, `the O'Briens`), where it is written as a name."""
    start, _, word = found
    if not shadow[start].isupper() or word[-1] != "s":
        return None
    family = _FAMILY.search(shadow, max(0, start - 9), start) is not None
    if not family and (word in listed() or is_ordinary(word) or word[:-1] in given()):
        return None
    for base in (word[:-1], word[:-2] if family and word.endswith("es") else ""):
        if len(base) > _PART and base in known and not is_ordinary(base):
            return base
    return None


def strangers(shadow: str) -> Iterator[tuple[int, int]]:
    """Names of people whom nobody knows, written together (`AnaRuizSoler`): a given name and a surname in capitals."""
    for match in _CAMEL.finditer(shadow):
        parts = humps(shadow, (match.start(), match.end(), match.group().lower()))
        named = [at for at, (_, _, part) in enumerate(parts) if part in listed() and not is_ordinary(part)]
        first = next((at for at in named if parts[at][2] in given()), None)
        if first is not None and first < named[-1]:
            yield parts[first][0], parts[named[-1]][1]
