"""The form in which two spellings of one personal value are equal (phones, addresses of mail, numbers, words)."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import phonenumbers

from deputize.redaction.fold import folded
from deputize.redaction.lexicon import PARTICLES
from deputize.redaction.tokens import is_name

Group = Literal["name", "phone", "email", "number", "phrase"]

_PHONES = frozenset({"PHONE", "MOBILE", "FAX", "TELEPHONE"})
_NUMBERS = frozenset(
    {"ID", "DNI", "NIF", "NIE", "SSN", "PASSPORT", "NATIONAL_ID", "IBAN", "CARD", "ACCOUNT", "IP", "TAX_ID", "LICENCE"}
)
_NO_DIGIT, _EXTENSION = re.compile(r"\D"), re.compile("ext|x")
_COMPOUND = re.compile(r"[^\W_]+(?:['\-][^\W_]+)+")
WORD = re.compile(r"[^\W_]+")
REGIONS = ("ES", "US")


def group(kind: str, subject: str | None = None) -> Group:
    """How values of a kind are compared and found."""
    upper = kind.upper()
    if is_name(upper, subject):
        return "name"
    if upper in _PHONES:
        return "phone"
    if upper == "EMAIL":
        return "email"
    return "number" if upper in _NUMBERS else "phrase"


def words(value: str) -> tuple[str, ...]:
    """Folded words of a value, in order."""
    return tuple(WORD.findall(folded(value)))


def run_on(name: str) -> str:
    """A name with its compounds written as one word, as people in a hurry do (`obrien`, `vanderberg`)."""
    shadow = _COMPOUND.sub(lambda match: re.sub(r"['\-]", "", match.group()), folded(name))
    parts: list[str] = []
    little = ""
    for word in shadow.split():
        if word in PARTICLES:
            little += word
        else:
            parts.append(little + word)
            little = ""
    return name if parts == list(words(name)) else " ".join(parts)


_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_LATIN = (
    "а:a б:b в:v г:g д:d е:e ё:e ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh"
    " щ:shch ъ: ы:y ь: э:e ю:yu я:ya і:i ї:yi є:ye ґ:g"
)
_CYRILLIC = dict(pair.split(":") for pair in _LATIN.split(" "))


def spellings(name: str) -> Iterator[str]:
    """A name, and how else the same people write it: run on, `ue` for `ü`, Cyrillic in Latin letters."""
    yield name
    small = unicodedata.normalize("NFC", name).lower()
    others = [run_on(name), small.translate(_DIGRAPHS)]
    if not _CYRILLIC.keys().isdisjoint(small):
        others.append("".join(_CYRILLIC.get(char, char) for char in small))
    yield from (other for other in others if other not in (name, small))


def compact(value: str) -> str:
    """Letters and digits only, folded."""
    return "".join(WORD.findall(folded(value)))


@lru_cache(maxsize=4096)
def phone(value: str) -> str:
    """E.164 where the number is possible in Spain or North America or carries its country; else its digits."""
    plain = folded(value)
    digits = _NO_DIGIT.sub("", _EXTENSION.split(plain)[0])
    if plain.lstrip(" (").startswith(("+", "00")):
        return "+" + digits.removeprefix("00")
    for region in REGIONS:
        try:
            number = phonenumbers.parse(digits, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number_for_region(number, region):
            return f"+{number.country_code}{number.national_number}"
    return digits


def canonical(kind: str, value: str, subject: str | None = None) -> str:
    """The key under which one value has one token: equal for all spellings of that value."""
    match group(kind, subject):
        case "phone":
            return "phone " + phone(value)
        case "email":
            return "email " + folded(value).strip()
        case "number":
            return "number " + compact(value)
        case "name":
            return "name " + " ".join(words(value))
        case _:
            return "phrase " + (" ".join(words(value)) or value)
