"""Fixtures of the wires: a vendor on the loopback and the adapters that speak to it."""

from collections.abc import AsyncIterator

import pytest

from deputize.providers.anthropic import AnthropicProvider
from deputize.providers.openai import OpenAIProvider
from tests.providers import vendor as vendors


@pytest.fixture
async def vendor() -> AsyncIterator[vendors.Vendor]:
    """A vendor that answers as the test scripts it."""
    async with vendors.vendor() as made:
        yield made


@pytest.fixture
async def openai_provider(vendor: vendors.Vendor) -> AsyncIterator[OpenAIProvider]:
    """The adapter of the chat-completions wire, pointed at the vendor."""
    made = OpenAIProvider(
        base_url=f"{vendor.base_url}/v1",
        api_key="k-canary-key",
        default_model="small-1",
        allow_private=True,
        timeout=5.0,
        max_response_bytes=200_000,
    )
    yield made
    await made.close()


@pytest.fixture
async def anthropic_provider(vendor: vendors.Vendor) -> AsyncIterator[AnthropicProvider]:
    """The adapter of the messages wire, pointed at the vendor."""
    made = AnthropicProvider(
        base_url=vendor.base_url,
        api_key="k-canary-key",
        default_model="small-1",
        allow_private=True,
        timeout=5.0,
        max_response_bytes=200_000,
    )
    yield made
    await made.close()
