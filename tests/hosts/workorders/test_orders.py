"""Orders: who may see and change them, optimistic versions, the table of moves, numbers without gaps."""

import asyncio
from datetime import date, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.workorders.auth.service import Member
from deputize_hosts.workorders.errors import IllegalMove, InvalidValue, NotAllowed, NotFound, StaleVersion
from deputize_hosts.workorders.orders import reading, service
from deputize_hosts.workorders.orders.fields import OrderChange, OrderData
from deputize_hosts.workorders.orders.models import OrderWords, TriageSuggestion, WorkOrder
from deputize_hosts.workorders.orders.reading import Wanted
from deputize_hosts.workorders.orders.status import MOVES, OPEN, Priority, Status
from tests.hosts.workorders.people import TODAY, USER, member, order_titled


async def made(session: AsyncSession, actor: Member, title: str = "A tap drips") -> WorkOrder:
    return await service.create(session, actor, OrderData(title, "In the kitchen on floor 2"))


async def test_an_order_is_its_owner_s(session: AsyncSession, user: Member, other: Member, admin: Member) -> None:
    order = await made(session, user)
    assert (await reading.get(session, user, order.id)).owner == "Priya Shah"
    assert (await reading.get(session, admin, order.id)).order.id == order.id
    for stranger in (other,):
        with pytest.raises(NotFound):
            await reading.get(session, stranger, order.id)
        with pytest.raises(NotFound):
            await service.update(session, stranger, order.id, order.version, OrderChange(title="Mine now"))
        with pytest.raises(NotFound):
            await service.delete(session, stranger, order.id, order.version)


async def test_an_admin_changes_anybody_s_order_and_names_an_owner(
    session: AsyncSession, user: Member, admin: Member, other: Member
) -> None:
    order = await made(session, user)
    changed = await service.update(session, admin, order.id, 1, OrderChange(priority=Priority.HIGH))
    assert (changed.priority, changed.version, str(changed.owner_id)) == ("high", 2, user.id)
    given = await service.create(session, admin, OrderData("For Tom"), owner=order.owner_id)
    assert given.owner_id == order.owner_id
    with pytest.raises(NotAllowed):
        await service.create(session, other, OrderData("For Priya"), owner=order.owner_id)


async def test_a_viewer_reads_only_their_own_and_writes_nothing(
    session: AsyncSession, viewer: Member, user: Member
) -> None:
    mine = await reading.list_mine(session, viewer)
    assert {one.owner for one in mine.items} == {"Grace Lin"}
    own = mine.items[0].order
    assert (await reading.get(session, viewer, own.id)).order.id == own.id
    theirs = await made(session, user)
    with pytest.raises(NotFound):
        await reading.get(session, viewer, theirs.id)
    with pytest.raises(NotAllowed):
        await made(session, viewer)
    with pytest.raises(NotAllowed):
        await service.update(session, viewer, own.id, own.version, OrderChange(title="x"))
    with pytest.raises(NotAllowed):
        await service.delete(session, viewer, own.id, own.version)


async def test_another_organisation_answers_as_nowhere(session: AsyncSession, user: Member, foreign: Member) -> None:
    theirs = (await reading.list_mine(session, foreign)).items[0].order
    messages = set()
    for ident in (theirs.id, uuid4()):
        with pytest.raises(NotFound) as caught:
            await reading.get(session, user, ident)
        messages.add(caught.value.message)
    assert len(messages) == 1
    with pytest.raises(InvalidValue):
        await service.create(
            session, await member(session, "dispatch@northgate.example"), OrderData("x"), owner=theirs.owner_id
        )


async def test_every_change_names_the_version_it_read(session: AsyncSession, user: Member) -> None:
    order = await made(session, user)
    first = await service.update(session, user, order.id, 1, OrderChange(title="A tap drips badly"))
    assert first.version == 2
    for stale in (0, 1, 3):
        with pytest.raises(StaleVersion) as caught:
            await service.update(session, user, order.id, stale, OrderChange(title="Too late"))
        assert (caught.value.status, caught.value.alternatives) == (409, {"version": 2})
        with pytest.raises(StaleVersion):
            await service.delete(session, user, order.id, stale)
    assert (await reading.get(session, user, order.id)).order.title == "A tap drips badly"


async def test_what_changes_nothing_raises_no_version(session: AsyncSession, user: Member) -> None:
    order = await made(session, user)
    same = OrderChange("A tap drips", "In the kitchen on floor 2", Priority.MEDIUM, Status.PENDING)
    assert (await service.update(session, user, order.id, 1, same)).version == 1


async def test_of_two_who_read_the_same_version_one_wins(engine: AsyncEngine) -> None:
    async with AsyncSession(engine, expire_on_commit=False) as session, session.begin():
        user = await member(session, USER)
        order = await made(session, user)

    async def change(title: str) -> str:
        async with AsyncSession(engine) as session, session.begin():
            try:
                await service.update(session, user, order.id, 1, OrderChange(title=title))
            except StaleVersion:
                return "stale"
            return "saved"

    assert sorted(await asyncio.gather(*(change(f"Version {n}") for n in range(4)))) == ["saved", *["stale"] * 3]
    async with AsyncSession(engine) as session:
        assert (await reading.get(session, user, order.id)).order.version == 2


MOVE_CASES = [(before, after) for before in Status for after in Status if before is not after]


