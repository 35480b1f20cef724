"""The word lists by which names are told from other words: names, names that are words too, words of the house."""

from functools import cache
from importlib.resources import files

PARTICLES = frozenset(
    {
        "de",
        "del",
        "la",
        "las",
        "los",
        "el",
        "da",
        "das",
        "do",
        "dos",
        "di",
        "du",
        "le",
        "van",
        "von",
        "der",
        "den",
        "ten",
    }
    | {"ter", "bin", "ibn", "al", "san", "st", "mc", "o", "d"}
)
"""Little words inside names; they never make a name and never break one."""


@cache
def sections(name: str) -> dict[str, frozenset[str]]:
    """The lists of one word file of this package, by their title."""
    lists: dict[str, set[str]] = {}
    current: set[str] = set()
    for line in (files("deputize.redaction") / "words" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = lists.setdefault(line.strip("[] "), set())
        elif not line.startswith("#"):
            current.update(line.split())
    return {title: frozenset(words) for title, words in lists.items()}


@cache
def given() -> frozenset[str]:
    """Given names of both languages, without accents."""
    return sections("names_us")["given"] | sections("names_es")["given"]


@cache
def surnames() -> frozenset[str]:
    """Surnames of both languages, without accents."""
    return sections("names_us")["surname"] | sections("names_es")["surname"]


@cache
def listed() -> frozenset[str]:
    """All words that are in any list of names."""
    return given() | surnames()


def calendar(word: str) -> bool:
    """True for days, months, feasts and times of day."""
    return word in sections("house")["calendar"]


def place(word: str) -> bool:
    """True for towns and countries, which many people bear as a surname."""
    return word in sections("house")["place"]


@cache
def house() -> frozenset[str]:
    """Words that stay readable: calendar, trade, places, commands (RED-5)."""
    return frozenset().union(*sections("house").values())


@cache
def _ordinary() -> frozenset[str]:
    return frozenset().union(house(), *sections("ordinary").values())


def is_ordinary(word: str, *, always: bool = False) -> bool:
    """True for a name that is an ordinary word too; `always` asks for words of the house only."""
    return word in (house() if always else _ordinary())
