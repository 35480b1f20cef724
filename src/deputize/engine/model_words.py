"""What is said around one model call: who asks, what goes out, what was heard, what then stands in the record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deputize.core.actor import Actor
from deputize.core.provider import ModelRequest, Provider, ToolUse
from deputize.core.run import Run, Step, StepEnd, ToolCall
from deputize.core.usage import Price, Usage
from deputize.engine import veil
from deputize.engine.money import Hold


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, where, and about which screen; what a step needs besides the record."""

    tenant: str
    run_id: str
    conversation_id: str
    actor_id: str
    surface: str
    context: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """The conversation up to the present run's own steps: message rows (its user's words included) and calls."""

    rows: tuple[Mapping[str, Any], ...]
    calls: tuple[ToolCall, ...]

    def with_steps(self, run: Run) -> tuple[list[Mapping[str, Any]], list[ToolCall]]:
        """The same followed by what the run's record holds."""
        own = [
            {"role": "assistant", "run_id": run.id, "step": s.n, "clear": s.text, "sent": s.sent, "extra": s.extra}
            for s in run.steps
        ]
        return [*self.rows, *own], [*self.calls, *run.calls]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A model call ready to be reserved and sent; everything in `request` has passed the redactor."""

    asking: Asking
    n: int
    message_id: str
    actor: Actor
    veil: veil.Veil
    provider: Provider
    request: ModelRequest
    hold: Hold
    price: Price
    words: str | None = None
    """The user's new message as it goes out."""
    said: Said = Said((), ())


@dataclass(slots=True)
class Heard:
    """What the stream has given so far."""

    sent: list[str] = field(default_factory=list)
    clear: list[str] = field(default_factory=list)
    uses: list[ToolUse] = field(default_factory=list)
    usage: Usage | None = None
    reasoned: bool = False
    reason: StepEnd | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    reached_vendor: bool = True
    shown: int = 0


@dataclass(frozen=True, slots=True)
class Settled:
    """The step as it now stands in the record, what it used, and whether the run was told to stop meanwhile."""

    step: Step
    input_tokens: int
    output_tokens: int
    cost_micro: int
    cancelled: bool
