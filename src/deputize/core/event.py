"""The closed set of events that a run emits; every face renders these and nothing else (SSE-1).

The front end's types are generated from this file. `token` and `ping` are not durable and carry no id of
their own; all others have a contiguous id per run, from 1.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from deputize.core.run import Outcome


class Wire(BaseModel):
    """Base of all JSON that leaves: camelCase names, frozen."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class UsageDto(Wire):
    """Tokens and integer micro-dollars."""

    input_tokens: int
    output_tokens: int
    cost_micro_usd: int


class FieldChangeDto(Wire):
    """A field on the card; `before` and `after` are the words to show, null where there is nothing."""

    name: str
    caption: str
    before: str | None = None
    after: str | None = None
    marks: list[str] = []


class ChangeDto(Wire):
    """A row on the card."""

    op: Literal["insert", "update", "delete"]
    kind: str
    caption: str
    id: str | None = None
    label: str | None = None
    url: str | None = None
    fields: list[FieldChangeDto]


class OutgoingDto(Wire):
    """Something that would leave the house."""

    channel: str
    caption: str
    fields: list[FieldChangeDto]


class FrictionDto(Wire):
    """What must be typed before approving: the phrase as shown, and the destinations' field names."""

    confirm: str | None = None
    destinations: list[str] = []


class PreviewDto(Wire):
    """The card as the server worded it, escaped nowhere: faces must treat every string as plain text."""

    title: str
    effect: str
    changes: list[ChangeDto]
    outgoing: list[OutgoingDto]
    friction: FrictionDto
    rows: int
    hidden: list[str] = []
    cut: bool = False
    """True where the whole preview must be fetched (`GET /tool-calls/{id}`) before approving."""


class ApprovalDto(Wire):
    """One proposal; `by` is `actor` or the permission that the second person needs."""

    status: str
    digest: str
    preview: PreviewDto
    expires_at: str
    by: str
    decided_by: str | None = None
    reason: str | None = None
    may_decide: bool = True


class ToolCallDto(Wire):
    """A call as people see it; `args` and `result` are in clear, `title` in the reader's language."""

    id: str
    run_id: str
    tool: str
    title: str
    effect: str
    args: Any = None
    outcome: Outcome | None = None
    code: str | None = None
    result: Any = None
    truncated: bool = False
    latency_ms: int | None = None
    created_at: str
    staged_version: str | None = None
    executed_version: str | None = None
    approval: ApprovalDto | None = None
    links: list[dict[str, str]] = []
    """Records that the result came from: `{kind, id, label, url}`."""


class Token(Wire):
    """A piece of the answer: which message, at which offset in characters, the text."""

    type: Literal["token"] = "token"
    message: str
    at: int
    text: str


class ToolCallStart(Wire):
    type: Literal["tool_call_start"] = "tool_call_start"
    call_id: str
    tool: str
    title: str
    args: Any = None


class ToolResult(Wire):
    type: Literal["tool_result"] = "tool_result"
    call_id: str
    outcome: Outcome
    result: Any = None
    truncated: bool = False
    code: str | None = None
    links: list[dict[str, str]] = []


class ToolApprovalRequired(Wire):
    type: Literal["tool_approval_required"] = "tool_approval_required"
    call: ToolCallDto


class ToolApprovalExpired(Wire):
    """`reason` is `expired`, `cancelled` or `stale`."""

    type: Literal["tool_approval_expired"] = "tool_approval_expired"
    call_id: str
    reason: str


class BudgetExceededEvent(Wire):
    type: Literal["budget_exceeded"] = "budget_exceeded"
    scope: str
    period: str
    resets_at: str | None = None


class MessageDone(Wire):
    """`notice` is `no_answer` or `cut` where the answer is not what it seems; faces say so visibly."""

    type: Literal["message_done"] = "message_done"
    message_id: str
    status: Literal["complete", "expired", "aborted"]
    usage: UsageDto
    notice: str | None = None


class ErrorEvent(Wire):
    type: Literal["error"] = "error"
    code: str
    message: str


class Ping(Wire):
    type: Literal["ping"] = "ping"


RunEvent = Annotated[
    Token
    | ToolCallStart
    | ToolResult
    | ToolApprovalRequired
    | ToolApprovalExpired
    | BudgetExceededEvent
    | MessageDone
    | ErrorEvent
    | Ping,
    Field(discriminator="type"),
]

TERMINAL_EVENTS = frozenset({"message_done", "budget_exceeded", "error"})
"""Exactly one of these ends a run."""

STREAM_ENDS = TERMINAL_EVENTS | {"tool_approval_required"}
"""Exactly one of these ends the stream of a message or a decision."""
