"""A bare practice for tests of money: two patients, a dentist, three catalogue items, nothing else."""

from dataclasses import replace
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.clinic.auth.models import Clinic, Membership, Role, User
from deputize_hosts.clinic.auth.service import Member, load_member
from deputize_hosts.clinic.catalog.models import CatalogItem
from deputize_hosts.clinic.migrations.upgrade import upgrade
from deputize_hosts.clinic.patients.models import Patient
from tests.databases import migrated

CLINIC, OTHER = UUID(int=1), UUID(int=2)
USER, DENTIST = UUID(int=11), UUID(int=12)
ANA, LUIS, STRANGER = UUID(int=21), UUID(int=22), UUID(int=23)
FILLING, CROWN, WHITENING = UUID(int=31), UUID(int=32), UUID(int=33)


async def bare(engine: AsyncEngine) -> None:
    """The clinic's tables, the copilot's, and the rows above."""
    await migrated(engine)
    await upgrade(engine)
    async with AsyncSession(engine) as session, session.begin():
        for own, name in ((CLINIC, "Clínica"), (OTHER, "Otra")):
            session.add(Clinic(id=own, name=name, time_zone="Europe/Madrid"))
        session.add(User(id=USER, email="a@b.example", name="Ada", password_hash="x"))
        await session.flush()
        member = Membership(
            id=DENTIST, clinic_id=CLINIC, user_id=USER, role=Role.ADMIN, name="Ada", is_professional=True
        )
        session.add(member)
        for own, clinic, first in ((ANA, CLINIC, "Ana"), (LUIS, CLINIC, "Luis"), (STRANGER, OTHER, "Ana")):
            mail = f"{first.lower()}@example.com"
            session.add(Patient(id=own, clinic_id=clinic, first_name=first, last_name="Gil", email=mail))
        for own, code, price, vat in (
            (FILLING, "OBT", 6500, 0),
            (CROWN, "COR", 39999, 0),
            (WHITENING, "BLA", 18033, 2100),
        ):
            row = CatalogItem(id=own, clinic_id=CLINIC, code=code, name_es=code, name_en=code, category="other")
            row.price, row.vat_bp = price, vat
            session.add(row)


async def ada(session: AsyncSession) -> Member:
    """Who may do everything in the first clinic."""
    found = await load_member(session, str(CLINIC), str(USER))
    assert found is not None
    return found


def only(member: Member, *grants: str) -> Member:
    """The same person with only these grants."""
    return replace(member, grants=frozenset(grants))


async def item(session: AsyncSession, code: str) -> CatalogItem:
    """The catalogue item of that code in the first clinic."""
    query = select(CatalogItem).where(CatalogItem.clinic_id == CLINIC, CatalogItem.code == code)
    return (await session.scalars(query)).one()
