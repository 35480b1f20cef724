"""The conversation as turns: what the user said, which calls followed, what each answered."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deputize.core.message import Message, Text, ToolResult, ToolUse


@dataclass(frozen=True, slots=True)
class Answer:
    """A result's envelope; `result` is plain data where the outcome is ok."""

    outcome: str
    result: Any = None
    code: str = ""
    message: str = ""
    alternatives: Any = None
    reason: str = ""
    edited: tuple[str, ...] = ()
    """Arguments that the person changed on the card (APPR-7)."""
    truncated: bool = False
    total: int | None = None

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made and, unless still open, its answer."""

    id: str
    tool: str
    args: Mapping[str, Any]
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One user message with everything that followed it."""

    text: str
    calls: tuple[Made, ...] = ()
    said: str = ""


@dataclass(slots=True)
class _Open:
    text: str
    calls: list[Made] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def turns(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """Messages in order, cut at each user message; what precedes the first one is a turn without text."""
    found: list[_Open] = []
    for message in messages:
        if message.role == "user":
            found.append(_Open("\n".join(b.text for b in message.blocks if isinstance(b, Text))))
            continue
        if not found:
            found.append(_Open(""))
        for block in message.blocks:
            _take(found[-1], block)
    return tuple(Turn(t.text, tuple(t.calls), "\n".join(t.said)) for t in found)


def _take(turn: _Open, block: Text | ToolUse | ToolResult) -> None:
    if isinstance(block, Text):
        turn.said.append(block.text)
    elif isinstance(block, ToolUse):
        turn.calls.append(Made(block.id, block.name, _object(block.arguments)))
    else:
        for at, call in enumerate(turn.calls):
            if call.id == block.call_id:
                turn.calls[at] = Made(call.id, call.tool, call.args, envelope(block.content, block.error))


def _object(raw: str) -> Mapping[str, Any]:
    try:
        value = json.loads(raw or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def envelope(content: str, error: bool = False) -> Answer:
    """Read a result's JSON text; what is not an envelope counts as the bare result."""
    try:
        data = json.loads(content)
    except ValueError:
        return Answer("failed" if error else "ok", message=content if error else "", result=None if error else content)
    if not isinstance(data, dict) or "outcome" not in data:
        return Answer("failed" if error else "ok", result=data)
    total = data.get("total")
    return Answer(
        outcome=str(data["outcome"]),
        result=data.get("result"),
        code=str(data.get("code") or ""),
        message=str(data.get("message") or ""),
        alternatives=data.get("alternatives"),
        reason=str(data.get("reason_given_by_the_person") or data.get("reason") or ""),
        edited=tuple(map(str, data.get("fields_changed_by_the_person") or ())),
        truncated=bool(data.get("truncated")),
        total=total if isinstance(total, int) else None,
    )
