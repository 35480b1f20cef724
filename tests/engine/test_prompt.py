"""The window of the conversation that a model is sent (RUN-12)."""

import json
from itertools import pairwise

import pytest

from deputize.core.message import Message, ToolResult, ToolUse
from deputize.core.run import Outcome, ToolCall
from deputize.engine.prompt import SAME_AS_ABOVE, history
from deputize.engine.veil import NoVeil

LONG = json.dumps({"outcome": "ok", "result": {"people": ["somebody with a long name"] * 20}})


def call(run: int, step: int, position: int = 0, *, sent: str = LONG, again: bool = False) -> ToolCall:
    ident = f"c{run}{step}{position}"
    return ToolCall(
        ident, f"r{run}", step, position, "find", "read", "{}", "v", outcome=Outcome.OK, sent=sent, from_record=again
    )


def row(role: str, run: int, step: int, words: str = "words") -> dict[str, object]:
    return {"role": role, "run_id": f"r{run}", "step": step, "clear": words, "sent": words, "extra": None}


def conversation() -> tuple[list[dict[str, object]], list[ToolCall]]:
    """Ten runs of a question, a step with two calls, a step with one, and an answer."""
    rows: list[dict[str, object]] = []
    calls: list[ToolCall] = []
    for run in range(10):
        rows += [row("user", run, 0), row("assistant", run, 1), row("assistant", run, 2), row("assistant", run, 3)]
        calls += [call(run, 1), call(run, 1, 1), call(run, 2, sent='{"outcome":"ok"}')]
    return rows, calls


def uses(messages: list[Message]) -> list[str]:
    return [block.id for message in messages for block in message.blocks if isinstance(block, ToolUse)]


def results(messages: list[Message]) -> list[str]:
    return [block.call_id for message in messages for block in message.blocks if isinstance(block, ToolResult)]


@pytest.mark.parametrize("budget", [*range(1, 400, 7), *range(400, 4000, 151), 100_000])
def test_a_call_is_never_parted_from_its_result(budget: int) -> None:
    """D7: wherever the window begins, every rendering is valid, starts with a user, and ends with the newest turn."""
    rows, calls = conversation()
    sent = history(rows, calls, NoVeil(), budget)
    assert sent[0].role == "user"
    assert uses(sent) == results(sent)
    assert uses(sent)[-3:] == ["c910", "c911", "c920"]
    for before, after in pairwise(sent):
        assert any(isinstance(block, ToolUse) for block in before.blocks) == (after.role == "tool")


def test_the_window_grows_with_the_budget() -> None:
    rows, calls = conversation()
    sizes = [len(history(rows, calls, NoVeil(), budget)) for budget in (100, 1000, 3000, 100_000)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 4
    assert sizes[-1] == 10 * 6


def test_nothing_long_is_pasted_twice_in_one_request() -> None:
    """RUN-12: an answer from the record points up; in another run, where the first may be gone, it stands whole."""
    rows = [
        row("user", 1, 0),
        row("assistant", 1, 1),
        row("assistant", 1, 2),
        row("user", 2, 0),
        row("assistant", 2, 1),
    ]
    calls = [call(1, 1), call(1, 2, again=True), call(2, 1, again=True)]
    sent = history(rows, calls, NoVeil(), 100_000)
    told = [block.content for message in sent for block in message.blocks if isinstance(block, ToolResult)]
    assert told == [LONG, SAME_AS_ABOVE, LONG]
    assert json.loads(SAME_AS_ABOVE)["outcome"] == "ok"


def test_a_short_answer_is_simply_repeated() -> None:
    rows = [row("user", 1, 0), row("assistant", 1, 1), row("assistant", 1, 2)]
    calls = [call(1, 1, sent='{"outcome":"ok"}'), call(1, 2, sent='{"outcome":"ok"}', again=True)]
    sent = history(rows, calls, NoVeil(), 1000)
    assert SAME_AS_ABOVE not in str(sent)
