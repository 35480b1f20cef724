"""The next move is a pure function of the record (RUN-1, RUN-3, RUN-4, RUN-5)."""

import pytest

from deputize.core.run import CLIENT, Outcome, Run, RunStatus
from deputize.policy.limits import Limits
from deputize.policy.plan import (
    Answer,
    CallModel,
    Dispatch,
    End,
    Move,
    Pause,
    Stop,
    earlier,
    loops,
    next_move,
    staged_writes,
)
from tests.policy.records import approval, call, run, step

LIMITS = Limits(steps_per_run=3)
STAGED = call(1, "write", approval=approval(), stagings=1)


@pytest.mark.parametrize(
    ("record", "move"),
    [
        (run(), CallModel(1)),
        (run(step(1, reason="stop", text="Hi")), End(RunStatus.COMPLETE)),
        (run(step(1, reason="stop")), End(RunStatus.COMPLETE, None, "no_answer")),
        (run(step(1, reason="stop", text=" \n")), End(RunStatus.COMPLETE, None, "no_answer")),
        (run(step(1, reason="length", text="Hi")), End(RunStatus.COMPLETE, None, "cut")),
        (run(step(1, reason="filter", text="Hi")), End(RunStatus.COMPLETE, None, "cut")),
        (run(step(1, reason="length")), End(RunStatus.ERROR, "length")),
        (run(step(1, call(1), reason="length", text="Hi")), End(RunStatus.ERROR, "length")),
        (run(step(1, call(1), reason="filter")), End(RunStatus.ERROR, "content_filter")),
        (run(step(1, reason="broken", text="Hi")), End(RunStatus.ERROR, "stream_broken")),
        (run(step(1, reason=None, text="Hi")), End(RunStatus.ERROR, "stream_broken")),
        (run(step(1, reason="unavailable")), End(RunStatus.ERROR, "AI_UNAVAILABLE")),
        (run(step(1, reason="failed")), CallModel(2)),
        (run(*(step(n, reason="failed") for n in (1, 2, 3))), End(RunStatus.ERROR, "AI_UNAVAILABLE")),
        (run(step(1, call(1), reason="stop", text="Hi")), Dispatch(call(1))),
        (run(step(1, call(1, outcome="ok"))), CallModel(2)),
        (run(*(step(n, call(1, outcome="ok", step=n)) for n in (1, 2, 3))), End(RunStatus.BUDGET_EXCEEDED, "step_cap")),
        (run(status="complete"), Stop()),
        (run(step(1, call(1)), cancel_requested=True), End(RunStatus.ABORTED, "cancelled")),
        (run(step(1, STAGED), status="awaiting_approval"), Pause(STAGED)),
        (run(step(1, call(1)), status="awaiting_approval"), End(RunStatus.ERROR, "approval_lost")),
        (run(step(1, STAGED)), Pause(STAGED)),
    ],
)
def test_next_move(record: Run, move: Move) -> None:
    assert next_move(record, LIMITS) == move


@pytest.mark.parametrize("outcome", list(Outcome))
def test_where_a_client_calls_nobody_is_asked_for_words(outcome: Outcome) -> None:
    """API-5: its call is taken to the door, waits for its person where it is staged, and ends the run once answered."""
    assert next_move(run(step(1, call(1)), provider=CLIENT), LIMITS) == Dispatch(call(1))
    assert next_move(run(step(1, STAGED), provider=CLIENT), LIMITS) == Pause(STAGED)
    assert next_move(run(step(1, call(1, outcome=outcome)), provider=CLIENT), LIMITS) == End(RunStatus.COMPLETE)


def test_failed_step_at_the_cap() -> None:
    """BUD-4: a repetition counts as a step."""
    record = run(step(1, call(1, outcome="ok")), step(2, call(1, outcome="ok", step=2)), step(3, reason="failed"))
    assert next_move(record, LIMITS) == End(RunStatus.BUDGET_EXCEEDED, "step_cap")


def test_reads_first_then_one_write() -> None:
    """RUN-4: reads in call order, also behind a write; then the write; then the others are answered; then the pause."""
    write, read, other = call(1, "write"), call(2), call(3, "write")
    assert next_move(run(step(1, write, read, other)), LIMITS) == Dispatch(read)
    done = call(2, outcome="ok")
    assert next_move(run(step(1, write, done, other)), LIMITS) == Dispatch(write)
    assert next_move(run(step(1, STAGED, done, other)), LIMITS) == Answer(
        other, Outcome.REFUSED, "one_change_at_a_time"
    )
    told = call(3, "write", "refused")
    assert next_move(run(step(1, STAGED, done, told)), LIMITS) == Pause(STAGED)


def test_a_refused_write_leaves_room_for_the_next() -> None:
    """RUN-4: only a staged write takes the place."""
    refused, other = call(1, "write", "refused"), call(2, "write")
    assert next_move(run(step(1, refused, other)), LIMITS) == Dispatch(other)


@pytest.mark.parametrize(
    ("code", "outcome", "times", "ends"),
    [("unknown_tool", "invalid", 3, "unknown_tool"), ("invalid_arguments", "invalid", 2, "invalid_arguments")],
)
def test_strikes(code: str, outcome: str, times: int, ends: str) -> None:
    """RUN-3 (3), (4): counted over the whole run, each for itself."""
    calls = [call(n, "unknown", outcome, code=code) for n in range(times)]
    assert next_move(run(step(1, *calls[:-1])), LIMITS) == CallModel(2)
    assert next_move(run(step(1, *calls)), LIMITS) == End(RunStatus.ERROR, ends)


def test_unknown_tools_do_not_eat_the_budget_of_others() -> None:
    """F10: two unknown tools and one bad argument go on."""
    calls = [call(1, "unknown", "invalid", code="unknown_tool"), call(2, "unknown", "invalid", code="unknown_tool")]
    calls.append(call(3, "read", "invalid", code="invalid_arguments"))
    assert next_move(run(step(1, *calls)), LIMITS) == CallModel(2)


def test_loops() -> None:
    """RUN-5: the same write rejected twice, or A-B-A-B answered from the record."""
    rejected = [call(n, "write", "rejected", key="k") for n in (1, 2)]
    assert loops(run(step(1, *rejected)))
    assert not loops(run(step(1, rejected[0], call(2, "write", "rejected", key="other"))))
    pairs = [call(n, "read", "ok", key="ab"[n % 2], from_record=n > 1) for n in range(4)]
    assert loops(run(step(1, *pairs)))
    assert not loops(run(step(1, *pairs[:3])))
    assert not loops(run(step(1, *(call(n, "read", "ok", key="a") for n in range(4)))))
    assert next_move(run(step(1, *rejected)), LIMITS) == End(RunStatus.ERROR, "loop_detected")


def test_earlier() -> None:
    """RUN-5, RUN-8: a read counts unless a write was executed since; an executed write counts; retries inherit."""
    read, again = call(1, outcome="ok", key="k"), call(3)
    assert earlier(run(step(1, read, again)), again, "k") is read
    write = call(2, "write", "ok", key="w")
    assert earlier(run(step(1, read, write, again)), again, "k") is None
    same = call(3, "write")
    assert earlier(run(step(1, read, write, same)), same, "w") is write
    assert earlier(run(step(1, call(1, "write", "rejected", key="w"), same)), same, "w") is None
    assert earlier(run(step(1, again), inherited=(write,)), call(9, "write"), "w") is write
    assert earlier(run(step(1, call(1, outcome="failed", key="k"), again)), again, "k") is None
    assert staged_writes(run(step(1, STAGED, write))) == 1
