"""Requests and readings that the wires' tests share."""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from deputize.core.message import Message, Text, ToolResult, ToolUse
from deputize.core.provider import (
    Done,
    ModelRequest,
    ProviderEvent,
    Reasoned,
    Situation,
    TextDelta,
    ToolSchema,
    UsageReport,
)
from deputize.core.usage import Usage

SITUATION = Situation("2026-03-02T09:00:00+01:00", "Europe/Madrid", "es", "dentist", {"screen": "agenda"})
FIND = ToolSchema(
    "find_patient",
    "Find a patient.",
    {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": False},
)


def ask(*messages: Message, tools: Sequence[ToolSchema] = (), system: str = "Be brief.", **more: Any) -> ModelRequest:
    """A request; without messages somebody says hello."""
    return ModelRequest(
        model=more.pop("model", ""),
        system=system,
        situation=SITUATION,
        messages=messages or (said("Hello"),),
        tools=tools,
        max_output_tokens=256,
        **more,
    )


def said(text: str) -> Message:
    """A turn of the person."""
    return Message("user", (Text(text),))


def called(*uses: ToolUse, text: str = "", extra: dict[str, Any] | None = None) -> Message:
    """A turn of the model."""
    return Message("assistant", (*([Text(text)] if text else []), *uses), extra or {})


def answered(*ids: str, content: str = "{}") -> Message:
    """The results of a turn."""
    return Message("tool", tuple(ToolResult(id_, "find_patient", content) for id_ in ids))


@dataclass
class Read:
    """What a stream said, gathered."""

    text: str = ""
    calls: list[ToolUse] = field(default_factory=list)
    usage: Usage | None = None
    reports: int = 0
    reasoned: int = 0
    done: Done | None = None

    def add(self, event: ProviderEvent) -> None:
        assert self.done is None, "nothing follows Done"
        if isinstance(event, TextDelta):
            assert event.text
            self.text += event.text
        elif isinstance(event, ToolUse):
            self.calls.append(event)
        elif isinstance(event, UsageReport):
            self.usage, self.reports = event.usage, self.reports + 1
        elif isinstance(event, Reasoned):
            self.reasoned += 1
        else:
            self.done = event

    @property
    def reason(self) -> str | None:
        return None if self.done is None else self.done.reason


def gathered(stream: Iterable[ProviderEvent]) -> Read:
    """Read a list of events."""
    read = Read()
    for event in stream:
        read.add(event)
    return read


async def read_all(stream: AsyncIterator[ProviderEvent]) -> Read:
    """Read a stream to its end."""
    read = Read()
    async for event in stream:
        read.add(event)
    return read
