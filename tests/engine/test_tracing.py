"""Spans of a turn: one for each model call and tool call, and nothing in them that anybody said (OPS-3, RED-8)."""

import json

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from deputize.core.provider import ProviderFailed
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, Desk

_kept = InMemorySpanExporter()


@pytest.fixture(scope="module")
def provider() -> TracerProvider:
    """The process has one provider, set once."""
    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(_kept))
    trace.set_tracer_provider(made)
    return made


@pytest.fixture
def spans(provider: TracerProvider) -> InMemorySpanExporter:
    _kept.clear()
    return _kept


def told(spans: InMemorySpanExporter) -> list[ReadableSpan]:
    return list(spans.get_finished_spans())


async def test_a_turn_has_a_span_for_each_call(desk: Desk, spans: InMemorySpanExporter) -> None:
    """OPS-3: by the GenAI conventions."""
    desk.provider.then(
        calls(("find_people", {"query": "Ana"})), calls(("add_task", {"person": ANA, "title": "secret"})), says("Done.")
    )
    turn = await desk.say(EVA, await desk.open(EVA), "a task for Ana Ruiz")
    await desk.decide(EVA, turn.card, True)
    await desk.read(EVA, turn.run_id, turn.last)
    found = told(spans)
    assert [span.name for span in found] == [
        "chat scripted-1",
        "execute_tool find_people",
        "chat scripted-1",
        "stage_tool add_task",
        "execute_tool add_task",
        "chat scripted-1",
    ]
    model = dict(found[0].attributes or {})
    assert model["gen_ai.operation.name"] == "chat"
    assert model["gen_ai.provider.name"] == "scripted"
    assert model["gen_ai.request.model"] == "scripted-1"
    assert model["gen_ai.response.finish_reasons"] == ("tools",)
    assert (model["gen_ai.usage.input_tokens"], model["gen_ai.usage.output_tokens"]) == (10, 5)
    tool = dict(found[1].attributes or {})
    assert (tool["gen_ai.tool.name"], tool["deputize.tool.outcome"]) == ("find_people", "ok")
    assert tool["deputize.run.id"] == turn.run_id
    everything = "".join(span.to_json() for span in found)
    for word in ("Ana", "Ruiz", "secret", "Done", ANA, "task for", "eva"):
        assert word not in everything


async def test_failures_are_named_by_their_kind(desk: Desk, spans: InMemorySpanExporter) -> None:
    """OPS-3: no message of an exception, which may quote a value."""
    desk.provider.then(calls(("leak", {})), [ProviderFailed("broken pipe to Ana", transient=False)])
    await desk.say(EVA, await desk.open(EVA), "leak")
    by_name = {span.name: span for span in told(spans)}
    leak = dict(by_name["execute_tool leak"].attributes or {})
    assert (leak["deputize.tool.outcome"], leak["error.type"]) == ("failed", "failed")
    assert dict(told(spans)[-1].attributes or {})["error.type"] == "unavailable"
    everything = json.dumps([json.loads(span.to_json()) for span in told(spans)])
    assert "secret" not in everything
    assert "Ana" not in everything
    assert not [event for span in told(spans) for event in span.events]


async def test_a_made_up_tool_is_unknown(desk: Desk, spans: InMemorySpanExporter) -> None:
    """OPS-3: names never echo the model."""
    desk.provider.then(calls(("Ana_Ruiz", {})), says("No."))
    await desk.say(EVA, await desk.open(EVA), "hi")
    assert [span.name for span in told(spans)][1:2] == ["execute_tool unknown"]
    assert "Ana" not in "".join(span.to_json() for span in told(spans))
