"""A client of AG-UI that knows the protocol's types and its rules of order, and keeps to neither of ours."""

import json
from dataclasses import dataclass, field
from typing import Any

from ag_ui import core as agui
from pydantic import TypeAdapter

from tests.surfaces.serving import PREFIX, Served

_EVENT: TypeAdapter[Any] = TypeAdapter(agui.Event)


@dataclass
class Answer:
    """One answer of the server, read to its end and held against the protocol."""

    events: list[Any] = field(default_factory=list)

    @property
    def kinds(self) -> list[str]:
        """The events by type, text in one word however many pieces it came in."""
        found = [one.type.value for one in self.events]
        return [kind for at, kind in enumerate(found) if at == 0 or kind != found[at - 1] or "CONTENT" not in kind]

    @property
    def text(self) -> str:
        return "".join(one.delta for one in self.events if one.type == "TEXT_MESSAGE_CONTENT")

    @property
    def outcomes(self) -> list[str]:
        return [json.loads(one.content)["outcome"] for one in self.events if one.type == "TOOL_CALL_RESULT"]

    @property
    def end(self) -> Any:
        return self.events[-1]

    @property
    def interrupt(self) -> Any:
        assert self.end.outcome.type == "interrupt", self.end
        return self.end.outcome.interrupts[0]

    @property
    def snapshot(self) -> list[Any]:
        found: list[Any] = next(one.messages for one in self.events if one.type == "MESSAGES_SNAPSHOT")
        return found


def message(text: str, ident: str = "m1", role: str = "user") -> dict[str, Any]:
    return {"id": ident, "role": role, "content": text}


def request(*messages: Any, thread: str = "t1", **more: Any) -> dict[str, Any]:
    """A request as clients of the protocol send it."""
    rest: dict[str, Any] = {"state": {}, "tools": [], "context": [], "forwardedProps": {}}
    return {"threadId": thread, "runId": "the client's own", "messages": list(messages), **rest, **more}


def answering(interrupt: Any, approve: bool = True, **more: Any) -> list[dict[str, Any]]:
    """What answers an interrupt."""
    digest = interrupt.metadata["call"]["approval"]["digest"]
    payload = {"approve": approve, "digest": digest, **more}
    return [{"interruptId": interrupt.id, "status": "resolved", "payload": payload}]


async def ask(site: Served, body: Any, who: str = "eva", surface: str = "desk") -> Answer:
    """Send, read to the end, and hold what came against types and order."""
    sent = {**site.as_(who), "Accept": "text/event-stream"}
    url = f"{PREFIX}/agui/{surface}"
    async with site.client.stream("POST", url, content=json.dumps(body), headers=sent) as response:
        assert response.status_code == 200, await response.aread()
        assert response.headers["content-type"].startswith("text/event-stream")
        whole = (await response.aread()).decode()
    return in_order(read(whole))


def read(whole: str) -> Answer:
    """The events of a stream whose blocks end with LF LF; comments are passed over."""
    assert "\r" not in whole
    assert whole.endswith("\n\n")
    blocks = [block for block in whole.split("\n\n") if block and not block.startswith(":")]
    for block in blocks:
        assert block.startswith("data: "), block
        assert "\n" not in block, block
        assert not _nulls(json.loads(block[6:]), metadata=False), block
    return Answer([_EVENT.validate_json(block[6:]) for block in blocks])


def _nulls(value: Any, *, metadata: bool) -> bool:
    """Whether an optional field of the protocol is null, which its reference client refuses."""
    if isinstance(value, dict):
        free = metadata or value.get("type") == "CUSTOM"
        return any(
            (one is None and not free) or _nulls(one, metadata=free or name in ("metadata", "responseSchema"))
            for name, one in value.items()
        )
    return isinstance(value, list) and any(_nulls(one, metadata=metadata) for one in value)


def in_order(answer: Answer) -> Answer:
    """The protocol's rules of order: a start, everything closed before the end, one end, nothing behind it."""
    texts: set[str] = set()
    calls: set[str] = set()
    announced: set[str] = set()
    assert answer.events[0].type == "RUN_STARTED"
    for at, one in enumerate(answer.events):
        last = at == len(answer.events) - 1
        assert (one.type in ("RUN_FINISHED", "RUN_ERROR")) == last, answer.kinds
        match one.type.value:
            case "RUN_STARTED":
                assert at == 0
            case "TEXT_MESSAGE_START":
                assert one.message_id not in texts | announced
                texts.add(one.message_id)
                announced.add(one.message_id)
            case "TEXT_MESSAGE_CONTENT":
                assert one.message_id in texts
                assert one.delta
            case "TEXT_MESSAGE_END":
                texts.remove(one.message_id)
            case "TOOL_CALL_START":
                assert one.tool_call_id not in calls | announced
                calls.add(one.tool_call_id)
                announced.add(one.tool_call_id)
            case "TOOL_CALL_ARGS":
                assert one.tool_call_id in calls
            case "TOOL_CALL_END":
                calls.remove(one.tool_call_id)
            case "RUN_FINISHED":
                assert not texts | calls
    return answer
