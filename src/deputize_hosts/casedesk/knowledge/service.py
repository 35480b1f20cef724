"""Searching the library: every word counts, titles more than bodies, accents and case not at all."""

import unicodedata

from deputize_hosts.casedesk.caller import Caller, require
from deputize_hosts.casedesk.errors import NotFound
from deputize_hosts.casedesk.knowledge.regulations import REGULATIONS
from deputize_hosts.casedesk.knowledge.standards import GUIDE, STANDARDS
from deputize_hosts.casedesk.knowledge.texts import Text
from deputize_hosts.kit.errors import language_of

SHELVES = {"regulations": REGULATIONS, "standards": STANDARDS, "guide": GUIDE}
NEEDS = {"regulations": "knowledge.read", "standards": "knowledge.read", "guide": "portal.case.read"}
_WORDS = """
a an and are as at be by do does for how in is it of on or say says the to we what when which who why about
al como con cual cuales cuando de del dice el en es esta hay la las lo los o para por que quien se sobre un una y
"""
_SMALL = frozenset(_WORDS.split())
"""Words that say nothing about a subject."""


def fold(text: str) -> str:
    """Without accents and case."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(c if c.isalnum() else " " for c in parts if not unicodedata.combining(c)).casefold()


def _stem(word: str) -> str:
    """A word without its plural, which is as much grammar as a small library needs."""
    for ending in ("es", "s"):
        if len(word) > 4 and word.endswith(ending):
            return word[: -len(ending)]
    return word


def search(actor: Caller, shelf: str, query: str = "") -> tuple[Text, ...]:
    """The shelf's texts in which most of the words stand, the best first; an empty query lists them all."""
    if shelf not in SHELVES:
        raise NotFound(actor)
    require(actor, NEEDS[shelf])
    words = [_stem(word) for word in fold(query).split() if word not in _SMALL]
    if not words:
        return SHELVES[shelf]
    language = language_of(actor)
    scored = []
    for place, text in enumerate(SHELVES[shelf]):
        score = max(_score(text, words, spoken) for spoken in dict.fromkeys((language, "en", "es")))
        if score:
            scored.append((-score, place, text))
    return tuple(text for _, _, text in sorted(scored, key=lambda one: one[:2]))


def _score(text: Text, words: list[str], language: str) -> int:
    title, body = fold(text.title[language]), fold(text.body[language])
    hits = sum(3 if word in title else 1 if word in body else 0 for word in words)
    found = sum(word in title or word in body for word in words)
    return hits if 2 * found >= len(words) else 0
