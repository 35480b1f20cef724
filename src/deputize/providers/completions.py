"""Puts the chunks of a chat-completions stream together: text, calls, usage, and why it stopped.

Source: contract RUN-3, PROV-3, BUD-3; field cases A1 to A32. Everything in a chunk may be missing or of another
type than documented; only an answer that no rule can read is a failure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from deputize.core.provider import Done, ProviderEvent, Reasoned, StopReason, TextDelta, UsageReport
from deputize.providers.failures import in_stream
from deputize.providers.fragments import Calls
from deputize.providers.tokens import OpenAITokens
from deputize.providers.wire import TextJoiner

REASONS: Mapping[str, StopReason] = {
    "stop": "stop",
    "end": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_calls": "tools",
    "tool_call": "tools",
    "tool_use": "tools",
    "function_call": "tools",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "max_output_tokens": "length",
    "content_filter": "filter",
    "content-filter": "filter",
    "safety": "filter",
    "refusal": "filter",
    "recitation": "filter",
    "blocklist": "filter",
    "prohibited_content": "filter",
    "spii": "filter",
    "sensitive": "filter",
}
"""What vendors say; every other word is `broken`, so that nothing runs on a guess."""

UNSAID = frozenset({"", "null", "none"})
REASONING = ("reasoning_content", "reasoning", "thinking")


class ChatAssembly:
    """One answer; vendors' own fields are kept under `origin`, and go back to that endpoint only."""

    def __init__(self, origin: str, names: Mapping[str, str]) -> None:
        self.ended = False
        self.finished = False
        self._origin = origin
        self._names = names
        self._calls = Calls()
        self._text = TextJoiner()
        self._tokens = OpenAITokens()
        self._reason: StopReason | None = None
        self._reasoned = False
        self._reasoning: list[str] = []
        self._echo: dict[str, Any] = {}

    def take(self, event: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        """Take one chunk. Raises ProviderFailed where it reports an error."""
        if event.get("error"):
            raise in_stream(event["error"])
        choices = event.get("choices")
        if isinstance(choices, list):
            for choice in choices:
                if isinstance(choice, Mapping) and choice.get("index") in (0, None):
                    yield from self._choice(choice)
        if event.get("usage"):
            yield from self._usage(event["usage"])
        groq = event.get("x_groq")
        if isinstance(groq, Mapping):
            yield from self._usage(groq.get("usage"))

    def close(self) -> Iterator[ProviderEvent]:
        """The calls and Done, or nothing where the stream broke before it said why it stopped (A20)."""
        rest = self._text.close()
        if rest:
            yield TextDelta(rest)
        if self._reason is None:
            return
        for use in self._calls.finished(self._origin):
            yield replace(use, name=self._names.get(use.name, use.name))
        reason = self._reason
        if reason in ("stop", "tools"):
            reason = "tools" if len(self._calls) else "stop"
        if self._reasoning:
            self._echo["reasoning_content"] = "".join(self._reasoning)
        yield Done(reason, {self._origin: self._echo} if self._echo else {})

    def _usage(self, report: Any) -> Iterator[ProviderEvent]:
        usage = self._tokens.take(report)
        if usage is not None:
            yield UsageReport(usage)

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            delta = choice.get("message")
        if isinstance(delta, Mapping):
            content = delta.get("content")
            if content:
                yield from self._content(content)
            if len(delta) > (content is not None):
                yield from self._rest(delta)
        if choice.get("usage"):
            yield from self._usage(choice["usage"])
        self._finish(choice.get("finish_reason"))

    def _content(self, content: Any) -> Iterator[ProviderEvent]:
        if isinstance(content, str):
            text = self._text.feed(content)
            if text:
                yield TextDelta(text)
        elif isinstance(content, list):
            for part in content:
                if isinstance(part, Mapping) and isinstance(part.get("text"), str):
                    yield from self._content(part["text"])
                elif isinstance(part, Mapping) and part.get("type") in ("thinking", "reasoning"):
                    yield from self._reason_once()

    def _rest(self, delta: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        """Everything but the text."""
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            yield from self._content(refusal)
        for key in REASONING:
            if delta.get(key):
                yield from self._reason_once()
        if isinstance(delta.get("reasoning_content"), str):
            self._reasoning.append(delta["reasoning_content"])
        details = delta.get("reasoning_details")
        if details and isinstance(details, list):
            yield from self._reason_once()
            self._echo.setdefault("reasoning_details", []).extend(details)
        for key in ("extra_content", "thought_signature"):
            if delta.get(key):
                self._echo[key] = delta[key]
        calls = delta.get("tool_calls")
        if isinstance(calls, list):
            for piece in calls:
                self._calls.add(piece)
        elif isinstance(calls, Mapping):
            self._calls.add(calls)
        if isinstance(delta.get("function_call"), Mapping):
            self._calls.add({"function": delta["function_call"]})

    def _reason_once(self) -> Iterator[ProviderEvent]:
        if not self._reasoned:
            self._reasoned = True
            yield Reasoned()

    def _finish(self, word: Any) -> None:
        """A later word replaces `stop` and `tools` only: what cut an answer short is never taken back."""
        if not isinstance(word, str) or word.strip().lower() in UNSAID:
            return
        self.finished = True
        if self._reason in (None, "stop", "tools"):
            self._reason = REASONS.get(word.strip().lower(), "broken")
