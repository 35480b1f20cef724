"""What a host refuses: a code, a status, words in the language of the one who asked, and what would be legal."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

LANGUAGES = ("en", "es")


class Speaks(Protocol):
    """Anybody who has a language."""

    @property
    def locale(self) -> str:
        """A BCP 47 tag."""
        ...


def language_of(asker: Speaks, otherwise: str = "en") -> str:
    """`en` or `es` by the asker's locale; `otherwise` for any other."""
    tag = asker.locale.lower()[:2]
    return tag if tag in LANGUAGES else otherwise


class HostError(Exception):
    """Root of each host's own root. `message` is in the language of the one who asked.

    `alternatives` is plain JSON data without personal values. `first` is the host's own language.
    """

    code: ClassVar[str] = "host_error"
    status: ClassVar[int] = 409
    first: ClassVar[str] = "en"
    words: ClassVar[Mapping[str, str]] = {"en": "This cannot be done.", "es": "No se puede hacer."}

    def __init__(self, asker: Speaks, *, alternatives: Mapping[str, Any] | None = None, **values: object) -> None:
        self.language = language_of(asker, self.first)
        self.values = values
        self.alternatives: Mapping[str, Any] = alternatives or {}
        self.message = self.said(self.language)
        super().__init__(self.message)

    def said(self, language: str) -> str:
        """The message in a given language."""
        return self.words.get(language, self.words[self.first]).format(**self.values)
