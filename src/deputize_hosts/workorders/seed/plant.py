"""Puts the demonstration data into an empty database; a second start finds it and changes nothing."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.kit.passwords import hash_password
from deputize_hosts.workorders.auth.models import Credential
from deputize_hosts.workorders.clock import today
from deputize_hosts.workorders.orders.fields import folded
from deputize_hosts.workorders.orders.models import OrderCounter, OrderWords, WorkOrder
from deputize_hosts.workorders.seed.people import HOUSES, NORTHGATE, PASSWORD, House, seed_id
from deputize_hosts.workorders.seed.stories import ENGLISH, SPANISH, Story
from deputize_hosts.workorders.users.models import Organisation, User

FIRST_NUMBER = 1001
STORIES = {"northgate": ENGLISH, "puerto": SPANISH}


async def plant(session: AsyncSession, now: datetime) -> bool:
    """Seed both organisations; False if they are there already. The caller commits."""
    if await session.get(Organisation, seed_id(NORTHGATE.key)) is not None:
        return False
    for house in HOUSES:
        await _plant_one(session, house, now)
    return True


async def _plant_one(session: AsyncSession, house: House, now: datetime) -> None:
    organisation = seed_id(house.key)
    session.add(Organisation(id=organisation, name=house.name, time_zone=house.time_zone, locale=house.locale))
    await session.flush()
    people = {one.name.split()[0].lower(): seed_id("user", one.email) for one in house.people}
    for one in house.people:
        session.add(
            User(
                id=seed_id("user", one.email),
                organisation_id=organisation,
                email=one.email,
                name=one.name,
                role=one.role.value,
                ai_enabled=one.ai_enabled,
                seeded=True,
            )
        )
    await session.flush()
    for one in house.people:
        session.add(Credential(user_id=seed_id("user", one.email), password_hash=hash_password(PASSWORD)))
    stories = sorted(STORIES[house.key], key=lambda story: -story.days_ago)
    for place, story in enumerate(stories):
        await _plant_order(session, house, organisation, people[story.owner], FIRST_NUMBER + place, story, now)
    session.add(OrderCounter(organisation_id=organisation, last=FIRST_NUMBER + len(stories) - 1))
    await session.flush()


async def _plant_order(
    session: AsyncSession, house: House, organisation: UUID, owner: UUID, number: int, story: Story, now: datetime
) -> None:
    created = now - timedelta(days=story.days_ago, minutes=17 * (number % 29))
    due = None if story.due_in is None else today(house, now) + timedelta(days=story.due_in)
    order = WorkOrder(
        id=seed_id(house.key, "order", number),
        organisation_id=organisation,
        number=number,
        title=story.title,
        description=story.description,
        priority=story.priority.value,
        status=story.status.value,
        owner_id=owner,
        due_on=due,
        version=1,
        created_at=created,
        updated_at=created,
    )
    session.add(order)
    await session.flush()
    words = folded(number, order.title, order.description)
    session.add(OrderWords(order_id=order.id, organisation_id=organisation, folded=words))
