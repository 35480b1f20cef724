"""What a text of the library is: a key, a title and a body in each language, and who may read it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """One text. `shelf` is `regulations`, `standards` or `guide` (for customers); both languages are whole."""

    key: str
    shelf: str
    title: Mapping[str, str]
    body: Mapping[str, str]


def text(shelf: str, key: str, en: tuple[str, str], es: tuple[str, str]) -> Text:
    """A text from its title and body in English and in Spanish."""
    return Text(key, shelf, {"en": en[0], "es": es[0]}, {"en": en[1], "es": es[1]})
