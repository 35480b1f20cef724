"""RUN-6, TOOL-11: the one table of moves, and what a run's record says about its calls."""

import pytest

from deputize.core.errors import IllegalMove
from deputize.core.run import MOVES, TERMINAL, Outcome, Run, RunStatus, Step, ToolCall, check_move

S = RunStatus
RUN_6 = {
    (S.RUNNING, S.AWAITING_APPROVAL),
    (S.RUNNING, S.COMPLETE),
    (S.RUNNING, S.ERROR),
    (S.RUNNING, S.BUDGET_EXCEEDED),
    (S.RUNNING, S.ABORTED),
    (S.AWAITING_APPROVAL, S.RUNNING),
    (S.AWAITING_APPROVAL, S.EXPIRED),
    (S.AWAITING_APPROVAL, S.ABORTED),
}


@pytest.mark.parametrize("before", RunStatus)
@pytest.mark.parametrize("after", RunStatus)
def test_run_6_the_table_holds_these_moves_and_anything_else_raises(before: RunStatus, after: RunStatus) -> None:
    if (before, after) in RUN_6:
        check_move(before, after)
    else:
        with pytest.raises(IllegalMove, match=f"from {before} to {after}"):
            check_move(before, after)


def test_run_6_nothing_leaves_a_terminal_state_and_every_state_is_in_the_table() -> None:
    assert set(MOVES) == set(RunStatus)
    assert frozenset({S.COMPLETE, S.ERROR, S.BUDGET_EXCEEDED, S.ABORTED, S.EXPIRED}) == TERMINAL


def test_tool_11_the_outcomes_are_these() -> None:
    words = "ok refused invalid blocked failed rejected expired stale unknown_effect"
    assert [outcome.value for outcome in Outcome] == words.split()


def call(id_: str, outcome: Outcome | None = None) -> ToolCall:
    """A call as it was requested."""
    return ToolCall(id_, "r1", 1, 0, "get_patient", "read", "{}", f"vendor-{id_}", outcome=outcome)


def test_a_call_is_open_until_it_has_an_outcome() -> None:
    assert call("a").open
    assert not call("a", Outcome.REFUSED).open


def test_a_run_lists_its_calls_in_the_order_in_which_the_model_made_them() -> None:
    steps = (
        Step(1, "m1", "", "", False, "tools", (call("a"), call("b"))),
        Step(2, "m2", "", "", False, "tools", (call("c"),)),
        Step(3, "m3", "Done.", "Done.", False, "stop"),
    )
    run = Run("r1", "t1", "c1", "u1", "clinic", S.RUNNING, steps)
    assert [c.id for c in run.calls] == ["a", "b", "c"]
