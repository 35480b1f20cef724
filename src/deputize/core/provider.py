"""What the engine asks of a model and what it may answer; the engine knows no vendor (PROV-1)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from deputize.core.message import Message
from deputize.core.message import ToolUse as ToolUse
from deputize.core.usage import Usage

StopReason = Literal["stop", "tools", "length", "filter", "broken"]


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """One tool as offered to a model.

    Adapters of vendors send `name`, `description`, `parameters` (JSON Schema of an object). The rest is
    the tool's own declaration, for planners that reason over it: `targets` and `destinations` map an
    argument's name to an entity kind or a destination kind; `yields` maps the dotted path of a result
    field (`*` for a list's items) to the entity kind whose id stands there; `texts` are arguments that
    hold prose; `examples` are sentences by language.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    effect: Literal["read", "write", "destructive"] = "read"
    targets: Mapping[str, str] = field(default_factory=dict)
    destinations: Mapping[str, str] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    yields: Mapping[str, str] = field(default_factory=dict)
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Situation:
    """What the model is told as data (RUN-13): date and time with offset, zone, locale, role, screen."""

    now: str
    time_zone: str
    locale: str
    role: str
    screen: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model; everything in it has passed the redactor (RED-2)."""

    model: str
    system: str
    situation: Situation
    messages: Sequence[Message]
    tools: Sequence[ToolSchema]
    max_output_tokens: int
    one_shot_json: bool = False
    """Ask for one JSON object and no calls (automations)."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class Reasoned:
    """The model produced reasoning that is not shown; counts as no content."""


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Usage as reported so far; later reports replace earlier ones unless they are empty (BUD-3)."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Done:
    """The stream's own end; a stream that ends without it was broken (RUN-3)."""

    reason: StopReason
    extra: Mapping[str, Any] = field(default_factory=dict)


ProviderEvent = TextDelta | ToolUse | Reasoned | UsageReport | Done
"""A `ToolUse` is emitted once, complete; its `arguments` are the raw JSON text, perhaps not valid."""


class ProviderFailed(Exception):
    """The call failed; `transient` failures may be tried again inside the budget (PROV-5).

    `sent` is False only when nothing reached the vendor (the reservation may be released, BUD-2).
    The text never holds prompt content, bodies or keys.
    """

    def __init__(self, reason: str, *, transient: bool, sent: bool = True, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.transient = transient
        self.sent = sent
        self.retry_after = retry_after
        """Seconds that the vendor asked to wait, if it said so."""


class Provider(Protocol):
    """A model behind some wire. `stream` yields events; closing the iterator closes the connection."""

    name: str
    is_language_model: bool
    """False for the embedded planner, which says so on screen (PROV-2)."""
    default_model: str

    def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        """Run one call. Raises ProviderFailed."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
