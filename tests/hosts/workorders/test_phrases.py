"""PROV-2: what people say about orders reaches the desk's tools with the right arguments, in English and Spanish.

Nothing here was declared word for word; each sentence ends in a card, or in one read.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.databases import SqliteFiles
from tests.hosts.workorders.copilot import Mounted, mounted
from tests.hosts.workorders.people import ADMIN, USER

Said = tuple[str, str, dict[str, Any]]
"""A sentence, the tool it ends in, and the arguments but for the order."""

CHANGES: list[Said] = [
    ("cancel order 1036", "update_work_order", {"status": "cancelled"}),
    ("start order 1036", "update_work_order", {"status": "in_progress"}),
    ("set order 1036 to low priority", "update_work_order", {"priority": "low"}),
    ("make the boiler order urgent", "update_work_order", {"priority": "urgent"}),
    ("rename order 1036 to Boiler in block C", "update_work_order", {"title": "Boiler in block C"}),
    ("the due date of order 1036 is Friday", "update_work_order", {"due_on": "2026-03-06"}),
    ("order 1036 is due on Friday", "update_work_order", {"due_on": "2026-03-06"}),
    ("the priority of order 1036 is low", "update_work_order", {"priority": "low"}),
    ("la fecha de la orden 1036 es el viernes", "update_work_order", {"due_on": "2026-03-06"}),
    ("la orden 1036 vence el viernes", "update_work_order", {"due_on": "2026-03-06"}),
    ("la prioridad de la orden 1036 es baja", "update_work_order", {"priority": "low"}),
    ("move the due date of order 1036 to 12 March", "update_work_order", {"due_on": "2026-03-12"}),
    (
        "create a high priority order: a leaking tap",
        "create_work_order",
        {"title": "A leaking tap", "priority": "high"},
    ),
    ("report a broken window in the lobby", "create_work_order", {"title": "Broken window in the lobby"}),
    ("delete order 1036", "delete_work_order", {}),
    ("cancela la orden 1036", "update_work_order", {"status": "cancelled"}),
    ("empieza la orden n.º 1036", "update_work_order", {"status": "in_progress"}),
    ("pon la orden 1036 en prioridad baja", "update_work_order", {"priority": "low"}),
    (
        "cambia el título de la orden 1036 a Caldera nueva",
        "update_work_order",
        {"title": "Caldera nueva"},
    ),
    ("cambia la fecha de la orden 1036 al viernes", "update_work_order", {"due_on": "2026-03-06"}),
    ("nueva orden urgente: gotea el grifo", "create_work_order", {"title": "Gotea el grifo", "priority": "urgent"}),
    ("borra la orden 1036", "delete_work_order", {}),
]
READS: list[Said] = [
    ("what is the due date of order 1036?", "list_my_work_orders", {"number": 1036}),
    ("when is order 1036 due?", "list_my_work_orders", {"number": 1036}),
    ("is order 1036 urgent?", "list_my_work_orders", {"number": 1036, "priority": "urgent"}),
    ("¿es urgente la orden 1036?", "list_my_work_orders", {"number": 1036, "priority": "urgent"}),
    ("¿cuándo vence la orden 1036?", "list_my_work_orders", {"number": 1036}),
    ("my urgent orders", "list_my_work_orders", {"priority": "urgent"}),
    ("which orders are in progress?", "list_my_work_orders", {"status": "in_progress"}),
    ("find orders about the lift", "search_my_work_orders", {"query": "lift"}),
    ("mis órdenes urgentes", "list_my_work_orders", {"priority": "urgent"}),
    ("órdenes pendientes", "list_my_work_orders", {"status": "pending"}),
    ("¿qué está vencido?", "list_my_work_orders", {"overdue": True}),
]
ADMIN_READS: list[Said] = [
    ("everybody's urgent orders", "admin_list_work_orders", {"priority": "urgent"}),
    ("orders of Priya", "admin_list_work_orders", {"query": "Priya"}),
    ("who works here?", "admin_list_users", {}),
    ("how many are overdue?", "admin_metrics", {}),
    ("todas las órdenes vencidas", "admin_list_work_orders", {"overdue": True}),
    ("¿quién trabaja aquí?", "admin_list_users", {}),
]


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """The planner asks no database."""
    return sqlite_files


@pytest.fixture
async def desk(engine: AsyncEngine) -> AsyncIterator[Mounted]:
    async with mounted(engine, scripted=False) as made:
        yield made


async def heard(desk: Mounted, email: str, text: str) -> Said:
    """The sentence in a conversation of its own: what was proposed, else the last thing that was read."""
    person = await desk.person(email)
    person.session = ""
    answer = await person.say(text)
    if answer.events[-1] != "tool_approval_required":
        last = [data for name, data in answer.frames if name == "tool_call_start"][-1:]
        return (text, last[0]["tool"], last[0]["args"]) if last else (text, "", {})
    card = answer.card
    assert (await person.post(f"/runs/{card['runId']}/cancel")).status_code == 200
    return text, card["tool"], {name: value for name, value in card["args"].items() if name != "order"}


@pytest.mark.parametrize(
    ("email", "said"), [(USER, CHANGES), (USER, READS), (ADMIN, ADMIN_READS)], ids=["changes", "reads", "admin"]
)
async def test_sentences_reach_their_tool(desk: Mounted, email: str, said: list[Said]) -> None:
    assert [await heard(desk, email, text) for text, _, _ in said] == said


async def test_the_order_is_the_one_that_was_named(desk: Mounted) -> None:
    """A number right after `order` or `orden` is whose change is proposed, whatever else the sentence names."""
    order = await desk.order("Boiler")
    person = await desk.person(USER)
    for text in ("rename order 1036 to Lift in block C", "cambia el título de la orden 1036 a Ascensor del bloque C"):
        person.session = ""
        card = (await person.say(text)).card
        assert card["args"]["order"] == str(order.id)
        await person.post(f"/runs/{card['runId']}/cancel")
