"""Joins the fragments of tool calls that OpenAI-compatible vendors stream, in all the shapes they are known to send.

Source: contract PROV-3; field cases A2 to A29. A fragment belongs to the call of its id, else of its index, else
to the last one; nothing is given out before the stream is over, since a prefix may look complete (A19).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deputize.core.message import ToolUse
from deputize.providers.lines import Malformed
from deputize.providers.wire import argument_object, clean

MOST_CALLS = 128
KNOWN = frozenset({"index", "id", "type", "function"})
KNOWN_IN_FUNCTION = frozenset({"name", "arguments"})


@dataclass(slots=True)
class Draft:
    """A call that is still coming."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """The arguments so far."""
        if len(self.arguments) > 1:
            self.arguments = ["".join(self.arguments)]
        return self.arguments[0] if self.arguments else ""

    @property
    def complete(self) -> bool:
        """Its arguments are an object by now; no reason to act, but one to see a second call in what follows."""
        text = self.text()
        return text.rstrip().endswith("}") and argument_object(text) is not None


@dataclass(frozen=True, slots=True)
class Fragment:
    """One piece in neutral words; empty strings and None say that a field was not sent."""

    id: str
    index: int | None
    name: str
    arguments: str
    whole: bool
    """The arguments came as an object, or are one."""
    extra: Mapping[str, Any]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _index(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 6:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _empty(value: Any) -> bool:
    return value is None or value == "" or value in ({}, [])


def fragment(piece: Mapping[str, Any]) -> Fragment:
    """Read one entry of `tool_calls`, or a legacy `function_call` wrapped as `{"function": ...}`."""
    function = piece.get("function")
    function = function if isinstance(function, Mapping) else {}
    arguments = function.get("arguments")
    if isinstance(arguments, Mapping):
        text, whole = json.dumps(arguments, ensure_ascii=False), True
    elif isinstance(arguments, list | int | float):
        # no arguments at all, but the door must see that: as an empty text they would be none
        text, whole = json.dumps(arguments, ensure_ascii=False), False
    else:
        text = _text(arguments)
        whole = text.lstrip().startswith("{") and argument_object(text) is not None
    extra = {key: value for key, value in piece.items() if key not in KNOWN and not _empty(value)}
    inner = {key: value for key, value in function.items() if key not in KNOWN_IN_FUNCTION and not _empty(value)}
    if inner:
        extra["function"] = inner
    number = piece.get("id")
    name = str(number) if isinstance(number, int) and not isinstance(number, bool) else _text(number)
    return Fragment(name, _index(piece.get("index")), _text(function.get("name")), text, whole, extra)


class Calls:
    """The calls of one answer, in the order in which they began."""

    def __init__(self) -> None:
        self._drafts: list[Draft] = []
        self._by_index: dict[int, Draft] = {}

    def __len__(self) -> int:
        return len(self._drafts)

    def add(self, piece: Any) -> None:
        """Take one entry of `tool_calls`; what is no object is ignored."""
        if not isinstance(piece, Mapping):
            return
        part = fragment(piece)
        if not (part.id or part.name or part.arguments or part.extra):
            return
        draft = self._owner(part)
        if draft is None:
            if len(self._drafts) == MOST_CALLS:
                raise Malformed("the answer holds more calls than any model makes")
            draft = Draft()
            self._drafts.append(draft)
        if part.index is not None:
            self._by_index[part.index] = draft
        self._merge(draft, part)

    def finished(self, origin: str) -> list[ToolUse]:
        """The calls; vendors' own fields stand under `origin`. A call without an id is given one by position."""
        return [
            ToolUse(
                id=clean(draft.id) or f"call_{position}",
                name=clean(draft.name),
                arguments=clean(draft.text()),
                extra={origin: draft.extra} if draft.extra else {},
            )
            for position, draft in enumerate(self._drafts)
        ]

    def _owner(self, part: Fragment) -> Draft | None:
        """The call that the fragment continues, or None where it begins one."""
        if part.id:
            draft = self._with_id(part)
            if draft is not None:
                return None if self._begins_again(draft, part) else draft
            held = self._held(part)
            # an id that comes after its call's first fragments completes that call
            return held if held is not None and not held.id and not self._begins_again(held, part) else None
        held = self._held(part)
        return None if held is not None and self._begins_again(held, part) else held

    def _with_id(self, part: Fragment) -> Draft | None:
        same = [draft for draft in self._drafts if draft.id == part.id]
        if part.index is not None and self._by_index.get(part.index) in same:
            return self._by_index[part.index]
        return same[-1] if same else None

    def _held(self, part: Fragment) -> Draft | None:
        """By index, else the last call (A7: the head of a call bears another index than its tail)."""
        if part.index is not None and part.index in self._by_index:
            return self._by_index[part.index]
        if part.index is not None and part.name and self._drafts and self._drafts[-1].name:
            return None
        return self._drafts[-1] if self._drafts else None

    def _begins_again(self, draft: Draft, part: Fragment) -> bool:
        """Two calls under one id or index (A8, A10): the held one is whole, and this is the head of another."""
        if not part.name or not draft.name:
            return False
        if part.index is not None and draft is not self._by_index.get(part.index) and draft.id == part.id != "":
            return True
        if part.name != draft.name:
            return draft.complete or (part.index is None and not part.id)
        return part.whole and draft.complete and part.arguments != draft.text()

    @staticmethod
    def _merge(draft: Draft, part: Fragment) -> None:
        draft.id = draft.id or part.id
        if part.name != draft.name:
            draft.name += part.name
        repeated = part.whole and part.arguments == draft.text()
        if part.arguments and not repeated:
            draft.arguments.append(part.arguments)
        for key, value in part.extra.items():
            held = draft.extra.get(key)
            both = isinstance(held, dict) and isinstance(value, Mapping)
            draft.extra[key] = {**held, **value} if both and isinstance(held, dict) else value
