"""AUTO-2: the one JSON object of an automation's pass fits its schema and goes by the words of the text."""

import asyncio
import json
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from deputize.core.message import Message, Text
from deputize.core.provider import Done, ModelRequest, Situation, TextDelta, ToolSchema
from deputize.providers.offline import OfflineProvider
from deputize.providers.offline.one_shot import grade, summary


class Triage(BaseModel):
    model_config = ConfigDict(extra="forbid")
    summary: str = Field(max_length=120)
    suggestedPriority: Literal["low", "medium", "high", "urgent"]
    flagForDispatcher: bool


def answer(text: str) -> dict[str, Any]:
    schema = ToolSchema("answer", "", Triage.model_json_schema())
    situation = Situation("2026-11-30T10:00:00Z", "UTC", "en", "", {})
    messages = (Message("user", (Text(text),)),)
    request = ModelRequest("offline", "", situation, messages, (schema,), 100, one_shot_json=True)

    async def collect() -> str:
        found = [e async for e in OfflineProvider().stream(request)]
        assert found[-1] == Done("stop")
        return "".join(e.text for e in found if isinstance(e, TextDelta))

    data: dict[str, Any] = json.loads(asyncio.run(collect()))
    Triage.model_validate(data)
    return data


@pytest.mark.parametrize(
    ("text", "priority", "flag"),
    [
        ("Gas leak in the kitchen\nPeople have left the building.", "urgent", True),
        ("Hay humo en el cuadro eléctrico, urge", "urgent", True),
        ("The boiler is not working since this morning", "high", False),
        ("La cerradura de la oficina está rota", "high", False),
        ("Please paint the fence when you can", "low", False),
        ("Cambiar la pintura del pasillo, sin prisa", "low", False),
        ("Replace the name plate on door 12", "medium", False),
        ("No es urgente: revisar el cartel de la entrada", "medium", False),
    ],
)
def test_priority_and_flag_follow_the_words(text: str, priority: str, flag: bool) -> None:
    found = answer(text)
    assert (found["suggestedPriority"], found["flagForDispatcher"]) == (priority, flag)


def test_summary_is_the_first_sentence_cut_at_a_word() -> None:
    assert answer("Title: Tap drips. It has done so for weeks.")["summary"] == "Tap drips."
    cut = answer("word " * 60)["summary"]
    assert len(cut) <= 120
    assert cut.endswith("word…")


def test_nothing_to_read_still_fits_the_schema() -> None:
    assert answer("")["suggestedPriority"] == "medium"
    assert grade("") == 1
    assert summary("") == ""
