"""The seeded clinic on both databases, and people to act with."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.clinic.auth.service import Member
from tests.conftest import Fresh
from tests.hosts.clinic.people import member, planted


@pytest.fixture
async def clinic(fresh: Fresh) -> AsyncEngine:
    """A fresh seeded database, on SQLite and on PostgreSQL."""
    return await fresh("clinic", planted)


@pytest.fixture
async def session(clinic: AsyncEngine) -> AsyncIterator[AsyncSession]:
    """One transaction; what it leaves is gone with the database."""
    async with AsyncSession(clinic, expire_on_commit=False) as opened:
        yield opened


@pytest.fixture
async def desk(session: AsyncSession) -> Member:
    """The receptionist of the first clinic."""
    return await member(session, "receptionist@demo.clinic")


@pytest.fixture
async def admin(session: AsyncSession) -> Member:
    """The admin of the first clinic."""
    return await member(session, "admin@demo.clinic")


@pytest.fixture
async def other(session: AsyncSession) -> Member:
    """The receptionist of the other clinic."""
    return await member(session, "receptionist@teide.clinic")
