"""The run: its states and legal moves, its steps and calls, as read from the record (RUN-1, RUN-6)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from deputize.core.approval import Approval
from deputize.core.errors import IllegalMove
from deputize.core.provider import StopReason


class RunStatus(StrEnum):
    RUNNING = "running"
    AWAITING_APPROVAL = "awaiting_approval"
    COMPLETE = "complete"
    ERROR = "error"
    BUDGET_EXCEEDED = "budget_exceeded"
    ABORTED = "aborted"
    EXPIRED = "expired"


S = RunStatus
MOVES: Mapping[RunStatus, frozenset[RunStatus]] = {
    S.RUNNING: frozenset({S.AWAITING_APPROVAL, S.COMPLETE, S.ERROR, S.BUDGET_EXCEEDED, S.ABORTED}),
    S.AWAITING_APPROVAL: frozenset({S.RUNNING, S.EXPIRED, S.ABORTED}),
    S.COMPLETE: frozenset(),
    S.ERROR: frozenset(),
    S.BUDGET_EXCEEDED: frozenset(),
    S.ABORTED: frozenset(),
    S.EXPIRED: frozenset(),
}
"""The one table of moves; a state without moves is terminal."""

TERMINAL = frozenset(state for state, moves in MOVES.items() if not moves)


def check_move(before: RunStatus, after: RunStatus) -> None:
    """Raise IllegalMove unless the table holds the move."""
    if after not in MOVES[before]:
        raise IllegalMove(f"a run cannot go from {before} to {after}")


class Outcome(StrEnum):
    """What became of a call (TOOL-11)."""

    OK = "ok"
    REFUSED = "refused"
    INVALID = "invalid"
    BLOCKED = "blocked"
    FAILED = "failed"
    REJECTED = "rejected"
    EXPIRED = "expired"
    STALE = "stale"
    UNKNOWN_EFFECT = "unknown_effect"


StepEnd = StopReason | Literal["failed", "unavailable"]
"""How a step ended: as the model said, or `failed` (transient, nothing shown) or `unavailable`."""

CallKind = Literal["read", "write", "unknown"]

CLIENT = "client"
"""The provider of a run whose calls a person's own client makes: nobody is asked for words (API-5)."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One requested call with its outcome.

    `raw` is the JSON text as the model sent it (tokens not restored); `arguments` the validated plain data
    once it has passed the door; `key` identifies equal calls (RUN-5): tool and canonical arguments.
    `result` is plain data for the screen; `sent` the JSON text that the model got.
    """

    id: str
    run_id: str
    step: int
    position: int
    tool: str
    kind: CallKind
    raw: str
    provider_id: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, Any] | None = None
    key: str | None = None
    outcome: Outcome | None = None
    code: str | None = None
    result: Any = None
    sent: str | None = None
    truncated: bool = False
    from_record: bool = False
    """Answered from an earlier identical call, nothing was executed."""
    latency_ms: int | None = None
    created_at: datetime | None = None
    approval: Approval | None = None
    """The newest approval, if the call was staged."""
    stagings: int = 0
    links: tuple[Mapping[str, str], ...] = ()
    """Records that the result came from: {kind, id, label, url}."""
    edited: tuple[str, ...] = ()
    """Argument fields that the person changed before approving (APPR-7)."""
    staged_version: str | None = None
    executed_version: str | None = None

    @property
    def open(self) -> bool:
        """It has no result yet."""
        return self.outcome is None


@dataclass(frozen=True, slots=True)
class Step:
    """One model call: what it said, why it stopped, and the calls it emitted, in call order.

    `reason` is None while the call is under way or after a crash in the middle of it.
    """

    n: int
    message_id: str
    text: str
    sent: str
    reasoned: bool
    reason: StepEnd | None
    calls: tuple[ToolCall, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One user message until its end, as the record has it."""

    id: str
    tenant: str
    conversation_id: str
    actor_id: str
    surface: str
    status: RunStatus
    steps: tuple[Step, ...] = ()
    retry_of: str | None = None
    error_code: str | None = None
    cancel_requested: bool = False
    created_at: datetime | None = None
    finished_at: datetime | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micro: int = 0
    model: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    provider: str = ""
    mode: str = "copilot"
    inherited: tuple[ToolCall, ...] = ()
    """Calls of the runs that this one retries; what they executed is not executed again (RUN-8)."""

    @property
    def via(self) -> str:
        """Through what its calls came, as entries tell it: the copilot, or a client of the person's own."""
        return CLIENT if self.provider == CLIENT else "copilot"

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """All calls of all steps, in the order in which the model made them."""
        return tuple(call for step in self.steps for call in step.calls)
