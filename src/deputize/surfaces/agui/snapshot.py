"""The conversation so far as messages of the protocol: the server's record, never the client's own history."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ag_ui import core as agui

from deputize.surfaces.agui.rendering import content, result_id


def messages_of(shown: Sequence[Mapping[str, Any]]) -> list[agui.Message]:
    """Messages as people see them, each call's result behind the message that made it."""
    return [made for one in shown for made in _made(one)]


def known_in(shown: Sequence[agui.Message]) -> set[str]:
    """Ids of the messages, calls and results that a client has which was given these."""
    known = {one.id for one in shown}
    return known | {call.id for one in shown for call in getattr(one, "tool_calls", None) or ()}


def _made(one: Mapping[str, Any]) -> Iterator[agui.Message]:
    if one["role"] == "user":
        yield agui.UserMessage(id=one["id"], content=one["content"])
        return
    calls = [
        agui.ToolCall(
            id=call["id"],
            function=agui.FunctionCall(name=call["tool"], arguments=json.dumps(call["args"] or {}, ensure_ascii=False)),
        )
        for call in one["toolCalls"]
    ]
    yield agui.AssistantMessage(id=one["id"], content=one["content"] or None, tool_calls=calls or None)
    for call in one["toolCalls"]:
        if call["outcome"] is not None:
            told = content(call["outcome"], call["result"], call["code"], call["truncated"])
            yield agui.ToolMessage(id=result_id(call["id"]), tool_call_id=call["id"], content=told)
