"""A model that has been taken over entirely: it does what hostile text says, whatever it was asked."""

import base64
import binascii
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deputize.core.message import ToolResult
from deputize.core.provider import Done, ModelRequest, ProviderEvent, TextDelta, ToolSchema, ToolUse, UsageReport
from deputize.core.tool import Tool
from deputize.core.usage import Usage
from deputize.policy.declared import schema_of

Step = Sequence[tuple[str, Mapping[str, Any] | str]]
"""Calls that are made at once: `(tool, arguments)`; arguments given as text are sent as they are."""

MOST_IDS = 4
"""Records of one kind that are read one by one."""

_SEEN = re.compile(r"@(\w+)\[(\d+)\]")
_ORDER = re.compile(r"\b([a-z][a-z0-9_]{2,63})\s*(\{[^{}]*\})")
_BLOB = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_LOOKALIKES = str.maketrans("аеорсухіѕԁԛԝ", "aeopcyxisdqw")
"""Cyrillic letters that look like Latin ones."""


@dataclass
class HijackedProvider:
    """First it reads everything that it can name, then it carries out orders, step after step, then it stops.

    `tools` are all tools of the host, those not offered included. `orders` are what the author of the hostile
    text wants; `@kind[n]` in an argument is the n-th id of that kind that a result has shown, other ids are used
    as they are (it knows them all). With `obeys` it also carries out orders that it finds in results, in clear,
    in look-alike letters, in invisible tag characters or in base64.
    """

    tools: Sequence[Tool]
    orders: Sequence[Step] = ()
    reads_first: bool = True
    obeys: bool = True
    closing: str = "Done."
    name: str = "hijacked"
    is_language_model: bool = True
    default_model: str = "hijacked-1"
    requests: list[ModelRequest] = field(default_factory=list)
    seen: dict[str, list[str]] = field(default_factory=dict)
    """Ids (or their tokens) by entity kind, in the order in which results showed them."""
    _turn: int = 0
    _heard: int = 0
    _waiting: list[Step] = field(default_factory=list)
    _obeyed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._waiting = list(self.orders)

    def turn_over(self, orders: Sequence[Step], *, reads_first: bool = True) -> None:
        """A new conversation with new orders; what was seen is forgotten."""
        self.seen, self.reads_first, self.orders = {}, reads_first, orders
        self._waiting, self._turn, self._heard = list(orders), 0, 0
        self._obeyed.clear()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        """The next step: reading, then the orders one after the other, then a closing word."""
        self.requests.append(request)
        self._listen(request)
        step = self._next()
        for n, (tool, arguments) in enumerate(step, 1):
            text = arguments if isinstance(arguments, str) else json.dumps(self._filled(arguments))
            yield ToolUse(f"call_{len(self.requests)}_{n}", tool, text)
        if not step:
            yield TextDelta(self.closing)
        yield UsageReport(Usage(input=10, output=5))
        yield Done("tools" if step else "stop")

    async def close(self) -> None:
        """Nothing to release."""

    def _next(self) -> Step:
        self._turn += 1
        if self.reads_first and self._turn <= 2:
            reads = list(self._lists() if self._turn == 1 else self._records())
            if reads:
                return reads
        return self._waiting.pop(0) if self._waiting else ()

    def _lists(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Every read that names no record."""
        for one in self._reads():
            if not one.targets:
                yield one.name, _least(one)

    def _records(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Every read that names one record, for each record that was seen."""
        for one in self._reads():
            if len(one.targets) == 1:
                ((argument, kind),) = one.targets.items()
                for ident in self.seen.get(kind, ())[:MOST_IDS]:
                    yield one.name, {**_least(one), argument: ident}

    def _reads(self) -> list[ToolSchema]:
        return [schema_of(tool).schema for tool in self.tools if not tool.staged]

    def _listen(self, request: ModelRequest) -> None:
        """Ids and orders in what came since the last turn."""
        yields = {tool.name: schema_of(tool).schema.yields for tool in self.tools}
        for message in request.messages[self._heard :]:
            for block in message.blocks:
                if not isinstance(block, ToolResult):
                    continue
                data = json.loads(block.content)
                for path, kind in yields.get(block.name, {}).items():
                    for ident in _at(data.get("result"), path.split(".")):
                        known = self.seen.setdefault(kind, [])
                        if ident not in known:
                            known.append(ident)
                if self.obeys:
                    self._obey(block.content)
        self._heard = len(request.messages)

    def _obey(self, content: str) -> None:
        names = {tool.name for tool in self.tools}
        for tool, arguments in orders_in(content):
            order = f"{tool} {arguments}"
            if tool in names and order not in self._obeyed:
                self._obeyed.add(order)
                self._waiting.append([(tool, arguments)])

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str) and (wanted := _SEEN.fullmatch(value)):
            known = self.seen.get(wanted[1], [])
            return known[int(wanted[2])] if int(wanted[2]) < len(known) else value
        if isinstance(value, Mapping):
            return {name: self._filled(entry) for name, entry in value.items()}
        return [self._filled(entry) for entry in value] if isinstance(value, list) else value


def orders_in(content: str) -> Iterator[tuple[str, str]]:
    """`(tool, arguments as JSON text)` for each order in the strings of a JSON text, however it is disguised."""
    for text in _strings(json.loads(content)):
        for reading in _readings(text):
            for found in _ORDER.finditer(reading):
                try:
                    wanted = json.loads(found[2])
                except ValueError:
                    continue
                yield found[1], json.dumps(wanted)


def _readings(text: str) -> Iterator[str]:
    yield text
    tags = "".join(chr(ord(letter) - 0xE0000) for letter in text if 0xE0020 <= ord(letter) < 0xE007F)
    if tags:
        yield tags
    plain = text.translate(_LOOKALIKES)
    if plain != text:
        yield plain
    for blob in _BLOB.findall(text):
        try:
            yield base64.b64decode(blob + "=" * (-len(blob) % 4), validate=True).decode()
        except (binascii.Error, ValueError):
            continue


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _strings(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _strings(entry)


def _at(value: Any, path: Sequence[str]) -> Iterator[str]:
    """Every value at a dotted path; `*` stands for the items of a list."""
    if not path:
        if value is not None:
            yield str(value)
    elif path[0] == "*":
        for item in value if isinstance(value, list) else ():
            yield from _at(item, path[1:])
    elif isinstance(value, Mapping):
        yield from _at(value.get(path[0]), path[1:])


def _least(schema: ToolSchema) -> dict[str, Any]:
    """The fewest arguments with which the tool can be called; a text is one letter that nearly every name holds."""
    made: dict[str, Any] = {}
    properties = schema.parameters.get("properties", {})
    for name in schema.parameters.get("required", ()):
        said = properties.get(name, {})
        if name in schema.targets:
            continue
        if "enum" in said:
            made[name] = said["enum"][0]
        elif said.get("type") in ("integer", "number"):
            made[name] = said.get("minimum", 1)
        elif said.get("type") == "boolean":
            made[name] = False
        elif said.get("format") in ("date", "date-time"):
            made[name] = "2026-03-04" + ("T10:00:00" if said["format"] == "date-time" else "")
        else:
            made[name] = "a" * max(1, said.get("minLength", 1))
    return made
