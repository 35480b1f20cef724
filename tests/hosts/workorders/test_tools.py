"""The copilot's tools wrap the services: which there are, what they return and how it is marked."""

from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from deputize import Actor, Context, Prose, Tool
from deputize.core.marks import Version, Yields, fields
from deputize_hosts.workorders.auth.service import Member
from deputize_hosts.workorders.errors import NotFound, StaleVersion
from deputize_hosts.workorders.main import actor_of
from deputize_hosts.workorders.orders import tools as orders
from deputize_hosts.workorders.users import tools as users
from tests.databases import SqliteFiles
from tests.hosts.workorders.people import NOW, order_titled

TABLE = {
    "list_my_work_orders": ("read", ("orders.read",)),
    "search_my_work_orders": ("read", ("orders.read",)),
    "admin_list_work_orders": ("read", ("orders.admin",)),
    "admin_metrics": ("read", ("orders.admin",)),
    "create_work_order": ("write", ("orders.write",)),
    "update_work_order": ("write", ("orders.write",)),
    "delete_work_order": ("destructive", ("orders.write",)),
    "get_profile": ("read", ("orders.read",)),
    "admin_list_users": ("read", ("users.admin",)),
}
EVERY = [*orders.TOOLS.tools, *users.TOOLS.tools]


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """These tests ask nothing of the database that the services' tests have not asked of both."""
    return sqlite_files


async def use(session: AsyncSession, who: Member, tool: Tool, version: int | None = None, **args: Any) -> Any:
    """Call the handler as the door does: validated arguments, the version that was read, plain data back."""
    actor: Actor = actor_of(who)
    versions = {} if version is None else {"order": str(version)}
    ctx = Context(session, actor, NOW, versions=versions)
    result = await tool.handler(ctx, tool.args.model_validate(args))
    return tool.result.model_validate(result).model_dump(mode="json")


def test_the_tools_are_those_of_the_domain() -> None:
    assert {t.name: (t.effect, t.permissions) for t in EVERY} == TABLE
    for one in EVERY:
        assert one.description
        assert set(one.title) == {"en", "es"}
        assert set(one.say) == {"en", "es"}
        assert all(len(sentences) >= 2 for sentences in one.say.values())


def test_every_order_in_a_result_carries_its_version() -> None:
    for one in EVERY:
        found = fields(one.result)
        for field in found:
            mark = field.mark(Yields)
            if mark is not None and mark.entity == "order":
                beside = [f for f in found if f.path[:-1] == field.path[:-1] and Version() in f.marks]
                assert beside, (one.name, field.path)


def test_only_the_search_returns_prose() -> None:
    """RED-6: without an entity model the search is withheld, and the lists still work."""
    assert [t.name for t in EVERY if any(f.mark(Prose) for f in fields(t.result))] == ["search_my_work_orders"]


async def test_lists_hold_ten_open_ones_and_say_how_many_there_are(session: AsyncSession, admin: Member) -> None:
    found = await use(session, admin, orders.admin_list_work_orders)
    assert (len(found["items"]), found["total"]) == (10, 30)
    assert {one["status"] for one in found["items"]} <= {"pending", "in_progress"}
    second = await use(session, admin, orders.admin_list_work_orders, page=2)
    assert not {one["id"] for one in found["items"]} & {one["id"] for one in second["items"]}
    closed = await use(session, admin, orders.admin_list_work_orders, status="done")
    assert {one["status"] for one in closed["items"]} == {"done"}


async def test_a_number_finds_a_closed_order_too(session: AsyncSession, user: Member) -> None:
    gas = await order_titled(session, "Smell of gas")
    found = await use(session, user, orders.list_my_work_orders, number=gas.number)
    assert [one["title"] for one in found["items"]] == [gas.title]


async def test_the_search_returns_the_description(session: AsyncSession, user: Member) -> None:
    found = await use(session, user, orders.search_my_work_orders, query="sprinkler keys")
    assert found["items"][0]["description"].startswith("Contractor booked")


async def test_a_write_uses_the_version_that_was_read(session: AsyncSession, user: Member) -> None:
    boiler = await order_titled(session, "Boiler")
    changed = await use(session, user, orders.update_work_order, 1, order=boiler.id, priority="urgent")
    assert (changed["priority"], changed["version"]) == ("urgent", 2)
    for version in (1, None):
        with pytest.raises(StaleVersion):
            await use(session, user, orders.update_work_order, version, order=boiler.id, priority="low")
        with pytest.raises(StaleVersion):
            await use(session, user, orders.delete_work_order, version, order=boiler.id)
    gone = await use(session, user, orders.delete_work_order, 2, order=boiler.id)
    assert gone == {"number": boiler.number, "deleted": True}


async def test_another_s_order_answers_as_unknown(session: AsyncSession, user: Member, foreign: Member) -> None:
    barrier = await order_titled(session, "Car park barrier")
    for who in (user, foreign):
        with pytest.raises(NotFound):
            await use(session, who, orders.update_work_order, 1, order=barrier.id, priority="low")


async def test_people_and_figures(session: AsyncSession, admin: Member, viewer: Member) -> None:
    me = await use(session, viewer, users.get_profile)
    assert (me["name"], me["role"], me["ai_enabled"]) == ("Grace Lin", "viewer", True)
    people = await use(session, admin, users.admin_list_users)
    assert people["total"] == 5
    assert {one["name"] for one in people["items"] if not one["ai_enabled"]} == {"Luis Ferrer"}
    figures = await use(session, admin, orders.admin_metrics)
    assert (
        figures["pending"] + figures["in_progress"] + figures["done"] + figures["cancelled"] == figures["total"] == 40
    )
