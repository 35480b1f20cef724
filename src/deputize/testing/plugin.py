"""The pytest plugin that adopters get with the package: fixtures for testing their own tools."""

import pytest

from deputize.testing.clock import FrozenClock


@pytest.fixture
def clock() -> FrozenClock:
    """A clock that only moves when the test says so."""
    return FrozenClock()
