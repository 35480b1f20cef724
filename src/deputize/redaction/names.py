"""Finds persons without a model: cue words, titles, name lists, and the shape of what stands beside them.

Source: contract RED-4, RED-5. One clear name with its neighbours is a person; a name that is a word too needs
other evidence; words of the house are never a name on their own.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

from deputize.redaction.evidence import SAINTS, of_a_place
from deputize.redaction.fold import Folded
from deputize.redaction.lexicon import PARTICLES, calendar, given, house, is_ordinary, listed, place, sections, surnames
from deputize.redaction.matching import Word, words
from deputize.redaction.runon import strangers
from deputize.redaction.spans import GUESS, Span

_TITLES = sections("cues")["title"]
_CUE = re.compile(
    r"(?<!\w)(?:"
    r"(?:my|his|her|their|the|patient|client|customer) (?:full |first |last |maiden )?name (?:is|was) ?"
    r"|named |name's |(?:i am|i'm|this is|it's|call me|met) (?=[A-Z])"
    r"|me llamo |se llama |mi nombre es |llamad[oa] |(?:yo )?soy (?=[A-Z])|habla (?=[A-Z])"
    r"|(?:nombre|apellidos?|paciente|patient|client|cliente|customer|user|usuario|name|medico|doctora?|titular"
    r"|(?:atendid|remitid)[oa] por|firmad[oa](?: por)?|facultativo|contact|contacto|attn|sender|recipient"
    r"|beneficiary|beneficiari[oa]|directed by|signed)\s?:\s{0,3}"
    r"|(?:dear|estimad[oa]|querid[oa]) (?=[A-Z])"
    r")\Z",
    re.IGNORECASE,
)
_AFTER_TITLE = re.compile(r"\.?[ :]{0,2}")
_CUE_ENDS = sections("cues")["cue"]
_SOFT = sections("cues")["soft"]
_BREAK = re.compile(r"[ \t]{1,2}|-|'|[ ]?\.[ ]|\.|,[ ]|[ ]-[ ]")
_SPEAK = sections("cues")["speak"]
"""Verbs whose object is a person; in Spanish with `a` between."""
_BEGIN = (".", "!", "?", "\n", ":", ";", "\u00bf", "\u00a1", "")
_LONGEST = 8


class _Look(IntEnum):
    LOWER, TITLE, UPPER = 0, 1, 2


@dataclass(slots=True)
class _Token:
    start: int
    end: int
    word: str
    look: _Look
    first: bool
    """Begins a sentence, a line or a quotation."""
    given: bool
    surname: bool
    plain: bool
    """Is an ordinary word too."""
    house: bool

    @property
    def clear(self) -> bool:
        """A name that is nothing else."""
        return (self.given or self.surname) and not self.plain

    @property
    def listed(self) -> bool:
        """In a list of names."""
        return self.given or self.surname


class NameLists:
    """A detector that needs no data but the word lists of this package; both languages at once."""

    def find(self, text: Folded, found: list[Word] | None = None) -> list[Span]:
        """Persons in a text; offsets are those of the original."""
        together = [Span(*text.span(*one), "PERSON", None, GUESS) for one in strangers(text.shadow)]
        return _Search(text.shadow, words(text.shadow) if found is None else found).spans(text) + together


class _Search:
    def __init__(self, shadow: str, found: list[Word]) -> None:
        self.shadow = shadow
        self.found = found
        self.made: dict[int, _Token] = {}

    def spans(self, text: Folded) -> list[Span]:
        spans, at, known, shadow = [], 0, listed(), self.shadow
        while at < len(self.found):
            start, _, word = self.found[at]
            end = at
            if word in known or shadow[start].isupper():
                end = self.name_at(at)
            if end > at:
                begin, stop = text.span(start, self.found[end - 1][1])
                spans.append(Span(begin, stop, "PERSON", None, GUESS))
            at = max(end, at + 1)
        return spans

    def token(self, at: int) -> _Token:
        made = self.made.get(at)
        if made is None:
            made = self.made[at] = self._make(at)
        return made

    def _make(self, at: int) -> _Token:
        start, end, word = self.found[at]
        piece = self.shadow[start:end]
        look = _Look.LOWER
        if piece[0].isupper():
            look = _Look.UPPER if end - start > 1 and piece.isupper() else _Look.TITLE
        before = self.shadow[max(0, start - 4) : start].rstrip(" \"'([*-")
        first = before[-1:] in _BEGIN and (before != "" or start < 4)
        return _Token(
            start, end, word, look, first, word in given(), word in surnames(), is_ordinary(word), word in house()
        )

    def gap(self, at: int) -> str | None:
        """What stands before a word if it can belong to the name that goes before: blank, hyphen, dot, comma."""
        between = self.shadow[self.found[at - 1][1] : self.found[at][0]]
        return between if len(between) <= 3 and _BREAK.fullmatch(between) else None

    def name_at(self, at: int) -> int:
        """Index behind the name that begins at a word; `at` itself where none does."""
        token = self.token(at)
        if not token.word.isalpha() or (token.word in PARTICLES and not self._particle(at)):
            return at
        saint = token.word in SAINTS and at + 1 < len(self.found)
        if of_a_place(self.shadow, self.found, at + 1 if saint else at) and not self._after_cue(at):
            return at
        title = self._after_title(at)
        if token.word in _TITLES and token.look != _Look.UPPER:
            return at
        cue = title or self._after_cue(at)
        if not cue and not token.listed:
            return self._spoken_to(at) or self._initialled(at) or self._unknown_first(at)
        if token.house and not title and not self._begins_anyway(at, cue):
            return at
        end = self._run(at, cue)
        return end if self._enough(at, end, cue, title) else at

    def _begins_anyway(self, at: int, cue: bool) -> bool:
        """A word of the house may still begin a name: after a label, or before a clear surname (`Julio Goicoechea`)."""
        token = self.token(at)
        if token.look == _Look.LOWER or not token.listed:
            return False
        if cue and not calendar(token.word):
            return True
        if not token.given or at + 1 >= len(self.found) or self.gap(at + 1) != " ":
            return False
        after = self.token(at + 1)
        return after.look == token.look and after.clear

    def _spoken_to(self, at: int) -> int:
        """A capital word that no list knows is a person where one is asked, told or called; 0 if it is not."""
        token = self.token(at)
        if token.look != _Look.TITLE or token.first or token.house or token.plain or len(token.word) < 3:
            return 0
        before = at - 1
        if before > 0 and self.found[before][2] == "a":
            before -= 1
        if before < 0 or self.found[before][2] not in _SPEAK or self.gap(at) != " ":
            return 0
        return self._run(at, False)

    def _initialled(self, at: int) -> int:
        """A capital word, an initial and a capital word (`Faina D. Yefremova`) are a person; 0 if they are not."""
        if at + 2 >= len(self.found) or len(self.found[at + 1][2]) != 1 or self.gap(at + 1) != " ":
            return 0
        first, initial, last = (self.token(one) for one in range(at, at + 3))
        if self.gap(at + 2) not in (" ", ". ") or initial.look != _Look.TITLE or not initial.word.isalpha():
            return 0
        if any(one.look != _Look.TITLE or one.house or one.plain or len(one.word) < 3 for one in (first, last)):
            return 0
        return self._run(at, False)

    def _particle(self, at: int) -> bool:
        token = self.token(at)
        if token.look != _Look.TITLE or at + 1 >= len(self.found) or self.gap(at + 1) not in (" ", "'"):
            return False
        return not token.first or self._after_cue(at)

    def _after_title(self, at: int) -> bool:
        if at == 0 or self.found[at - 1][2] not in _TITLES:
            return False
        token = self.token(at)
        between = self.shadow[self.found[at - 1][1] : token.start]
        return (token.look != _Look.LOWER or token.listed) and _AFTER_TITLE.fullmatch(between) is not None

    def _after_cue(self, at: int) -> bool:
        start = self.found[at][0]
        colon = self.shadow[max(0, start - 4) : start].rstrip()[-1:] == ":"
        if not colon and (at == 0 or self.found[at - 1][2] not in _CUE_ENDS):
            return False
        return _CUE.search(self.shadow, max(0, start - 48), start) is not None

    def _run(self, at: int, cue: bool) -> int:
        """Index behind the longest stretch of words that look like one name from `at` on."""
        end, ahead, comma = at + 1, at + 1, False
        model = self.token(at)
        while ahead < len(self.found) and ahead - at < _LONGEST:
            gap, token, last = self.gap(ahead), self.token(ahead), self.token(ahead - 1)
            if gap is None or ("." in gap and len(last.word) > 2):
                break
            if "," in gap:
                if comma or not (model.surname or cue) or not token.given or token.look == _Look.LOWER:
                    break
                comma = True
            if gap == "." and token.word in ("a", "o") and last.word == "m":
                ahead += 1
                continue
            if token.word in PARTICLES and (token.look == _Look.LOWER or ahead + 1 < len(self.found)):
                if gap == "'":
                    break
                ahead += 1
                continue
            if (gap == "'" and token.word == "s") or not _fits(token, model, last, end - at):
                break
            if calendar(token.word) and self.shadow[token.end : token.end + 2].strip()[:1].isdigit():
                break
            ahead += 1
            end = ahead
        return end

    def _enough(self, at: int, end: int, cue: bool, title: bool) -> bool:
        run = [self.token(one) for one in range(at, end) if self.found[one][2] not in PARTICLES]
        first = run[0] if run else self.token(at)
        clear = sum(token.clear for token in run)
        if title:
            return first.look != _Look.LOWER or first.clear
        if cue:
            return (first.look != _Look.LOWER and (not first.house or first.listed)) or clear > 0
        soft = at > 0 and self.found[at - 1][2] in _SOFT
        if first.look == _Look.LOWER:
            if len(run) > 1:
                return any(token.given for token in run) and (clear > 0 or (soft and first.given and len(run) > 2))
            return clear > 0 and first.given and (soft or len(first.word) > 3)
        if len(run) > 1:
            return _pair_enough(run, clear, soft)
        if first.clear:
            if first.look == _Look.UPPER and not first.given:
                return at > 0 and self.found[at - 1][2] in _SPEAK
            return first.given or len(first.word) > 3
        return first.given and soft and not first.first

    def _unknown_first(self, at: int) -> int:
        """A capital word that no list knows, before a clear name (`Jonnie Zirkle`), begins that name."""
        token = self.token(at)
        if token.look == _Look.LOWER or token.house or token.plain or len(token.word) < 3:
            return at
        if at + 1 >= len(self.found) or self.gap(at + 1) not in (" ", "-"):
            return at
        after = self.token(at + 1)
        if after.look != token.look or not after.clear:
            return at
        if token.first and token.look != _Look.UPPER:
            if at + 2 >= len(self.found) or self.gap(at + 2) != " " or self.shadow[: token.start].rstrip()[-1:] != ":":
                return at
            if self.token(at + 2).look != token.look or not self.token(at + 2).surname:
                return at
        return self._run(at, False)


def _fits(token: _Token, model: _Token, last: _Token, size: int) -> bool:
    """May this word continue a name of so many words that began like `model`?"""
    if not token.word.isalpha() or token.word in _TITLES:
        return False
    if token.look == _Look.LOWER:
        if model.look != _Look.LOWER or not (token.listed or place(token.word)):
            return False
        if token.house:
            return (token.surname or place(token.word)) and size > 1 and not calendar(token.word)
        return not token.plain or token.surname
    if model.look == _Look.LOWER:
        return False
    if token.look == _Look.UPPER and model.look != _Look.UPPER and len(token.word) > 2:
        return token.clear
    if token.house:
        if not (token.surname or place(token.word)) or token.look != model.look:
            return False
        return size > 1 if calendar(token.word) else last.given or (size > 1 and last.surname)
    return True


def _pair_enough(run: list[_Token], clear: int, soft: bool) -> bool:
    first, second = run[0], run[1]
    if clear == 0:
        return first.given and second.surname and (soft or not first.first)
    return not (first.first and first.plain and clear == 1 and not first.given)
