"""The desk over real HTTP, on both databases."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.testing.clock import FrozenClock
from tests.surfaces.serving import Served, served


@pytest.fixture
async def site(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Served]:
    """A served host whose model is a script."""
    async with served(database, clock) as made:
        yield made
