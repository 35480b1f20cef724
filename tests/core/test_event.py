"""SSE-1: the closed set of events, told apart by their type, in camelCase."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from deputize.core.event import STREAM_ENDS, TERMINAL_EVENTS, RunEvent, Token, ToolResult
from deputize.core.run import Outcome

SSE_1 = {
    "token",
    "tool_call_start",
    "tool_result",
    "tool_approval_required",
    "tool_approval_expired",
    "budget_exceeded",
    "message_done",
    "error",
    "ping",
}

EVENTS: TypeAdapter[Any] = TypeAdapter(RunEvent)


def test_sse_1_the_set_of_events_is_closed() -> None:
    assert set(EVENTS.json_schema()["discriminator"]["mapping"]) == SSE_1
    with pytest.raises(ValidationError, match="union_tag_invalid"):
        EVENTS.validate_python({"type": "something_new"})


def test_sse_1_a_stream_ends_with_exactly_one_of_these() -> None:
    assert {"message_done", "budget_exceeded", "error"} == TERMINAL_EVENTS
    assert TERMINAL_EVENTS | {"tool_approval_required"} == STREAM_ENDS
    assert SSE_1 > STREAM_ENDS


def test_api_1_names_on_the_wire_are_camel_case_and_read_back() -> None:
    event = ToolResult(call_id="c1", outcome=Outcome.OK, result={"n": 1})
    wire = event.model_dump(by_alias=True, mode="json")
    assert wire["callId"] == "c1"
    assert wire["outcome"] == "ok"
    assert EVENTS.validate_python(wire) == event


def test_events_cannot_be_changed_after_they_were_made() -> None:
    token = Token(message="m1", at=0, text="Hello")
    with pytest.raises(ValidationError, match="frozen"):
        token.text = "other"
