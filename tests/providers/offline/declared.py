"""Turns argument and result models into the schemas that a planner gets, and renames everything in them."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from deputize.core import marks
from deputize.core.provider import ToolSchema
from deputize.core.tool import Args, Result


@dataclass(frozen=True)
class Declared:
    """A tool of a host that lives in memory: `run` gets plain arguments and returns plain data."""

    name: str
    args: type[Args]
    result: type[Result]
    run: Callable[[Mapping[str, Any]], Any]
    description: str
    effect: Literal["read", "write", "destructive"] = "read"
    es: tuple[str, ...] = ()
    en: tuple[str, ...] = ()

    def schema(self) -> ToolSchema:
        def marked(kind: type[Any], attribute: str) -> dict[str, str]:
            found = ((".".join(f.path), f.mark(kind)) for f in marks.fields(self.args))
            return {path: getattr(mark, attribute) for path, mark in found if mark is not None}

        yields = ((".".join(f.path), f.mark(marks.Yields)) for f in marks.fields(self.result))
        return ToolSchema(
            name=self.name,
            description=self.description,
            parameters=self.args.model_json_schema(),
            effect=self.effect,
            targets=marked(marks.Target, "entity"),
            destinations=marked(marks.Destination, "kind"),
            texts=tuple(".".join(f.path) for f in marks.fields(self.args) if f.mark(marks.Text)),
            yields={path: mark.entity for path, mark in yields if mark is not None},
            examples={"es": self.es, "en": self.en},
        )


def nonsense(name: str) -> str:
    """A meaningless name, always the same for the same name."""
    return "z" + "".join("bcdfghjklmnpqrst"[b % 16] for b in hashlib.sha256(name.encode()).digest()[:7])


def renamed(schema: ToolSchema) -> ToolSchema:
    """The same declaration with tool, arguments and result fields renamed to nonsense."""

    def path(dotted: str) -> str:
        return ".".join(part if part == "*" else nonsense(part) for part in dotted.split("."))

    parameters = dict(schema.parameters)
    parameters["properties"] = {
        nonsense(k): {a: b for a, b in v.items() if a != "title"} for k, v in parameters.get("properties", {}).items()
    }
    parameters["required"] = [nonsense(k) for k in parameters.get("required", ())]
    parameters.pop("title", None)
    return ToolSchema(
        name=nonsense(schema.name),
        description=schema.description,
        parameters=parameters,
        effect=schema.effect,
        targets={path(k): v for k, v in schema.targets.items()},
        destinations={path(k): v for k, v in schema.destinations.items()},
        texts=tuple(path(k) for k in schema.texts),
        yields={path(k): v for k, v in schema.yields.items()},
        examples=schema.examples,
    )


def rename_keys(value: Any) -> Any:
    """The same plain data with every key renamed to nonsense."""
    if isinstance(value, dict):
        return {nonsense(k): rename_keys(v) for k, v in value.items()}
    return [rename_keys(v) for v in value] if isinstance(value, list) else value


def named_back(args: Mapping[str, Any], schema: ToolSchema) -> dict[str, Any]:
    """Arguments under nonsense names back under their own, by the declaration they came from."""
    own = {nonsense(k): k for k in schema.parameters.get("properties", {})}
    return {own[k]: v for k, v in args.items()}