@pytest.mark.parametrize(("before", "after"), MOVE_CASES, ids=lambda status: status.value)
async def test_the_table_of_moves(session: AsyncSession, user: Member, before: Status, after: Status) -> None:
    order = await made(session, user)
    order.status = before.value
    await session.flush()
    change = OrderChange(status=after)
    if after in MOVES[before]:
        assert (await service.update(session, user, order.id, 1, change)).status == after.value
        return
    with pytest.raises(IllegalMove) as caught:
        await service.update(session, user, order.id, 1, change)
    assert caught.value.alternatives == {"allowed": [move.value for move in MOVES[before]]}
    assert caught.value.status == 409


def test_done_and_cancelled_are_the_end() -> None:
    assert {status for status in Status if not MOVES[status]} == {Status.DONE, Status.CANCELLED}
    assert set(MOVES[Status.PENDING]) == {Status.IN_PROGRESS, Status.CANCELLED}
    assert set(MOVES[Status.IN_PROGRESS]) == {Status.DONE, Status.PENDING, Status.CANCELLED}


@pytest.mark.parametrize("title", ["", "   ", "\u0000\n", "x" * 121])
async def test_titles_are_there_and_fit(session: AsyncSession, user: Member, title: str) -> None:
    with pytest.raises(InvalidValue, match="title"):
        await made(session, user, title)


async def test_texts_are_tidied_and_limited(session: AsyncSession, user: Member) -> None:
    order = await service.create(session, user, OrderData("  A \t tap\n drips  ", "one\r\ntwo\x07\r\n"))
    assert (order.title, order.description) == ("A tap drips", "one\ntwo")
    with pytest.raises(InvalidValue, match="description"):
        await service.create(session, user, OrderData("A tap", "x" * 4001))


async def test_numbers_have_no_gaps_also_where_a_transaction_is_undone(engine: AsyncEngine) -> None:
    async with AsyncSession(engine) as session, session.begin():
        user = await member(session, USER)
        first = (await made(session, user)).number
    async with AsyncSession(engine) as session:
        await made(session, user)
        await session.rollback()

    async def one() -> int:
        async with AsyncSession(engine) as session, session.begin():
            return (await made(session, user)).number

    numbers = await asyncio.gather(*(one() for _ in range(5)))
    assert sorted(numbers) == list(range(first + 1, first + 6))


async def test_deleting_takes_words_and_suggestions_along(session: AsyncSession, user: Member) -> None:
    order = await made(session, user)
    session.add(
        TriageSuggestion(
            organisation_id=order.organisation_id,
            work_order_id=order.id,
            run_id="r",
            summary="s",
            suggested_priority="low",
        )
    )
    await session.flush()
    await service.delete(session, user, order.id, 1)
    for table in (OrderWords.order_id, TriageSuggestion.work_order_id):
        assert await session.scalar(select(table).where(table == order.id)) is None


async def test_search_folds_accents_and_asks_for_every_word(session: AsyncSession, foreign: Member) -> None:
    for query, count in (
        ("inundacion", 1),
        ("INUNDACIÓN contadores", 1),
        ("inundación ascensor", 0),
        ("100%", 0),
        ("_", 0),
    ):
        assert (await reading.list_mine(session, foreign, Wanted(query=query))).total == count, query
    order = await order_titled(session, "Inundación")
    assert (await reading.list_mine(session, foreign, Wanted(query=f"#{order.number}"))).total == 1
    await service.update(session, foreign, order.id, 1, OrderChange(title="Charco seco"))
    assert (await reading.list_mine(session, foreign, Wanted(query="charco"))).total == 1


async def test_lists_narrow_and_put_the_pressing_first(session: AsyncSession, user: Member, admin: Member) -> None:
    every = await reading.list_all(session, admin, size=200)
    assert every.total == 40
    orders = [one.order for one in every.items if one.order.status in OPEN]
    ranks = [list(Priority).index(Priority(order.priority)) for order in orders]
    assert ranks == sorted(ranks, reverse=True)
    late = await reading.list_mine(session, user, Wanted(late_on=TODAY))
    assert late.total == 2
    assert all(one.order.due_on and one.order.due_on < TODAY for one in late.items)
    urgent = await reading.list_all(session, admin, Wanted(priority=Priority.URGENT, status=frozenset({Status.DONE})))
    assert [one.order.title for one in urgent.items] == ["Smell of gas near the kitchen"]
    page = await reading.list_all(session, admin, page=2, size=15)
    assert not {one.order.id for one in page.items} & {one.order.id for one in every.items[:15]}
    assert (await reading.list_all(session, admin, Wanted(query="okafor lift"))).total == 1
    assert (await reading.list_mine(session, user, Wanted(query="okafor"))).total == 0


async def test_due_dates_are_set_kept_and_cleared(session: AsyncSession, user: Member) -> None:
    order = await service.create(session, user, OrderData("Due", due_on=TODAY + timedelta(days=1)))
    kept = await service.update(session, user, order.id, 1, OrderChange(title="Still due"))
    assert kept.due_on == date(2026, 3, 5)
    cleared = await service.update(session, user, order.id, 2, OrderChange(clear_due=True))
    assert (cleared.due_on, cleared.version) == (None, 3)


async def test_figures_add_up(session: AsyncSession, admin: Member, user: Member) -> None:
    told = await reading.metrics(session, admin, TODAY)
    assert told.total == sum(told.by_status.values()) == 40
    assert sum(told.open_by_priority.values()) == sum(told.open_by_owner.values())
    assert told.late == 4
    with pytest.raises(NotAllowed):
        await reading.metrics(session, user, TODAY)
