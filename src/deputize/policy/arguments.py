"""Arguments: from the JSON text that a model sent to validated plain data, with errors that hold no value."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from deputize.core import strict_json
from deputize.core.tool import Args

MAX_ARGUMENTS = 100_000
"""Characters of arguments that are looked at; more is refused."""


@dataclass(frozen=True, slots=True)
class Bad:
    """Arguments that do not parse or validate: `(field, rule)` pairs, never values (RUN-3)."""

    code: str
    faults: tuple[tuple[str, str], ...]


def parse(raw: str, model: type[Args]) -> dict[str, Any] | Bad:
    """The JSON object in `raw`; nothing at all counts as `{}` only where no field is required."""
    if len(raw) > MAX_ARGUMENTS:
        return Bad("invalid_arguments", (("", "too_long"),))
    if not raw.strip():
        if any(field.is_required() for field in model.model_fields.values()):
            return Bad("invalid_arguments", (("", "missing"),))
        return {}
    try:
        value = strict_json.read(raw)
    except strict_json.NotStrict as error:
        return Bad("invalid_arguments", (("", error.rule),))
    if not isinstance(value, dict):
        return Bad("invalid_arguments", (("", "not_an_object"),))
    return value


def validate(value: Mapping[str, Any], model: type[Args]) -> Args | Bad:
    """Validate; a list or object sent as a JSON string is decoded once, where the schema wants one."""
    decoded = {name: _decoded(entry, model, name) for name, entry in value.items()}
    try:
        return model.model_validate(decoded)
    except ValidationError as error:
        known = set(model.model_fields)
        faults = tuple(
            (".".join(_named(part, known, n) for n, part in enumerate(fault["loc"])), str(fault["type"]))
            for fault in error.errors(include_input=False, include_url=False, include_context=False)
        )
        return Bad("invalid_arguments", faults[:10])


def _named(part: int | str, known: set[str], n: int) -> str:
    """A field's name, unless the model made it up (it could be a value in disguise)."""
    return "unknown_field" if n == 0 and isinstance(part, str) and part not in known else str(part)


def _decoded(entry: Any, model: type[BaseModel], name: str) -> Any:
    field = model.model_fields.get(name)
    if not isinstance(entry, str) or field is None or not _wants_structure(field.annotation):
        return entry
    try:
        inner = strict_json.read(entry)
    except strict_json.NotStrict:
        return entry
    return inner if isinstance(inner, list | dict) else entry


def _wants_structure(annotation: Any) -> bool:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _wants_structure(get_args(annotation)[0])
    if origin in (Union, UnionType):
        options = [option for option in get_args(annotation) if option is not type(None)]
        return bool(options) and all(_wants_structure(option) for option in options)
    if origin in (list, tuple, set, frozenset, dict):
        return True
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def call_key(tool: str, arguments: Mapping[str, Any]) -> str:
    """Equal for equal calls: tool and canonical arguments, without injected fields (RUN-5)."""
    text = json.dumps([tool, arguments], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()
