"""Reads a tool's declared arguments: what each one holds, judged by its declaration and never by the host."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from deputize.core.provider import ToolSchema
from deputize.providers.offline.lexicon import named_by
from deputize.providers.offline.words import squash

ROLES = ("target", "destination", "text", "enum", "bool", "datetime", "date", "time", "integer", "number", "string")


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument; `role` is one of ROLES or `other`; `kind` the entity or destination kind.

    `synonyms` are (words, choice) pairs that the description lists as `choice: words, words;`.
    `about` are the concepts that its description and name speak of; `decimal` marks numbers that also go as
    text; `many` a list of such values; `minor` amounts in cents; `days` counts days;
    `own` asks for what is the user's own; `whole` ids are whole numbers.
    """

    name: str
    role: str
    required: bool
    kind: str = ""
    choices: tuple[str, ...] = ()
    synonyms: tuple[tuple[str, str], ...] = ()
    described: str = ""
    about: frozenset[str] = frozenset()
    decimal: bool = False
    many: bool = False
    minor: bool = False
    days: bool = False
    own: bool = False
    whole: bool = False
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None


_OWN = re.compile(
    r"person asking|current user|\bown\b|\bmine\b|propi[oa]s?\b|usuario actual|quien pregunta", re.IGNORECASE
)
_FORMATS = {"date-time": "datetime", "date": "date", "time": "time"}
_TYPES = {"boolean": "bool", "integer": "integer", "number": "number", "string": "string"}


def args_of(tool: ToolSchema) -> tuple[Arg, ...]:
    """The arguments of `tool` in declared order."""
    return _cached(_Key(tool))


def typed(tool: ToolSchema, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with ids as the schema wants them, text or whole numbers."""
    whole = {a.name for a in args_of(tool) if a.role == "target" and a.whole}
    return {n: int(v) if n in whole and str(v).lstrip("-").isdigit() else v for n, v in args.items()}


class _Key:
    """Identity of a tool schema for the cache; schemas hold mappings and cannot be hashed."""

    __slots__ = ("tool",)

    def __init__(self, tool: ToolSchema) -> None:
        self.tool = tool

    def __hash__(self) -> int:
        return hash(self.tool.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.tool == other.tool


@lru_cache(maxsize=512)
def _cached(key: _Key) -> tuple[Arg, ...]:
    tool = key.tool
    properties = tool.parameters.get("properties", {})
    needed = set(tool.parameters.get("required", ()))
    return tuple(
        _arg(tool, name, _plain(spec, tool.parameters.get("$defs", {})), name in needed)
        for name, spec in properties.items()
    )


def _plain(spec: Mapping[str, Any], defs: Mapping[str, Any]) -> dict[str, Any]:
    """The specification with references followed and `null` alternatives dropped."""
    merged = dict(spec)
    while "$ref" in merged:
        target = defs.get(str(merged.pop("$ref")).rpartition("/")[2], {})
        merged = {**target, **merged}
    options = [_plain(o, defs) for key in ("anyOf", "oneOf", "allOf") for o in merged.pop(key, ())]
    options = [o for o in options if o.get("type") != "null"]
    if options:
        best = next((o for o in options if o.get("type") != "string" or "format" in o or "enum" in o), options[0])
        merged = {**best, **merged, "decimal": len(options) > 1 and best.get("type") == "number"}
    if merged.get("type") == "array":
        items = _plain(merged.get("items", {}), defs)
        merged = {**items, **{k: v for k, v in merged.items() if k not in ("type", "items")}, "many": True}
    if "const" in merged and "enum" not in merged:
        merged["enum"] = [merged["const"]]
    return merged


def _arg(tool: ToolSchema, name: str, spec: Mapping[str, Any], required: bool) -> Arg:
    described = str(spec.get("description", ""))
    about = frozenset(c for c in (*named_by(described), *named_by(name.replace("_", " "))) if c[0] in "#=@")
    kind = tool.targets.get(name) or tool.targets.get(f"{name}.*", "")
    role = "target" if kind else ""
    if not kind and name in tool.destinations:
        role, kind = "destination", tool.destinations[name]
    return Arg(
        name=name,
        role=role or _role(tool, name, spec),
        required=required,
        kind=kind,
        choices=tuple(str(v) for v in spec.get("enum", ()) if v is not None),
        synonyms=tuple(_synonyms(described, spec.get("enum", ()))),
        described=described,
        about=about,
        decimal=bool(spec.get("decimal")),
        many=bool(spec.get("many")),
        days=bool(re.search(r"\b(?:days|días|dias)\b", f"{described} {name.replace('_', ' ')}".lower())),
        whole=spec.get("type") == "integer",
        own=bool(_OWN.search(described)),
        minor=any(word in described.lower() for word in ("cent", "minor unit", "céntimo")),
        default=spec.get("default"),
        minimum=spec.get("minimum", spec.get("exclusiveMinimum")),
        maximum=spec.get("maximum", spec.get("exclusiveMaximum")),
    )


def _synonyms(described: str, choices: Iterable[object]) -> Iterator[tuple[str, str]]:
    for choice in choices:
        listed = re.search(rf"(?<!\w){re.escape(str(choice))}\s*[:=]\s*([^;.]+)", described)
        for words in listed[1].split(",") if listed else ():
            yield squash(words), str(choice)


def _role(tool: ToolSchema, name: str, spec: Mapping[str, Any]) -> str:
    if name in tool.texts:
        return "text"
    if spec.get("enum"):
        return "enum"
    if spec.get("type") == "string" and spec.get("format") in _FORMATS:
        return _FORMATS[spec["format"]]
    if spec.get("type") == "string" and spec.get("format") not in (None, ""):
        return "other"
    return _TYPES.get(str(spec.get("type")), "other")
