"""The seeded desk on both databases, and people to act with."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.workorders.auth.service import Member
from tests.conftest import Fresh
from tests.hosts.workorders.people import ADMIN, FOREIGN, OTHER, USER, VIEWER, member, planted


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    """A fresh seeded database, on SQLite and on PostgreSQL."""
    return await fresh("workorders", planted)


@pytest.fixture
async def session(engine: AsyncEngine) -> AsyncIterator[AsyncSession]:
    """One transaction; what it leaves is gone with the database."""
    async with AsyncSession(engine, expire_on_commit=False) as opened:
        yield opened


@pytest.fixture
async def admin(session: AsyncSession) -> Member:
    """The dispatcher of the first organisation."""
    return await member(session, ADMIN)


@pytest.fixture
async def user(session: AsyncSession) -> Member:
    """Priya, with orders of her own."""
    return await member(session, USER)


@pytest.fixture
async def other(session: AsyncSession) -> Member:
    """Tom, of the same organisation."""
    return await member(session, OTHER)


@pytest.fixture
async def viewer(session: AsyncSession) -> Member:
    """Grace, who only looks."""
    return await member(session, VIEWER)


@pytest.fixture
async def foreign(session: AsyncSession) -> Member:
    """Iker, of the other organisation."""
    return await member(session, FOREIGN)
