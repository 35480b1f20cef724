"""The demonstration data: two organisations, eight people, sixty orders, and safe to plant twice."""

from collections import Counter

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.workorders.main import demo
from deputize_hosts.workorders.orders.models import OrderCounter, OrderWords, WorkOrder
from deputize_hosts.workorders.orders.status import Priority, Status
from deputize_hosts.workorders.seed.hostile import FORGED, HIDDEN, INSTRUCTION, PHISHING
from deputize_hosts.workorders.seed.people import HOUSES
from deputize_hosts.workorders.seed.plant import plant
from deputize_hosts.workorders.users.models import Organisation, Role, User
from tests.databases import SqliteFiles
from tests.hosts.workorders.people import NOW


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """Rows are rows."""
    return sqlite_files


async def test_what_is_planted(session: AsyncSession) -> None:
    people = (await session.scalars(select(User))).all()
    assert Counter(one.role for one in people) == {Role.ADMIN: 2, Role.USER: 4, Role.VIEWER: 2}
    assert [one.name for one in people if not one.ai_enabled] == ["Luis Ferrer"]
    assert all(one.seeded for one in people)
    orders = (await session.scalars(select(WorkOrder))).all()
    assert len(orders) == 60
    assert {one.status for one in orders} == set(Status)
    assert {one.priority for one in orders} == set(Priority)
    assert {INSTRUCTION, FORGED, PHISHING, HIDDEN} <= {one.description for one in orders}
    assert all(len(one.title) <= 120 and len(one.description) <= 4000 for one in orders)


async def test_owners_belong_to_the_organisation_of_their_orders(session: AsyncSession) -> None:
    rows = await session.execute(
        select(WorkOrder.organisation_id, User.organisation_id).join(User, User.id == WorkOrder.owner_id)
    )
    assert all(one == other for one, other in rows)


async def test_numbers_words_and_counters_agree(session: AsyncSession) -> None:
    for organisation in await session.scalars(select(Organisation.id)):
        own = WorkOrder.organisation_id == organisation
        numbers = sorted(await session.scalars(select(WorkOrder.number).where(own)))
        assert numbers == list(range(1001, 1001 + len(numbers)))
        counter = await session.get(OrderCounter, organisation)
        assert counter is not None
        assert counter.last == numbers[-1]
    assert await session.scalar(select(func.count()).select_from(OrderWords)) == 60


async def test_planting_again_changes_nothing(engine: AsyncEngine) -> None:
    async with AsyncSession(engine) as session, session.begin():
        assert await plant(session, NOW) is False
        assert await session.scalar(select(func.count()).select_from(WorkOrder)) == 60


def test_the_demo_names_its_sign_ins() -> None:
    introduced = demo()
    assert len(introduced.sign_ins) == sum(len(house.people) for house in HOUSES) == 8
    assert introduced.app == "deputize_hosts.workorders.main:app"
    assert introduced.start == "/app/orders"
