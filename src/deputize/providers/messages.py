"""Puts the events of an Anthropic messages stream together: text, calls, signed thoughts, usage, and why it stopped.

Source: contract RUN-3, PROV-3, BUD-3.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from deputize.core.message import ToolUse
from deputize.core.provider import Done, ProviderEvent, Reasoned, StopReason, TextDelta, UsageReport
from deputize.providers.failures import in_stream
from deputize.providers.fragments import MOST_CALLS
from deputize.providers.lines import Malformed
from deputize.providers.tokens import AnthropicTokens
from deputize.providers.wire import TextJoiner, clean, dump

REASONS: Mapping[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tools",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "filter",
}
"""What the vendor says; every other word (`pause_turn` too: we run no tools of theirs) is `broken`."""


@dataclass(slots=True)
class Block:
    """A block of the answer that is still coming, or closed."""

    kind: str
    started: Mapping[str, Any]
    parts: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    closed: bool = False


class MessageAssembly:
    """One answer; signed thoughts are kept under `origin`, with their places, and go back to that endpoint only."""

    def __init__(self, origin: str, names: Mapping[str, str]) -> None:
        self.ended = False
        self.finished = False
        self._origin = origin
        self._names = names
        self._blocks: dict[Any, Block] = {}
        self._order: list[Block] = []
        self._text = TextJoiner()
        self._tokens = AnthropicTokens()
        self._reason: StopReason | None = None
        self._reasoned = False

    def take(self, event: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        """Take one event. Raises ProviderFailed where it is an error, Malformed for a flood of blocks."""
        kind = event.get("type")
        if kind == "content_block_delta":
            yield from self._delta(event)
        elif kind == "content_block_start":
            yield from self._start(event)
        elif kind == "content_block_stop":
            block = self._blocks.get(_key(event))
            if block is not None:
                block.closed = True
        elif kind == "message_start":
            message = event.get("message")
            if isinstance(message, Mapping):
                self._tokens.take(message.get("usage"), first=True)
        elif kind == "message_delta":
            yield from self._usage(event.get("usage"))
            delta = event.get("delta")
            if isinstance(delta, Mapping):
                self._stop(delta.get("stop_reason"))
        elif kind == "message_stop":
            self.ended = True
        elif kind == "message":
            yield from self._unstreamed(event)
        elif kind == "error" or event.get("error"):
            raise in_stream(event.get("error") or {})

    def close(self) -> Iterator[ProviderEvent]:
        """The calls and Done, or nothing where the stream broke before it said why it stopped."""
        rest = self._text.close()
        if rest:
            yield TextDelta(rest)
        if self._reason is None:
            return
        uses = [block for block in self._order if block.kind == "tool_use"]
        for position, block in enumerate(uses):
            yield self._use(position, block)
        reason = self._reason
        if reason in ("stop", "tools"):
            reason = "tools" if uses else "stop"
            if not all(block.closed for block in uses):
                reason = "broken"
        thoughts = self._thoughts()
        yield Done(reason, {self._origin: {"thoughts": thoughts}} if thoughts else {})

    def _usage(self, report: Any) -> Iterator[ProviderEvent]:
        usage = self._tokens.take(report)
        if usage is not None:
            yield UsageReport(usage)

    def _start(self, event: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        started = event.get("content_block")
        if not isinstance(started, Mapping):
            return
        if len(self._order) >= MOST_CALLS:
            raise Malformed("the answer holds more blocks than any model makes")
        block = Block(str(started.get("type")), started)
        self._order.append(block)
        self._blocks[_key(event)] = block
        if block.kind == "text":
            yield from self._said(block, started.get("text"))
        elif block.kind in ("thinking", "redacted_thinking"):
            _keep(block.parts, started.get("thinking"))
            _keep(block.signature, started.get("signature"))
            yield from self._reason_once()

    def _delta(self, event: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        delta, block = event.get("delta"), self._blocks.get(_key(event))
        if not isinstance(delta, Mapping):
            return
        kind = delta.get("type")
        if kind == "text_delta":
            if block is None:
                block = self._blocks[_key(event)] = Block("text", {})
                self._order.append(block)
            yield from self._said(block, delta.get("text"))
        elif block is None:
            return
        elif kind == "input_json_delta":
            _keep(block.parts, delta.get("partial_json"))
        elif kind == "thinking_delta":
            _keep(block.parts, delta.get("thinking"))
        elif kind == "signature_delta":
            _keep(block.signature, delta.get("signature"))

    def _said(self, block: Block, piece: Any) -> Iterator[ProviderEvent]:
        text = self._text.feed(piece) if isinstance(piece, str) and piece else ""
        if text:
            block.parts = ["said"]
            yield TextDelta(text)

    def _reason_once(self) -> Iterator[ProviderEvent]:
        if not self._reasoned:
            self._reasoned = True
            yield Reasoned()

    def _stop(self, word: Any) -> None:
        if isinstance(word, str) and word:
            self.finished = True
            if self._reason in (None, "stop", "tools"):
                self._reason = REASONS.get(word, "broken")

    def _unstreamed(self, message: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        """A whole message, from an endpoint that does not stream although asked to."""
        content = message.get("content")
        for index, started in enumerate(content if isinstance(content, list) else ()):
            yield from self._start({"index": index, "content_block": started})
            block = self._blocks.get(index)
            if block is not None:
                block.closed = True
        yield from self._usage(message.get("usage"))
        self._stop(message.get("stop_reason"))

    def _use(self, position: int, block: Block) -> ToolUse:
        name, given = clean(_text(block.started.get("name"))), block.started.get("input")
        arguments = "".join(block.parts)
        if not arguments and isinstance(given, Mapping) and given:
            arguments = dump(given)
        return ToolUse(
            id=clean(_text(block.started.get("id"))) or f"call_{position}",
            name=self._names.get(name, name),
            arguments=clean(arguments),
        )

    def _thoughts(self) -> list[dict[str, Any]]:
        """Each closed thought as it must be sent again, with the calls and whether any text stood before it."""
        thoughts: list[dict[str, Any]] = []
        uses, said = 0, False
        for block in self._order:
            if block.kind == "tool_use":
                uses += 1
            elif block.kind == "text":
                said = said or bool(block.parts)
            elif block.kind in ("thinking", "redacted_thinking") and block.closed:
                again = dict(block.started)
                if block.kind == "thinking":
                    again |= {"thinking": "".join(block.parts), "signature": "".join(block.signature)}
                thoughts.append({"uses": uses, "said": said, "block": again})
        return thoughts


def _key(event: Mapping[str, Any]) -> Any:
    index = event.get("index")
    return index if isinstance(index, int | str) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _keep(parts: list[str], piece: Any) -> None:
    if isinstance(piece, str) and piece:
        parts.append(piece)
