"""Finds the words of a sentence that name somebody or something: placeholders, capitals, words nobody declared."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from deputize.providers.offline import lexicon_en, lexicon_es
from deputize.providers.offline.calendar_words import WEEKDAYS
from deputize.providers.offline.lexicon import is_function
from deputize.providers.offline.words import Word, stem

_PARTICLES = frozenset({"de", "del", "la", "las", "los", "van", "von", "da", "di", "dos", "y", "i", "el"})
_DAYS = frozenset(stem(day) for day in WEEKDAYS)
"""`on Tuesdays` is no date and no name."""


@dataclass(frozen=True, slots=True)
class Name:
    """Words that may name somebody, as said.

    `rank` is how sure that is: 0 placeholder, 1 capitals, 2 announced (`named`, a title, possessive), 3 `a …`,
    4 `cita de …`, 5 `for …`, 6 right after the verb, 7 any unknown words. `mark` is what the words before say
    (`to`, `of`, `with`, `named`, `title`); `kind` the kind of a placeholder, upper case.
    """

    text: str
    start: int
    end: int
    rank: int
    mark: str = ""
    kind: str | None = None


def find_names(
    text: str,
    free: Sequence[Word],
    named: Sequence[tuple[tuple[str, ...], tuple[int, int]]],
    vocabulary: Collection[str],
    language: str,
) -> tuple[Name, ...]:
    """Names in order; `free` are the words that no time has taken, `named` the concepts by place."""
    places = {span[0]: concepts for concepts, span in named}
    known = {w.start for w in free for _, span in named if span[0] <= w.start < span[1]}
    letters = [w for w in free if w.sort == "word"]
    shouting = len(letters) > 2 and sum(w.capital for w in letters) > 0.7 * len(letters)
    sorts = [_sort(w, known, vocabulary, shouting) for w in free]
    found: list[Name] = []
    at = 0
    while at < len(free):
        end = _run(text, free, sorts, at)
        if end == at:
            at += 1
            continue
        found.append(_name(text, free, sorts, at, end, places, language))
        at = end
    return tuple(found)


def _sort(word: Word, known: Collection[int], vocabulary: Collection[str], shouting: bool) -> str:
    """`T` placeholder, `C` capitals, `U` unknown, `-` anything else."""
    if word.sort == "token":
        return "T"
    if word.sort == "code":
        return "C"
    title = word.fold in lexicon_es.MARKS and lexicon_es.MARKS[word.fold] == "title"
    if word.sort != "word" or title or word.stem in _DAYS or word.fold in ("mr", "mrs", "ms", "sr", "sra", "srta"):
        return "-"
    strange = word.start not in known and word.stem not in vocabulary and not is_function(word.fold)
    if word.capital and not shouting and (strange or not (word.first or is_function(word.fold))):
        return "C"
    return "U" if strange and len(word.fold) > 1 else "-"


def _run(text: str, free: Sequence[Word], sorts: Sequence[str], at: int) -> int:
    """Where the run of name words that begins at `at` ends; `at` itself if none begins."""
    sort = sorts[at]
    if sort == "-":
        return at
    end = at + 1
    if sort == "T":
        return end
    while end < len(free) and not free[end - 1].possessive and _adjacent(text, free[end - 1], free[end]):
        if sorts[end] == sort:
            end += 1
            continue
        ahead = end
        while ahead < len(free) and free[ahead].fold in _PARTICLES and ahead - end < 2:
            ahead += 1
        joined = sort == "C" and ahead > end and ahead < len(free) and sorts[ahead] == "C"
        if not joined or not _adjacent(text, free[end], free[ahead]) or free[end].fold in ("y", "i"):
            break
        end = ahead + 1
    return end


def _adjacent(text: str, one: Word, other: Word) -> bool:
    between = text[one.end : other.start]
    return len(between) <= 20 and all(c in " ." or c.isalpha() for c in between) and "\n" not in between


def _name(
    text: str,
    free: Sequence[Word],
    sorts: Sequence[str],
    at: int,
    end: int,
    places: dict[int, tuple[str, ...]],
    language: str,
) -> Name:
    first, last = free[at], free[end - 1]
    mark, word, noun = _mark(free, at, places)
    if sorts[at] == "T":
        rank = 0
    elif sorts[at] == "C":
        rank = 1
    elif last.possessive or mark in ("named", "title"):
        rank = 2
    elif word in ("a", "al") and language == "es":
        rank = 3
    elif mark == "of" and noun:
        rank = 4
    elif mark in ("to", "with"):
        rank = 5
    else:
        follows_verb = at > 0 and any(c[0] == "@" for c in places.get(free[at - 1].start, ()))
        rank = 6 if follows_verb and language == "en" else 7
    return Name(
        text[first.start : last.end], first.start, last.end, rank, "of" if last.possessive else mark, first.kind
    )


def _mark(free: Sequence[Word], at: int, places: dict[int, tuple[str, ...]]) -> tuple[str, str, bool]:
    """(mark, its word, whether a thing is named before it); articles, titles and nouns are stepped over."""
    mark, word, back = "", "", at - 1
    while back >= 0 and at - back <= 4:
        fold = free[back].fold
        found = lexicon_en.MARKS.get(fold) or lexicon_es.MARKS.get(fold)
        if found == "title" or (found == "named" and not mark):
            mark, word = found, fold
            if found == "title":
                back -= 1
                continue
            return mark, word, True
        if found:
            if mark != "title":
                mark, word = found, fold
            elif found in ("with", "to"):
                word = fold
            before = places.get(free[back - 1].start, ()) if back else ()
            return mark, word, any(c[0] == "#" for c in before)
        if fold not in ("la", "el", "the", "los", "las"):
            break
        back -= 1
    return mark, word, False
