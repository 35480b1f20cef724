"""Example arguments for a tool, made from its declarations alone: what `check` tries writes with (APPR-2)."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from deputize.core.tool import Args, Tool
from deputize.policy.declared import schema_of

PLACES: Mapping[str, str] = {
    "email": "somebody@example.org",
    "phone": "+34600000000",
    "iban": "ES9121000418450200051332",
    "url": "https://example.org/",
}
_WORDS = "An example made to try this tool with. "
_SHAPES = ("example", "Example", "EX", "12345678", "1", "10:00", "2026-01", "#336699", "EUR", "es", "12345678Z", "a1")
_DAYS = 28


class NoExample(Exception):
    """Nothing can be made up for an argument; the text says for which, and why."""


@dataclass
class _Maker:
    """One attempt; the first is as plain as can be, later ones vary by chance of a fixed seed."""

    tool: Tool
    records: Mapping[str, Sequence[str]]
    now: datetime
    attempt: int
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.attempt)  # noqa: S311 - repeatable, not secret
        self.schema = schema_of(self.tool).schema
        self.definitions: Mapping[str, Any] = self.schema.parameters.get("$defs", {})

    def whole(self) -> dict[str, Any]:
        return self.fields(self.schema.parameters, "", all_of_them=self.attempt == 1)

    def fields(self, said: Mapping[str, Any], at: str, *, all_of_them: bool = False) -> dict[str, Any]:
        needed, made = set(said.get("required", ())), {}
        for name, one in said.get("properties", {}).items():
            wanted = name in needed or all_of_them or (self.attempt > 1 and self.chance.random() < 0.4)
            if not wanted:
                continue
            try:
                made[name] = self.value(one, f"{at}.{name}" if at else name)
            except NoExample:
                if name in needed:
                    raise
        return made

    def value(self, said: Any, at: str) -> Any:
        said = self.resolved(said)
        if at in self.schema.targets:
            return self.record(self.schema.targets[at], at)
        if at in self.schema.destinations and self.schema.destinations[at] in PLACES:
            return PLACES[self.schema.destinations[at]]
        if "const" in said or "enum" in said:
            return self.one(said.get("enum") or [said["const"]])
        kind = said.get("type")
        if kind == "array":
            least = max(int(said.get("minItems", 0)), 1)
            return [self.value(said.get("items", {}), f"{at}.*") for _ in range(least)]
        if kind == "object":
            return self.fields(said, at)
        if kind in ("integer", "number"):
            return self.number(said)
        return self.chance.random() < 0.5 if kind == "boolean" else self.text(said, at)

    def resolved(self, said: Any) -> Mapping[str, Any]:
        """Behind references and alternatives; of several the first that is not null."""
        while isinstance(said, Mapping):
            if "$ref" in said:
                said = self.definitions.get(str(said["$ref"]).rpartition("/")[2], {})
            elif "anyOf" in said or "oneOf" in said:
                said = next((one for one in said.get("anyOf") or said["oneOf"] if one != {"type": "null"}), {})
            else:
                return said
        return {}

    def record(self, kind: str, at: str) -> str:
        known = self.records.get(kind)
        if not known:
            raise NoExample(f"{at}: there is no {kind} to try it with")
        return str(self.one(known))

    def number(self, said: Mapping[str, Any]) -> Any:
        above, below = said.get("exclusiveMinimum"), said.get("exclusiveMaximum")
        most = said.get("maximum", below - 1 if below is not None else None)
        least = said.get("minimum", above + 1 if above is not None else 1 if most is None else min(1, most))
        most = least + 100 if most is None else most
        return least if self.attempt < 2 else min(most, least + self.chance.choice([0, 1, 2, 5, 10, 99]))

    def text(self, said: Mapping[str, Any], at: str) -> str:
        day = self.now + timedelta(days=1 + (self.attempt if self.attempt < 2 else self.chance.randrange(_DAYS)))
        match said.get("format"):
            case "date":
                return day.date().isoformat()
            case "date-time":
                return f"{day.date().isoformat()}T{10 if self.attempt < 2 else self.chance.randrange(8, 19):02}:00:00"
            case "time":
                return "10:00:00"
            case "uuid":
                return str(UUID(int=self.attempt + 1))
            case "email" | "uri" as place:
                return PLACES["url" if place == "uri" else place]
        least, most = int(said.get("minLength", 0)), int(said.get("maxLength", 200))
        words = (_WORDS * (least // len(_WORDS) + 1))[: max(least, min(most, len(_WORDS)))].strip().ljust(least, ".")
        fitting = [one for one in (words, *_SHAPES) if re.search(said.get("pattern", ""), one)]
        if not fitting:
            raise NoExample(f"{at}: no example for its pattern")
        return fitting[0]

    def one(self, among: Sequence[Any]) -> Any:
        return among[0] if self.attempt == 0 else self.chance.choice(list(among))


def samples(tool: Tool, records: Mapping[str, Sequence[str]], now: datetime, most: int = 30) -> Iterator[Args]:
    """Up to `most` different valid arguments: the fewest first, then all, then by chance, the same at each call.

    `records` are ids by entity kind. Raises NoExample where nothing valid can be made, in whatever way.
    """
    seen: list[Args] = []
    fault = "no valid example arguments were found"
    for attempt in range(most):
        try:
            made = tool.args.model_validate(_Maker(tool, records, now, attempt).whole())
        except ValidationError as error:
            fault = "no valid example for " + ", ".join(
                sorted({str(one["loc"][0]) for one in error.errors() if one["loc"]})
            )
            continue
        if made not in seen:
            seen.append(made)
            yield made
    if not seen:
        raise NoExample(fault)
