"""A shadow in which escapes of JSON, URLs and HTML are read as the characters they stand for.

Source: contract RED-4: a name is found however it is written down (`Nu\\u00f1ez`, `N%C3%BA%C3%B1ez`, `Nu&ntilde;ez`).
Tokens are not looked for here: their own escaped spellings are part of the token.
"""

import re
from html.entities import html5
from urllib.parse import unquote

from deputize.redaction.fold import Folded, fold_char

_ESCAPE = re.compile(
    r"\\+(?:u(?P<code>[0-9a-fA-F]{4})|(?P<letter>[nrt]))|(?P<percent>(?:%[0-9a-fA-F]{2})+)"
    r"|&(?:\#(?P<number>\d{1,6})|\#[xX](?P<hex>[0-9a-fA-F]{1,5})|(?P<name>[A-Za-z]{2,8}));"
)


def unescaped(text: Folded) -> Folded:
    """The same text with a shadow that reads its escapes; the given one where there are none."""
    raw = text.text
    if "\\" not in raw and "%" not in raw and "&" not in raw:
        return text
    shadow: list[str] = []
    starts: list[int] = []

    def add(chars: str, at: int, *, each: bool) -> None:
        for offset, char in enumerate(chars):
            folded = fold_char(char)
            shadow.append(folded)
            starts.extend([at + offset if each else at] * len(folded))

    at = 0
    for match in _ESCAPE.finditer(raw):
        add(raw[at : match.start()], at, each=True)
        add(_meant(match), match.start(), each=False)
        at = match.end()
    if not at:
        return text
    add(raw[at:], at, each=True)
    return Folded(raw, "".join(shadow), tuple(starts))


def plain(value: str) -> str:
    """A value as it is meant, without escapes."""
    return _ESCAPE.sub(_meant, value)


def _meant(match: re.Match[str]) -> str:
    if match["letter"]:
        return "\n"
    if match["percent"]:
        return unquote(match["percent"], errors="replace")
    if match["name"]:
        return html5.get(match["name"] + ";", match.group())
    code = int(match["number"]) if match["number"] else int(match["hex"] or match["code"], 16)
    return chr(code) if 31 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " "
