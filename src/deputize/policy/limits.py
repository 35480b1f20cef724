"""The figures that bound a run, as the operator set them (OPS-2)."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Limits:
    """Counts are whole numbers, times seconds, money micro-dollars; None is no cap, 0 is nothing at all."""

    steps_per_run: int = 8
    output_tokens: int = 2048
    context_tokens: int = 16384
    model_attempts: int = 3
    retry_pause: float = 0.5
    """Seconds before the first repetition of a failed model call; doubled at each."""
    staged_writes_per_run: int = 4
    unknown_tools: int = 3
    invalid_arguments: int = 2
    messages_per_conversation: int = 500
    actions_per_minute: int = 10
    actions_per_session: int = 100
    starts_per_minute: int = 20
    approval_ttl: float = 600.0
    disconnect_grace: float = 3.0
    keepalive: float = 15.0
    lease: float = 15.0
    user_day_micro: int | None = 1_000_000
    agent_day_micro: int | None = 1_000_000
    global_day_micro: int | None = 5_000_000
    result_items: int = 10
    result_chars: int = 4000
    agent_attempts: int = 3
    """Failed attempts after which an event or an effect waits for a person."""
    agent_poll: float = 5.0
    agent_sweep: float = 5.0
    agent_reconcile: float = 60.0
    agent_mode: Literal["suggest", "auto-apply"] = "suggest"
    agent_hours: str = "*"
    agent_concurrency: int = 2
    """The last three fill an automation's policy when it is made; afterwards its row stands (AUTO-3)."""
    blocked_tools: frozenset[str] = field(default_factory=frozenset)
    """Patterns over tool names or `toolset.tool` (the hard denylist, TOOL-10)."""
