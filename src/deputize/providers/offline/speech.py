"""What one sentence contains: its language, times, names, numbers, notes, and the concepts it speaks of."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from deputize.providers.offline import lexicon_en, lexicon_es, times
from deputize.providers.offline.lexicon import LANGUAGES, hits, is_function
from deputize.providers.offline.names import Name, find_names
from deputize.providers.offline.times import When
from deputize.providers.offline.words import Word, digits, fold, stem, words

Span = tuple[int, int]

_NOTE = re.compile(
    r"(?<!\w)(?:(?:con |y |with )?(?:una |a |la )?(?:notas?|notes?|comentario|comment|observaciones)|motivo|reason"
    r"|rationale|justificacion)\s*:\s*(.+)$",
    re.DOTALL,
)
_QUOTED = re.compile(r"[\"“«]([^\"”»]+)[\"”»]|(?<!\w)['‘]([^'’]{2,})['’](?!\w)")
_SELF_TEXT = (
    "le les su sus him her them his their this these dale ponle hazle dile pidele cogele esta este esto that esa ese "
    "eso it"
)
_SELF = frozenset(_SELF_TEXT.split())
_CLITIC = re.compile(r".{3,}(?:ale|ele|ile|arle|erle|irle|ala|alo|ela|elo|arla|arlo|erla|erlo|eles|ales|sela|selo)$")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as said; `value` in plain decimal form, `unit` the folded word after it."""

    value: str
    span: Span
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A concept (or several, where ambiguous) named by the words at `span`."""

    concepts: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Speech:
    """One sentence taken apart; spans are character offsets into `text`."""

    text: str
    language: str
    words: tuple[Word, ...]
    whens: tuple[When, ...]
    minutes: int | None
    minutes_span: Span | None
    named: tuple[Named, ...]
    names: tuple[Name, ...]
    numbers: tuple[Number, ...]
    mails: tuple[str, ...]
    note: str | None
    note_span: Span | None
    quoted: tuple[str, ...]
    points: bool
    """It points at something said or shown before (`agéndale`, `this appointment`)."""

    @property
    def concepts(self) -> frozenset[str]:
        return frozenset(c for named in self.named for c in named.concepts)

    def about(self, concepts: Collection[str]) -> list[Named]:
        """The places that name one of `concepts`."""
        return [n for n in self.named if any(c in concepts for c in n.concepts)]


_COMMON = {
    "es": {"escribe", "escribeme", "cuenta", "cuentame", "dime", "hazme", "manda", "traduce", "sabes", "manana", "hoy"},
    "en": {"write", "tell", "give", "make", "send", "translate", "know", "today", "tomorrow", "yesterday", "next"},
}
"""Words that tell the language and nothing else."""


def language_of(text: str, otherwise: str) -> str:
    """`es` or `en` by the function words and the letters of the text."""
    found = [w.fold for w in words(text) if w.sort == "word"]
    spanish = sum(w in lexicon_es.FUNCTION and w not in ("a", "me", "no") for w in found)
    english = sum(w in lexicon_en.FUNCTION and w not in ("a", "me", "no") for w in found)
    spanish += sum(w in _COMMON["es"] for w in found)
    english += sum(w in _COMMON["en"] for w in found)
    if spanish == english:
        for hit in hits([w for w in words(text)]):
            spoken = [w.fold for w in words(text)][hit.first : hit.last]
            spanish += any(_entry(w, "es") or _entry(stem(w), "es") for w in spoken)
            english += any(_entry(w, "en") or _entry(stem(w), "en") for w in spoken)
    english += any(w.possessive and text[w.end : w.end + 2] in ("'s", "’s") for w in words(text))
    spanish += 2 * any(c in text for c in "¿¡")
    spanish += any(c in w.text for w in words(text) if not w.capital for c in "ñáéíóú")
    if spanish == english:
        return otherwise
    return "es" if spanish > english else "en"


@lru_cache(maxsize=4096)
def _entry(word: str, language: str) -> bool:
    entries = [fold(e) for group in LANGUAGES[language].CONCEPTS.values() for e in group]
    return any(e == word or stem(e) == word or (e.endswith("~") and word.startswith(e[:-1])) for e in entries)


def parse(text: str, now: datetime, language: str, vocabulary: Collection[str] = ()) -> Speech:
    """Take `text` apart; `now` is naive local, `vocabulary` holds the stems of words that tools declare."""
    folded = fold(text)
    noted = _NOTE.search(folded)
    note_span = (noted.start(), noted.end()) if noted else None
    body = text[: noted.start()] if noted else text
    spoken = words(body)
    length = times.duration(body)
    masked = body if length is None else body[: length[1]] + " " * (length[2] - length[1]) + body[length[2] :]
    whens = tuple(times.find(masked, now, language))
    spans = [(w.start, w.end) for w in whens] + ([(length[1], length[2])] if length else [])
    free = [w for w in spoken if not _within((w.start, w.end), spans)]
    named = _named(spoken, spans, language)
    return Speech(
        text=text,
        language=language,
        words=spoken,
        whens=whens,
        minutes=length[0] if length else None,
        minutes_span=(length[1], length[2]) if length else None,
        named=tuple(named),
        names=find_names(body, free, [(n.concepts, n.span) for n in named], vocabulary, language),
        numbers=tuple(_numbers(free, folded)),
        mails=tuple(w.text for w in free if w.sort == "mail"),
        note=text[noted.start(1) : noted.end(1)].strip() if noted else None,
        note_span=note_span,
        quoted=tuple(a or b for a, b in _QUOTED.findall(text)),
        points=any(w.fold in _SELF or (language == "es" and _CLITIC.match(w.fold)) for w in free),
    )


def _within(span: Span, spans: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in spans)


def overlaps(span: Span, spans: Sequence[Span]) -> bool:
    """True where `span` shares a character with one of `spans`."""
    return _within(span, spans)


def _named(spoken: Sequence[Word], spans: Sequence[Span], language: str) -> list[Named]:
    found = []
    for hit in hits(spoken):
        span = (spoken[hit.first].start, spoken[hit.last - 1].end)
        concepts = _choose(hit.first, hit.last, hit.concepts, spoken)
        if concepts and not _within(span, spans):
            found.append(Named(concepts, span))
    return found


BECAUSE = re.compile(r"\b(?:because|since|porque|ya que|puesto que)\s+(.+)$", re.IGNORECASE | re.DOTALL)


def head(speech: Speech) -> int:
    """Where the wish ends and its content begins: at a colon or a `because` after an action; else the text's end."""
    for content in (re.search(r":\s", speech.text), BECAUSE.search(speech.text)):
        if content and any(c[0] == "@" for n in speech.named for c in n.concepts if n.span[1] <= content.start()):
            return content.start()
    return len(speech.text)


