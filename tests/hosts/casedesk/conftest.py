"""The seeded case desk on both databases, people to act with, and the desk with a deputy whose model is a script."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.casedesk.auth.service import Member
from tests.conftest import Fresh
from tests.hosts.casedesk.people import MLRO, OFFICER, OTHER, member, planted
from tests.hosts.casedesk.rig import Rig, make_rig


@pytest.fixture
async def casedesk(fresh: Fresh) -> AsyncEngine:
    """A fresh seeded database, on SQLite and on PostgreSQL."""
    return await fresh("casedesk", planted)


@pytest.fixture
async def session(casedesk: AsyncEngine) -> AsyncIterator[AsyncSession]:
    """One transaction; what it leaves is gone with the database."""
    async with AsyncSession(casedesk, expire_on_commit=False) as opened:
        yield opened


@pytest.fixture
async def officer(session: AsyncSession) -> Member:
    """An officer of the first firm."""
    return await member(session, OFFICER)


@pytest.fixture
async def mlro(session: AsyncSession) -> Member:
    """The reporting officer of the first firm, who approves."""
    return await member(session, MLRO)


@pytest.fixture
async def other(session: AsyncSession) -> Member:
    """The reporting officer of the other firm."""
    return await member(session, OTHER)


@pytest.fixture
async def rig(casedesk: AsyncEngine) -> AsyncIterator[Rig]:
    """The case desk with a deputy whose model is a script."""
    made = await make_rig(casedesk)
    yield made
    await made.deputy.close()
