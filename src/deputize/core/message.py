"""The turns of a conversation in neutral blocks; each provider maps them to its own wire."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One requested call. `arguments` is the JSON text exactly as the model sent it.

    `extra` holds opaque vendor fields that must be echoed byte for byte (PROV-3).
    """

    id: str
    name: str
    arguments: str
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The one result of one call; `content` is JSON text."""

    call_id: str
    name: str
    content: str
    error: bool = False


Block = Text | ToolUse | ToolResult


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `tool` messages hold only results, `assistant` messages text and uses.

    `extra` holds opaque vendor fields of the turn itself (reasoning signatures and the like).
    """

    role: Literal["user", "assistant", "tool"]
    blocks: tuple[Block, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)
