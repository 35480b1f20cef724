"""Looks words up in both dictionaries: which concepts a text names, and what a concept is called."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from deputize.providers.offline import lexicon_en, lexicon_es
from deputize.providers.offline.words import Word, fold, stem

LANGUAGES = {"es": lexicon_es, "en": lexicon_en}

_PRONOUNS = r"(?:me|te|se|le|les|lo|la|los|las|nos|melo|mela|selo|sela|selos|selas)?"
_ENDINGS = {
    "es": r"(?:o|as|a|amos|an|es|e|emos|en|ar|er|ir|ara|era|are|ere|aria|ando|iendo|ado|ada|ados|adas|ido|ida|aste"
    r"|aron|io|ieron|imos|aba|aban|i)?" + _PRONOUNS,
    "en": r"(?:e|es|s|ed|d|ing|er|y|ied|ies|ned|ning|led|ling|ped|ping|ation)?",
}

RELATED: Mapping[frozenset[str], float] = {
    frozenset({"@create", "@record"}): 0.7,
    frozenset({"@book", "@create"}): 0.6,
    frozenset({"@book", "@record"}): 0.5,
    frozenset({"@remember", "@record"}): 0.6,
    frozenset({"@book", "@put"}): 0.6,
    frozenset({"@put", "@update"}): 0.6,
    frozenset({"@put", "@mark"}): 0.7,
    frozenset({"@put", "@create"}): 0.4,
    frozenset({"@put", "@record"}): 0.5,
    frozenset({"@update", "@mark"}): 0.7,
    frozenset({"@cancel", "@delete"}): 0.8,
    frozenset({"@update", "@move"}): 0.7,
    frozenset({"@update", "@rename"}): 0.8,
    frozenset({"@put", "@move"}): 0.5,
    frozenset({"@complete", "@mark"}): 0.6,
    frozenset({"@pay", "@record"}): 0.5,
    frozenset({"@show", "@count"}): 0.7,
    frozenset({"#agenda", "#appointment"}): 0.5,
    frozenset({"@come", "#appointment"}): 0.7,
    frozenset({"@come", "#agenda"}): 0.6,
    frozenset({"#slot", "#free"}): 0.7,
    frozenset({"#file", "#history"}): 0.4,
    frozenset({"#who", "#patient"}): 0.3,
    frozenset({"#report", "#summary"}): 0.6,
    frozenset({"#availability", "#slot"}): 0.3,
    frozenset({"#invoice", "#billing"}): 0.4,
    frozenset({"=checkup", "#recall"}): 0.3,
}
"""How near two different concepts are; what is not listed is strange to the other."""


OUTCOMES: Mapping[str, str] = {"@cancel": "=cancelled", "@complete": "=done"}
"""What a thing is after an action: `cancel the order` sets its state where a tool has one to set."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Words `first` to `last` (exclusive) of a text name `concepts` (more than one where ambiguous)."""

    first: int
    last: int
    concepts: tuple[str, ...]


class _Index:
    def __init__(self) -> None:
        self.single: dict[str, list[str]] = defaultdict(list)
        self.phrases: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        self.verbs: list[tuple[re.Pattern[str], str]] = []
        for language, module in LANGUAGES.items():
            for concept, entries in module.CONCEPTS.items():
                for entry in entries:
                    self._add(fold(entry), concept, language)

    def _add(self, entry: str, concept: str, language: str) -> None:
        parts = entry.replace("_", " ").split()
        if len(parts) > 1:
            self.phrases[parts[0]].append((tuple(parts), concept))
        elif entry.endswith("~"):
            self.verbs.append((re.compile(re.escape(entry[:-1]) + _ENDINGS[language]), concept))
        else:
            self.single[stem(entry)].append(concept)


_INDEX = _Index()


@lru_cache(maxsize=8192)
def concepts_of(word: str) -> tuple[str, ...]:
    """All concepts that a single folded word can name."""
    found = list(_INDEX.single.get(stem(word), ()))
    if any(concept[0] == "@" for concept in found):
        return tuple(dict.fromkeys(found))
    found += [concept for pattern, concept in _INDEX.verbs if pattern.fullmatch(word)]
    return tuple(dict.fromkeys(found))


def hits(text: Sequence[Word]) -> list[Hit]:
    """The concepts named in order; the longest phrase wins, single words may be ambiguous."""
    found: list[Hit] = []
    at = 0
    while at < len(text):
        length, concept = max((_matched(p, text, at), c) for p, c in [((), ""), *_INDEX.phrases.get(text[at].fold, ())])
        if length:
            found.append(Hit(at, at + length, (concept,)))
            at += length
            continue
        named = concepts_of(text[at].fold) if text[at].sort == "word" else ()
        if named:
            found.append(Hit(at, at + 1, named))
        at += 1
    return found


_ARTICLES = frozenset({"un", "una", "a", "an"})


def _matched(phrase: tuple[str, ...], text: Sequence[Word], at: int) -> int:
    """How many words from `at` on the phrase takes, 0 if it does not fit; an article may stand between its words."""
    start = at
    for n, part in enumerate(phrase):
        if n and at < len(text) and text[at].fold != part and text[at].fold in _ARTICLES:
            at += 1
        if at >= len(text) or not (text[at].fold == part or (len(part) > 3 and text[at].stem == stem(part))):
            return 0
        at += 1
    return at - start


_NEIGHBOURS: dict[str, tuple[tuple[str, float], ...]] = {
    one: tuple((other, score) for pair, score in RELATED.items() if one in pair for other in pair - {one})
    for one in {concept for pair in RELATED for concept in pair}
}


def nearest(feature: str, others: Set[str]) -> float:
    """How near the nearest of `others` means the same as `feature`, 0 to 1."""
    if feature in others:
        return 1.0
    return max((score for other, score in _NEIGHBOURS.get(feature, ()) if other in others), default=0.0)


def near(one: str, other: str) -> float:
    """How much two features mean the same, 0 to 1."""
    return 1.0 if one == other else RELATED.get(frozenset({one, other}), 0.0)


def is_function(word: str) -> bool:
    """Articles, prepositions, pronouns, politeness: words that never name anything."""
    return word in lexicon_es.FUNCTION or word in lexicon_en.FUNCTION


def shown(concept: str, language: str) -> str | None:
    """What people call the thing or value, or None where the dictionary has no word."""
    entries = LANGUAGES[language].CONCEPTS.get(concept, ())
    return next((entry for entry in entries if not entry.endswith("~")), None)


def named_by(label: str) -> tuple[str, ...]:
    """The concepts named by a declaration's label (`no_show`, `birth_date`, `patient`), longest phrase first."""
    from_words = tuple(
        Word(part, fold(part), 0, 0, "word", i == 0) for i, part in enumerate(re.findall(r"[^\W\d_]+", label))
    )
    return tuple(concept for hit in hits(from_words) for concept in hit.concepts)
