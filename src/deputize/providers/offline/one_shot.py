"""Answers a one-shot request with a JSON object that fits its schema, by keywords of the text (automations)."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from deputize.core.message import Text
from deputize.core.provider import ModelRequest, ToolSchema
from deputize.providers.offline.lexicon import named_by
from deputize.providers.offline.schema import Arg, args_of
from deputize.providers.offline.speech import Speech, language_of, parse
from deputize.providers.offline.times import number
from deputize.providers.offline.words import fold

_THEN = datetime(2026, 1, 5, 9)
_GRADES = {"=low": 0, "=medium": 1, "=high": 2, "=urgent": 3}
_SIGNS = {
    3: r"urgent|urge\b|emergenc|inmediat|immediate|asap|cuanto antes|right away|peligr|danger|incendi|\bfire\b|\bfuego|"
    r"inund|flood|fuga de gas|gas leak|atrapad|trapped|herid|injur|electrocu|chispa|spark|humo|smoke",
    2: r"import|\bhoy\b|\btoday\b|parad[oa]|no funciona|not working|\bdown\b|averi|brok|rot[oa]\b|fug|leak|bloque|"
    r"block|client|customer|complain|queja|segur|safety|corte|outage|sin luz|sin agua|no power|no water|reclam",
    0: r"cuando pued|when (?:you|someone) (?:can|has)|no (?:corre|hay) prisa|no (?:hurry|rush)|sin prisa|cosmetic|"
    r"estetic|pintur|paint|algun dia|some day|nice to have|mejora|minor|menor|pequen",
}


def one_shot(request: ModelRequest) -> dict[str, Any]:
    """A JSON object for the schema in `tools[0].parameters`; an empty one where no schema is given."""
    if not request.tools:
        return {}
    text = "\n".join(_texts(request)).strip()
    speech = parse(text, _THEN, language_of(text, (request.situation.locale[:2] == "es" and "es") or "en"))
    return {
        arg.name: value
        for arg in args_of(request.tools[0])
        if (value := _value(arg, speech, request.tools[0])) is not None
    }


def _texts(request: ModelRequest) -> Iterator[str]:
    for message in request.messages:
        if message.role == "user":
            yield from (block.text for block in message.blocks if isinstance(block, Text))


def _value(arg: Arg, speech: Speech, tool: ToolSchema) -> Any:
    if arg.many:
        return [] if arg.required else None
    if arg.role == "enum":
        return _choice(arg, speech)
    if arg.role == "bool":
        return grade(speech.text) == 3
    if arg.role in ("integer", "number"):
        return _number(arg, speech) if arg.required else None
    if arg.role in ("string", "text"):
        limit = tool.parameters.get("properties", {}).get(arg.name, {}).get("maxLength", 200)
        return summary(speech.text, int(limit))
    return None


def grade(text: str) -> int:
    """How pressing a text sounds: 0 low, 1 ordinary, 2 high, 3 urgent."""
    folded = re.sub(r"\b(?:no|not) (?:es )?(?:urgent|urge)\w*", "", fold(text))
    return next((level for level in (3, 0, 2) if re.search(_SIGNS[level], folded)), 1)


def _choice(arg: Arg, speech: Speech) -> str:
    grades = {_GRADES[c]: v for v in arg.choices for c in named_by(v) if c in _GRADES}
    if len(grades) >= 2:
        wanted = grade(speech.text)
        return grades[min(grades, key=lambda level: (abs(level - wanted), -level))]
    scores = {v: len(speech.about({c for c in named_by(v) if c[0] in "=#@"})) for v in arg.choices}
    return max(arg.choices, key=lambda v: scores[v])


def _number(arg: Arg, speech: Speech) -> int | float:
    found = next((n.value for n in speech.numbers), None)
    value = float(found) if found and re.fullmatch(r"\d+(\.\d+)?", found) else float(number("un") or 1)
    value = max(value, arg.minimum if arg.minimum is not None else value)
    value = min(value, arg.maximum if arg.maximum is not None else value)
    return int(value) if arg.role == "integer" else value


def summary(text: str, limit: int = 200) -> str:
    """The first sentence, cut at a word."""
    lines = [re.sub(r"^\s*[\w ]{1,20}:\s*", "", line).strip() for line in text.strip().split("\n")]
    first = next((line for line in lines if line), "")
    sentence = re.split(r"(?<=[.!?])\s", first, maxsplit=1)[0]
    if len(sentence) <= limit:
        return sentence
    return sentence[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;") + "…"
