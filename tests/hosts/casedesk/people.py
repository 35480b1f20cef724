"""The seeded case desk for tests: its people by address, its cases and discrepancies by name."""

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.casedesk.auth.service import Member, find_member
from deputize_hosts.casedesk.conflicts.models import Discrepancy
from deputize_hosts.casedesk.migrations.upgrade import upgrade
from deputize_hosts.casedesk.seed.firms import ATLANTE, HARBOUR, seed_id
from deputize_hosts.casedesk.seed.plant import plant
from tests.databases import migrated

NOW = datetime(2026, 3, 4, 8, 0, tzinfo=UTC)
MLRO, OFFICER, OFFICER2 = "mlro@harbour.example", "officer@harbour.example", "officer2@harbour.example"
ANALYST, AUDITOR, ADMIN = "analyst@harbour.example", "auditor@harbour.example", "admin@harbour.example"
CUSTOMER = "customer@nordwind.example"
OTHER, OTHER_CUSTOMER = "responsable@atlante.example", "cliente@olivares.example"

NORDWIND = seed_id(HARBOUR.key, "Nordwind Trading AS")
BLACKTHORN = seed_id(HARBOUR.key, "Blackthorn Holdings Ltd")
CALDER = seed_id(HARBOUR.key, "Calder Freight BV")
HALCYON = seed_id(HARBOUR.key, "Halcyon Foods GmbH")
OLIVARES = seed_id(ATLANTE.key, "Olivares del Sur SL")


def finding(case: UUID, field: str) -> UUID:
    """The id of a seeded discrepancy."""
    return seed_id(case, field)


NORDWIND_BIRTH = finding(NORDWIND, "ubo.birth_date")
NORDWIND_PHONE = finding(NORDWIND, "company.phone")
OLIVARES_NAME = finding(OLIVARES, "ubo.name")


async def planted(engine: AsyncEngine) -> None:
    """The case desk's tables and the copilot's, side by side, seeded; each test clones it."""
    await upgrade(engine)
    await migrated(engine)
    async with AsyncSession(engine) as session, session.begin():
        assert await plant(session, NOW)


async def member(session: AsyncSession, email: str) -> Member:
    """The seeded person with this address."""
    found = await find_member(session, email)
    assert found is not None
    return found


async def of(session: AsyncSession, discrepancy: UUID) -> Discrepancy:
    """A discrepancy as it is now, whoever asks."""
    query = select(Discrepancy).where(Discrepancy.id == discrepancy).execution_options(populate_existing=True)
    return (await session.scalars(query)).one()
