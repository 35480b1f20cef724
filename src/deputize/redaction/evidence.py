"""Tells where a lone word that is somebody's name means that person, though it may be an ordinary word too (RED-5)."""

from collections.abc import Sequence

from deputize.redaction.fold import unspaced
from deputize.redaction.lexicon import is_ordinary, sections
from deputize.redaction.matching import Word, joined

SAINTS = frozenset({"san", "santa", "santo", "saint"})
_TITLES = sections("cues")["title"]
_ACTS = sections("cues")["act"]
"""What people do, as it stands behind their name."""
_SUMMON = sections("cues")["speak"] | sections("cues")["summon"]
"""Verbs whose object is a person."""


def stands_alone(shadow: str, stream: Sequence[Word], at: int) -> bool:
    """One known word alone is a name unless it is an ordinary word written as one."""
    start, end, word = stream[at]
    if (len(word) < 3 and word.isascii()) or (len(word) == 1 and unspaced(word)):
        return False
    if of_a_place(shadow, stream, at, named=True):
        return False
    if not is_ordinary(word) or _acts(shadow, stream, at):
        return True
    before = shadow[max(0, start - 2) : start].rstrip(" ")
    sentence = start == 0 or before == "" or before[-1] in ".!?\n:"
    shouting = shadow[start:end].isupper() and len(word) > 1
    return shadow[start].isupper() and not sentence and not shouting and not is_ordinary(word, always=True)


def of_a_place(shadow: str, stream: Sequence[Word], at: int, *, named: bool = False) -> bool:
    """A saint's name, as hospitals and towns bear it (`Hospital Santa Rosa`), unless a name stands before it.

    `named` asks that a word of the house says what bears it.
    """
    before = at - 1
    if before < 0 or stream[before][2] not in SAINTS or not shadow[stream[before][0]].isupper():
        return False
    if shadow[stream[before][1] : stream[at][0]] not in (" ", ". ") or not shadow[stream[at][0]].isupper():
        return False
    start, end, ahead = stream[before - 1] if before else (0, 0, "")
    beside = shadow[end : stream[before][0]] == " "
    if ahead in _TITLES:
        return False
    if beside and is_ordinary(ahead, always=True):
        return True
    return not named and not (beside and shadow[start].isupper())


def _acts(shadow: str, stream: Sequence[Word], at: int) -> bool:
    """It does what people do (`Rosa said`), or somebody speaks to it (`llama a rosa`)."""
    start, end, _ = stream[at]
    if shadow[start].isupper() and at + 1 < len(stream) and stream[at + 1][0] == end + 1 and stream[at + 1][2] in _ACTS:
        return True
    before = at - 1
    if before > 0 and stream[before][2] == "a":
        before -= 1
    return before >= 0 and stream[before][2] in _SUMMON and joined(shadow, stream[at - 1][1], start)
