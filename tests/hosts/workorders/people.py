"""Callers of the desk's services for tests: by seeded e-mail, with the grants of their role, and the system."""

from dataclasses import dataclass
from datetime import UTC, date, datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.workorders.auth.service import Member, load_member
from deputize_hosts.workorders.migrations.upgrade import upgrade
from deputize_hosts.workorders.orders.models import WorkOrder
from deputize_hosts.workorders.seed.people import NORTHGATE, seed_id
from deputize_hosts.workorders.seed.plant import plant
from deputize_hosts.workorders.users.models import User
from tests.databases import migrated

NOW = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
"""A Wednesday morning in London."""
TODAY = date(2026, 3, 4)
ADMIN = "dispatch@northgate.example"
USER = "priya@northgate.example"
OTHER = "tom@northgate.example"
OPTED_OUT = "luis@northgate.example"
VIEWER = "grace@northgate.example"
FOREIGN = "iker@puertosur.example"
TENANT = str(seed_id(NORTHGATE.key))


@dataclass(frozen=True)
class System:
    """A system caller, also one that claims more than it can hold."""

    capability: str | None = "triage"
    grants: frozenset[str] = frozenset()
    id: str = str(seed_id("user", ADMIN))
    tenant: str = TENANT
    kind: str = "system"
    locale: str = "en"
    time_zone: str = "Europe/London"


async def planted(engine: AsyncEngine) -> None:
    """The migrated and seeded database that each test clones, with the copilot's tables beside the desk's."""
    await upgrade(engine)
    async with AsyncSession(engine) as session, session.begin():
        assert await plant(session, NOW)
    await migrated(engine)


async def member(session: AsyncSession, email: str) -> Member:
    """The seeded member with this address."""
    user = (await session.scalars(select(User).where(User.email == email))).one()
    found = await load_member(session, str(user.organisation_id), str(user.id))
    assert found is not None
    return found


async def order_titled(session: AsyncSession, words: str) -> WorkOrder:
    """The one seeded order whose title begins so."""
    return (await session.scalars(select(WorkOrder).where(WorkOrder.title.startswith(words)))).one()