_DETERMINERS_TEXT = (
    "la el los las un una unos unas mi mis tu tus su sus este esta estas estos otra otro otras ese esa esas que cual "
    "cuales cuanto cuanta cuantos cuantas hay tiene tengo tenemos ninguna de del the a an my his her their our this "
    "these those that of what which many any some no"
)
_DETERMINERS = frozenset(_DETERMINERS_TEXT.split())


def _choose(first: int, last: int, concepts: tuple[str, ...], spoken: Sequence[Word]) -> tuple[str, ...]:
    """Verb or noun, where a word can be both: a verb begins its clause and takes something after it."""
    before = spoken[first - 1].fold if first else ""
    if "@call" in concepts and before in ("se", "me"):
        concepts = tuple(c for c in concepts if c != "@call")
    actions = tuple(c for c in concepts if c[0] == "@")
    things = tuple(c for c in concepts if c[0] != "@")
    if not actions or not things or last - first > 1:
        return concepts
    after = spoken[last].fold if last < len(spoken) else ""
    if before in _DETERMINERS or (first and spoken[first - 1].possessive):
        return things
    opening = all(is_function(w.fold) for w in spoken[:first]) or spoken[first].first
    if not opening:
        return things if before not in ("to", "y", "and") else actions
    if after in ("de", "del", "of") and any(c[0] == "#" for c in things):
        return things
    return concepts if after in ("for", "para", "") else actions


def _numbers(free: Sequence[Word], folded: str) -> list[Number]:
    found = []
    for word in free:
        if word.sort == "number":
            unit = re.match(r"\s*([€$%]|[a-z]+)?", folded[word.end :])
            found.append(Number(_decimal(word.text), (word.start, word.end), (unit and unit[1]) or ""))
    return found


def _decimal(raw: str) -> str:
    raw = raw.strip()
    if len(digits(raw)) >= 7 and not re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?", raw):
        return ("+" if raw.startswith("+") else "") + digits(raw)
    grouped = re.fullmatch(r"(\d{1,3}(?:[.,]\d{3})+)(?:[.,](\d{1,2}))?", raw)
    if grouped:
        return digits(grouped[1]) + (f".{grouped[2]}" if grouped[2] else "")
    plain = re.fullmatch(r"(\d+)[.,](\d+)", raw)
    return f"{plain[1]}.{plain[2]}" if plain else raw
