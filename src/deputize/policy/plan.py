"""What a run does next: a pure function of its record and the limits (RUN-1).

Starting, resuming after a decision and retrying after a crash all ask here; there is no second path.
"""

from dataclasses import dataclass
from typing import Literal

from deputize.core.run import CLIENT, TERMINAL, Outcome, Run, RunStatus, Step, ToolCall
from deputize.policy.limits import Limits

Notice = Literal["no_answer", "cut"]


@dataclass(frozen=True, slots=True)
class CallModel:
    """Ask the model for step `n`."""

    n: int


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Take this call to the door: it is executed, staged or refused there."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Answer:
    """Give the call a result without taking it to the door."""

    call: ToolCall
    outcome: Outcome
    code: str


@dataclass(frozen=True, slots=True)
class Pause:
    """A staged call waits for its decision."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class End:
    """The run is over; open calls are answered with `code` first."""

    status: RunStatus
    code: str | None = None
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """Nothing to do: the run is already over."""


Move = CallModel | Dispatch | Answer | Pause | End | Stop

CUT: dict[str, str] = {"length": "length", "filter": "content_filter", "broken": "stream_broken"}
"""Stop reasons after which no call may run, and the code they end a run with."""


def next_move(run: Run, limits: Limits) -> Move:
    """The one next move of `run`."""
    if run.status in TERMINAL:
        return Stop()
    if run.status is RunStatus.AWAITING_APPROVAL:
        waiting = next((call for call in run.calls if call.open and call.approval is not None), None)
        return Pause(waiting) if waiting else End(RunStatus.ERROR, "approval_lost")
    if run.cancel_requested:
        return End(RunStatus.ABORTED, "cancelled")
    if not run.steps:
        return CallModel(1)
    return _after(run.steps[-1], run, limits)


def _after(step: Step, run: Run, limits: Limits) -> Move:
    """What follows the newest step."""
    if step.reason is None:
        return End(RunStatus.ERROR, "stream_broken")
    if step.reason == "unavailable":
        return End(RunStatus.ERROR, "AI_UNAVAILABLE")
    if step.reason == "failed":
        return _again(run, limits)
    if step.reason in CUT:
        return _ended_early(step)
    open_calls = [call for call in step.calls if call.open]
    struck = _struck_out(run, limits)
    if struck:
        return End(RunStatus.ERROR, struck)
    if open_calls:
        return _next_call(step, open_calls)
    if run.provider == CLIENT:
        return End(RunStatus.COMPLETE)
    if not step.calls:
        return _final(step)
    if loops(run):
        return End(RunStatus.ERROR, "loop_detected")
    if len(run.steps) >= limits.steps_per_run:
        return End(RunStatus.BUDGET_EXCEEDED, "step_cap")
    return CallModel(step.n + 1)


def _again(run: Run, limits: Limits) -> Move:
    """PROV-5: a transient failure that showed nothing is tried again; each try is a step of its own (BUD-4)."""
    failures = 0
    for step in reversed(run.steps):
        if step.reason != "failed":
            break
        failures += 1
    if failures >= limits.model_attempts:
        return End(RunStatus.ERROR, "AI_UNAVAILABLE")
    if len(run.steps) >= limits.steps_per_run:
        return End(RunStatus.BUDGET_EXCEEDED, "step_cap")
    return CallModel(run.steps[-1].n + 1)


def _ended_early(step: Step) -> End:
    """RUN-3 (6): what was cut short runs nothing; only plain text that was cut is still an answer."""
    code = CUT[str(step.reason)]
    if step.reason != "broken" and step.text.strip() and not step.calls:
        return End(RunStatus.COMPLETE, None, "cut")
    return End(RunStatus.ERROR, code)


def _final(step: Step) -> End:
    if step.text.strip():
        return End(RunStatus.COMPLETE)
    return End(RunStatus.COMPLETE, None, "no_answer")


def _next_call(step: Step, open_calls: list[ToolCall]) -> Move:
    """RUN-4: reads in call order, then at most one staged write; every further write is told so."""
    reads = [call for call in open_calls if call.kind != "write"]
    if reads:
        return Dispatch(reads[0])
    staged = next((call for call in step.calls if call.stagings), None)
    waiting = next((call for call in open_calls if call.approval is not None), None)
    others = [call for call in open_calls if call is not waiting]
    if staged and others:
        return Answer(others[0], Outcome.REFUSED, "one_change_at_a_time")
    if waiting:
        return Pause(waiting)
    return Dispatch(open_calls[0])


def _struck_out(run: Run, limits: Limits) -> str | None:
    unknown = sum(call.code == "unknown_tool" for call in run.calls)
    invalid = sum(call.outcome is Outcome.INVALID and call.code != "unknown_tool" for call in run.calls)
    if unknown >= limits.unknown_tools:
        return "unknown_tool"
    if invalid >= limits.invalid_arguments:
        return "invalid_arguments"
    return None


def loops(run: Run) -> bool:
    """RUN-5: the same write rejected twice, or the last four calls going A-B-A-B."""
    rejected = [call.key for call in run.calls if call.outcome is Outcome.REJECTED and call.key]
    if len(rejected) != len(set(rejected)):
        return True
    keys = [call.key for call in run.calls if call.key]
    if len(keys) < 4:
        return False
    a, b, c, d = keys[-4:]
    return a == c and b == d and a != b and any(call.from_record for call in run.calls[-2:])


def earlier(run: Run, call: ToolCall, key: str) -> ToolCall | None:
    """RUN-5: the identical call whose result answers this one from the record, if there is one.

    A read counts unless a write was executed since; a write counts once it was executed in this run.
    """
    found: ToolCall | None = None
    for other in (*run.inherited, *run.calls):
        if other.id == call.id:
            break
        executed = other.outcome is Outcome.OK and not other.from_record
        if executed and other.kind == "write":
            found = other if other.key == key else (None if call.kind == "read" else found)
        elif executed and other.key == key:
            found = other
    return found


def staged_writes(run: Run) -> int:
    """How many calls of the run were ever staged; a re-staging does not count again (TOOL-15)."""
    return sum(call.stagings > 0 for call in run.calls)
