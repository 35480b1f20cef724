"""Which language a page speaks, and the words of an application in each."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request

COOKIE = "lang"


@dataclass(frozen=True, slots=True)
class Words:
    """`table` maps a key to its text by language; `languages` in order, the first is the default."""

    table: Mapping[str, Mapping[str, str]]
    languages: tuple[str, ...]

    def say(self, language: str, key: str, /, **values: object) -> str:
        """The text with `{names}` filled in. Raises KeyError for a key that nobody wrote."""
        texts = self.table[key]
        text = texts.get(language) or texts[self.languages[0]]
        return text.format(**values) if values else text

    def choose(self, request: Request, own: str | None = None) -> str:
        """The person's own language, else the cookie, else the browser's first known one, else the default."""
        wishes = [own or "", request.cookies.get(COOKIE, "")]
        wishes += [part.split(";")[0].strip() for part in request.headers.get("accept-language", "").split(",")]
        for wish in wishes:
            short = wish.split("-")[0].lower()
            if short in self.languages:
                return short
        return self.languages[0]
