"""One real call of each vendor, only where keys and DEPUTIZE_LIVE=1 are set."""

import os
from collections.abc import Callable
from typing import Any

import pytest

from deputize.core.provider import Provider
from deputize.providers.anthropic import AnthropicProvider
from deputize.providers.openai import OpenAIProvider
from tests.providers.asked import FIND, answered, ask, called, read_all, said

VENDORS: list[Any] = [
    pytest.param(
        make,
        f"{name.upper()}_API_KEY",
        f"DEPUTIZE_LIVE_{name.upper()}_MODEL",
        id=name,
        marks=pytest.mark.skipif(
            os.environ.get("DEPUTIZE_LIVE") != "1" or not os.environ.get(f"{name.upper()}_API_KEY"),
            reason=f"calls a paid service: set DEPUTIZE_LIVE=1, {name.upper()}_API_KEY and a model",
        ),
    )
    for name, make in (("openai", OpenAIProvider), ("anthropic", AnthropicProvider))
]


@pytest.mark.parametrize(("make", "key", "model"), VENDORS)
async def test_prov_1_a_real_vendor_calls_a_tool_and_answers(
    make: Callable[..., Provider], key: str, model: str
) -> None:
    provider = make(base_url=None, api_key=os.environ[key], default_model=os.environ[model])
    question = said("Find the patient called Ana with the tool, then say her number.")
    first = await read_all(provider.stream(ask(question, tools=[FIND])))
    assert first.reason == "tools"
    assert [use.name for use in first.calls] == ["find_patient"]
    assert first.usage is not None
    turn = called(*first.calls, text=first.text, extra=dict(first.done.extra) if first.done else {})
    results = answered(*(use.id for use in first.calls), content='{"number": 4711}')
    second = await read_all(provider.stream(ask(question, turn, results, tools=[FIND])))
    assert second.reason == "stop"
    assert "4711" in second.text
    await provider.close()
