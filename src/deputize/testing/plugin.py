"""The pytest plugin that adopters get with the package: fixtures for testing their own tools."""

import pytest

from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import ScriptedProvider


@pytest.fixture
def scripted() -> ScriptedProvider:
    """A provider without a model, for the deputy under test: `Deputize(..., providers={"scripted": scripted})`."""
    return ScriptedProvider()


@pytest.fixture
def clock() -> FrozenClock:
    """A clock that only moves when the test says so."""
    return FrozenClock()
