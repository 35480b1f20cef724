"""The desk, fresh for each test, on both databases."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.testing.clock import FrozenClock
from tests.engine.desk import Desk, make_desk


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Desk]:
    """A host with a deputy whose model is a script."""
    made = await make_desk(database, clock)
    yield made
    await made.deputy.close()
