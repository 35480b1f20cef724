"""Short ways to write runs, steps and calls for the rules' tests."""

from typing import Any

from deputize.core.approval import Approval, ApprovalStatus
from deputize.core.preview import Preview
from deputize.core.run import CallKind, Outcome, Run, RunStatus, Step, ToolCall
from deputize.testing.clock import FrozenClock

NOW = FrozenClock().now()


def call(n: int, kind: CallKind = "read", outcome: str | None = None, **more: Any) -> ToolCall:
    """A call of the first step, open unless an outcome is given."""
    more.setdefault("step", 1)
    return ToolCall(
        id=f"c{more['step']}.{n}",
        run_id="r",
        position=n,
        tool=more.pop("tool", "t"),
        kind=kind,
        raw="{}",
        provider_id=f"p{n}",
        outcome=Outcome(outcome) if outcome else None,
        **more,
    )


def approval(status: str = "pending") -> Approval:
    """A card."""
    return Approval(
        id="a",
        call_id="c",
        status=ApprovalStatus(status),
        digest="0" * 64,
        arguments={},
        preview=Preview("t", "T", "write"),
        versions={},
        by="actor",
        created_at=NOW,
        expires_at=NOW,
    )


def step(n: int, *calls: ToolCall, reason: Any = "tools", text: str = "") -> Step:
    """A step with its calls."""
    return Step(n=n, message_id=f"m{n}", text=text, sent=text, reasoned=False, reason=reason, calls=calls)


def run(*steps: Step, status: str = "running", **more: Any) -> Run:
    """A run of these steps."""
    return Run(
        id="r",
        tenant="t",
        conversation_id="v",
        actor_id="a",
        surface="s",
        status=RunStatus(status),
        steps=steps,
        **more,
    )
