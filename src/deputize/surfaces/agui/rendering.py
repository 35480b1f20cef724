"""A run's events in the words of AG-UI, one answer of the server at a time.

A pause is a finished run with an interrupt; messages and calls are closed before the end; nothing follows the end,
and no call is announced twice. Source: ag-ui-protocol 1.0.
"""

import json
from collections.abc import Collection, Sequence
from typing import Any

from ag_ui import core as agui
from ag_ui.encoder import EventEncoder

from deputize.core.errors import DeputizeError
from deputize.core.event import (
    BudgetExceededEvent,
    ErrorEvent,
    MessageDone,
    Ping,
    Token,
    ToolApprovalExpired,
    ToolApprovalRequired,
    ToolCallDto,
    ToolCallStart,
    ToolResult,
    UsageDto,
)
from deputize.core.run import Outcome
from deputize.engine.readers import Shown
from deputize.surfaces.web.streams import OPEN

KEEP_ALIVE = ": keep-alive\n\n"
ANSWER = {
    "type": "object",
    "required": ["approve", "digest"],
    "additionalProperties": False,
    "properties": {
        "approve": {"type": "boolean"},
        "digest": {"type": "string", "description": "the digest of the card that was shown"},
        "reason": {"type": ["string", "null"], "maxLength": 500},
        "typed": {
            "type": ["object", "null"],
            "properties": {
                "confirm": {"type": ["string", "null"]},
                "destinations": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
    },
}
"""What an interrupt wants to be answered with: a decision (APPR-3, APPR-8)."""
_encode = EventEncoder().encode


def frame(event: agui.BaseEvent) -> str:
    """One event as a line of JSON and an empty one."""
    return str(_encode(event))


def content(outcome: Outcome | str | None, result: Any, code: str | None, truncated: bool) -> str:
    """A result as a client's model or person reads it; what failed never looks like a success (TOOL-11)."""
    told = {"outcome": str(outcome), "code": code, "result": result, "truncated": truncated}
    return json.dumps({name: one for name, one in told.items() if one is not None}, ensure_ascii=False)


class Rendering:
    """One answer: the start, what is known already, what comes, the end.

    `known` are ids of messages, calls and results that the client has; they are not told again.
    """

    def __init__(
        self,
        thread: str,
        run_id: str,
        *,
        snapshot: Sequence[agui.Message] | None = None,
        known: Collection[str] = (),
    ) -> None:
        self.thread, self.run_id = thread, run_id
        self.snapshot = snapshot
        self.known = frozenset(known)
        self.saying: str | None = None
        self.over = False

    def opening(self) -> str:
        """The start, and the conversation so far where the client asked for it."""
        text = OPEN + frame(agui.RunStartedEvent(thread_id=self.thread, run_id=self.run_id))
        if self.snapshot is not None:
            text += frame(agui.MessagesSnapshotEvent(messages=list(self.snapshot)))
        return text

    def batch(self, shown: Sequence[Shown], after: int) -> str:
        """What has come; nothing once the end has been told."""
        text = ""
        for one in shown:
            if not self.over:
                text += KEEP_ALIVE if isinstance(one.event, Ping) else self._frames(one.event)
        return text

    def failed(self, error: DeputizeError) -> str:
        """The end, because the run may not be read any more."""
        return self._end(agui.RunErrorEvent(code=error.code, message=error.message))

    def finished(self) -> str:
        """The end of an answer in which nothing was going on."""
        return self._end(self._finish(agui.RunFinishedSuccessOutcome()))

    def _frames(self, event: Any) -> str:
        match event:
            case Token():
                return self._token(event)
            case ToolCallStart():
                return self._call(event)
            case ToolResult():
                return self._result(event)
            case ToolApprovalRequired(call=call):
                return self._end(self._finish(agui.RunFinishedInterruptOutcome(interrupts=[_interrupt(call)])))
            case ToolApprovalExpired():
                told = {"callId": event.call_id, "reason": event.reason}
                return self._closed() + _own("approval_expired", told)
            case BudgetExceededEvent():
                spent = {"scope": event.scope, "period": event.period, "resetsAt": event.resets_at}
                error = agui.RunErrorEvent(code="AI_BUDGET_EXCEEDED", message="The budget for this period is used up.")
                return self._closed() + _own("budget_exceeded", spent) + self._end(error)
            case ErrorEvent():
                return self._end(agui.RunErrorEvent(code=event.code, message=event.message))
            case MessageDone():
                return self._done(event)
        raise TypeError(f"no words for {type(event).__name__}")

    def _token(self, token: Token) -> str:
        if token.message in self.known:
            return ""
        text = ""
        if token.message != self.saying:
            text = self._closed() + frame(agui.TextMessageStartEvent(message_id=token.message, role="assistant"))
            self.saying = token.message
        return text + frame(agui.TextMessageContentEvent(message_id=token.message, delta=token.text))

    def _closed(self) -> str:
        """Ends the message under way, if one is."""
        if self.saying is None:
            return ""
        text = frame(agui.TextMessageEndEvent(message_id=self.saying))
        self.saying = None
        return text

    def _call(self, event: ToolCallStart) -> str:
        if event.call_id in self.known:
            return ""
        args = json.dumps(event.args if event.args is not None else {}, ensure_ascii=False)
        return (
            self._closed()
            + frame(agui.ToolCallStartEvent(tool_call_id=event.call_id, tool_call_name=event.tool))
            + frame(agui.ToolCallArgsEvent(tool_call_id=event.call_id, delta=args))
            + frame(agui.ToolCallEndEvent(tool_call_id=event.call_id))
        )

    def _result(self, event: ToolResult) -> str:
        if result_id(event.call_id) in self.known:
            return ""
        told = content(event.outcome, event.result, event.code, event.truncated)
        return self._closed() + frame(
            agui.ToolCallResultEvent(
                message_id=result_id(event.call_id), tool_call_id=event.call_id, content=told, role="tool"
            )
        )

    def _done(self, event: MessageDone) -> str:
        text = self._closed()
        if event.notice is not None:
            text += _own("notice", {"messageId": event.message_id, "notice": event.notice})
        if event.status == "complete":
            return text + self._end(self._finish(agui.RunFinishedSuccessOutcome(), event.usage))
        return text + self._end(self._finish(agui.RunFinishedCancelledOutcome(), event.usage))

    def _finish(self, outcome: Any, usage: UsageDto | None = None) -> agui.RunFinishedEvent:
        used = None
        if usage is not None:
            used = [agui.TokenUsage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)]
        return agui.RunFinishedEvent(thread_id=self.thread, run_id=self.run_id, outcome=outcome, usage=used)

    def _end(self, event: agui.BaseEvent) -> str:
        text = self._closed() + frame(event)
        self.over = True
        return text


def result_id(call_id: str) -> str:
    """The id of the message that a call's result is in this protocol."""
    return f"{call_id}:result"


def _own(name: str, value: Any) -> str:
    return frame(agui.CustomEvent(name=f"deputize.{name}", value=value))


def _interrupt(call: ToolCallDto) -> agui.Interrupt:
    """What a person decides on: the whole card, worded by the server, and the digest that an answer must name."""
    approval = call.approval
    told = call.model_dump(by_alias=True, mode="json")
    return agui.Interrupt(
        id=call.id,
        reason="tool_call",
        message=approval.preview.title if approval else call.title,
        tool_call_id=call.id,
        response_schema=ANSWER,
        expires_at=approval.expires_at if approval else None,
        metadata={"call": told},
    )
