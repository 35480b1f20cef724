"""The bureau with a hijacked model, fresh for each attack."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.testing.clock import FrozenClock
from tests.attacks.attempts import Case, Provider
from tests.attacks.bureau import BUREAU_TOOLS, NobodyElse, make_bureau, planted
from tests.conftest import Fresh
from tests.databases import migrated
from tests.engine.desk import Desk

Stage = Callable[[Case], Awaitable[Desk]]


async def furnished(engine: AsyncEngine) -> None:
    """The template: our tables, and the bureau's."""
    await migrated(engine)
    await planted(engine)


@pytest.fixture
async def stage(fresh: Fresh, clock: FrozenClock) -> AsyncIterator[Stage]:
    """Makes the bureau as a case wants it."""
    made: list[Desk] = []

    async def make(case: Case) -> Desk:
        engine = await fresh("bureau", furnished)
        detectors = [NobodyElse()] if case.detection else []
        provider = Provider(BUREAU_TOOLS)
        made.append(make_bureau(engine, clock, provider, settings=dict(case.settings), detectors=detectors))
        return made[-1]

    yield make
    for desk in made:
        await desk.deputy.close()
