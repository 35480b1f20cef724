"""Spans of model calls and tool calls by OpenTelemetry's conventions for generative AI, without content (OPS-3)."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, StatusCode

from deputize.core.run import Run, ToolCall
from deputize.core.usage import Usage
from deputize.engine.wiring import Wiring

_tracer = trace.get_tracer("deputize")
_VENDORS = {"openai": "openai", "anthropic": "anthropic"}
"""Names that the conventions know; any other provider keeps its own."""


@contextmanager
def model_span(provider: str, model: str, run_id: str, conversation_id: str | None, most: int) -> Iterator[Span]:
    """Around one call to a model; `answered` adds what came of it."""
    attributes: dict[str, str | int] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _VENDORS.get(provider, provider),
        "gen_ai.request.model": model,
        "gen_ai.request.max_tokens": most,
        "deputize.run.id": run_id,
    }
    if conversation_id:
        attributes["gen_ai.conversation.id"] = conversation_id
    with _span(f"chat {model}", SpanKind.CLIENT, attributes) as span:
        yield span


def answered(span: Span, usage: Usage | None, reason: str | None) -> None:
    """How the answer ended, and what it used where the vendor said so."""
    if reason in ("failed", "unavailable", "broken", None):
        failed(span, reason or "broken")
    else:
        span.set_attribute("gen_ai.response.finish_reasons", [reason])
    if usage is not None:
        span.set_attribute("gen_ai.usage.input_tokens", usage.total - usage.output)
        span.set_attribute("gen_ai.usage.output_tokens", usage.output)


@contextmanager
def tool_span(w: Wiring, run: Run, call: ToolCall, operation: str = "execute_tool") -> Iterator[Span]:
    """Around one tool call; `operation` is `stage_tool` where a write is only rehearsed for its card."""
    tool = w.registry.tools.get(call.tool)
    name = tool.name if tool is not None else "unknown"
    attributes = {
        "gen_ai.operation.name": operation,
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.type": "function",
        "gen_ai.conversation.id": run.conversation_id,
        "deputize.run.id": run.id,
    }
    with _span(f"{operation} {name}", SpanKind.INTERNAL, attributes) as span:
        yield span


def finished(span: Span, outcome: str) -> None:
    """What became of the call."""
    span.set_attribute("deputize.tool.outcome", outcome)
    if outcome in ("failed", "unknown_effect"):
        failed(span, outcome)


def failed(span: Span, kind: str) -> None:
    """The kind of failure; never its message, which may quote a value."""
    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)


@contextmanager
def _span(name: str, kind: SpanKind, attributes: dict[str, str | int] | dict[str, str]) -> Iterator[Span]:
    with _tracer.start_as_current_span(
        name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except Exception as error:
            failed(span, type(error).__qualname__)
            raise
