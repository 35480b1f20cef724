"""Prices: the operator's word, the library's own copy, the configured price; never 0 but for offline (BUD-6)."""

import socket
from datetime import UTC, datetime
from typing import Any

import pytest

from deputize.core.usage import Price, Usage
from deputize.providers.prices import price_of

NOW = datetime(2026, 3, 2, tzinfo=UTC)
CONFIGURED = Price(150_000, 600_000)


def price(provider: str, model: str, **more: Any) -> Price:
    given: dict[str, Any] = {"configured": CONFIGURED, "override": False, "now": NOW, **more}
    return price_of(provider, model, **given)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening any socket fails the test."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a price was looked up on the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_a_known_model_costs_what_the_library_says() -> None:
    assert price("openai", "gpt-4o-mini") == Price(150_000, 600_000, 75_000, 187_500)
    assert price("anthropic", "claude-sonnet-4-5") == Price(3_000_000, 15_000_000, 300_000, 3_750_000)


def test_prices_that_rise_with_the_prompt_are_taken_at_their_step() -> None:
    low = price("anthropic", "claude-sonnet-4-5", context_tokens=16_384)
    high = price("anthropic", "claude-sonnet-4-5", context_tokens=400_000)
    assert low.input == 3_000_000
    assert high.input > low.input
    assert high.output > low.output


def test_an_unknown_model_costs_the_configured_price() -> None:
    expected = Price(150_000, 600_000, 150_000, 187_500)
    assert price("openai", "house-model-7") == expected
    assert price("openai", "house-model-7", base_url="http://10.0.0.1/v1") == expected
    assert price("somebody", "house-model-7") == expected
    assert price("openai", "") == expected


def test_a_known_model_behind_a_gateway_costs_what_the_library_says() -> None:
    assert price("openai", "gpt-4o", base_url="https://gateway.example.com/v1").input == 2_500_000


def test_the_operators_word_stands_above_the_library() -> None:
    assert price("openai", "gpt-4o", override=True) == Price(150_000, 600_000, 150_000, 187_500)
    own = Price(1, 2, 3, 4)
    assert price("openai", "gpt-4o", override=True, configured=own) == own


def test_nothing_but_offline_is_free() -> None:
    assert price("offline", "anything") == Price(0, 0)
    nothing = price("openai", "house-model-7", configured=Price(0, 0))
    assert min(nothing.input, nothing.output, nothing.cache_read, nothing.cache_write) >= 1
    assert nothing.cost(Usage(1, 0)) == 1


def test_no_listed_model_is_free() -> None:
    for model in ("gpt-4o", "gemini-2.5-pro", "mistral-small-latest", "deepseek-chat", "openai/gpt-oss-20b:free"):
        found = price("openai", model)
        assert min(found.input, found.output, found.cache_read, found.cache_write) > 0
