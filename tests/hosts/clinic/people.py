"""Callers of the clinic's services for tests: by seeded e-mail, with the grants of their role."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.clinic.auth.models import Membership, User
from deputize_hosts.clinic.auth.service import Member, load_member
from deputize_hosts.clinic.migrations.upgrade import upgrade
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.clinic.patients.models import Patient
from deputize_hosts.clinic.seed.plant import plant

NOW = datetime(2026, 3, 4, 8, 0, tzinfo=UTC)
"""A Wednesday, 9 o'clock in Madrid."""
TODAY = date(2026, 3, 4)
TOMORROW = TODAY + timedelta(days=1)
MADRID = ZoneInfo("Europe/Madrid")


async def planted(engine: AsyncEngine) -> None:
    """The migrated and seeded database that each test clones."""
    await upgrade(engine)
    async with AsyncSession(engine) as session, session.begin():
        assert await plant(session, NOW)


async def member(session: AsyncSession, email: str) -> Member:
    """The seeded member with this address."""
    row = (
        await session.execute(
            select(User.id, Membership.clinic_id)
            .join(Membership, Membership.user_id == User.id)
            .where(User.email == email)
        )
    ).one()
    found = await load_member(session, str(row.clinic_id), str(row.id))
    assert found is not None
    return found


async def maria(session: AsyncSession, actor: Member) -> Patient:
    """The one María López of the member's clinic."""
    found = await patients.search(session, actor, "María López")
    assert found.total == 1
    return found.items[0]


def local(day: date, hour: int, minute: int = 0) -> datetime:
    """A naive time, as people say it."""
    return datetime(day.year, day.month, day.day, hour, minute)
