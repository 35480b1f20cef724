"""The authority matrix, written by hand: mode × role × tool (COP-3, COP-5, SEC-5, SEC-6, TOOL-3, TOOL-4, APPR-9)."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize import Actor
from deputize.policy.permissions import allows_all
from deputize.testing.scripted import calls, says
from deputize_hosts.workorders.main import TOOLSETS
from tests.databases import SqliteFiles
from tests.hosts.workorders.copilot import Mounted, Talker, mounted
from tests.hosts.workorders.people import ADMIN, OPTED_OUT, TENANT, USER, VIEWER

PEOPLE = {"viewer": VIEWER, "user": USER, "admin": ADMIN}
OWN = {"viewer": "Printer room", "user": "Boiler", "admin": "Boiler"}
"""An order that the role may read."""

R, S, N, B = "ok", "staged", "refused", "blocked"
MATRIX: dict[str, tuple[str, str, str]] = {
    # tool                      viewer user admin
    "list_my_work_orders": (R, R, R),
    "search_my_work_orders": (R, R, R),
    "get_profile": (R, R, R),
    "admin_list_work_orders": (N, N, R),
    "admin_list_users": (N, N, R),
    "admin_metrics": (N, N, R),
    "create_work_order": (N, S, S),
    "update_work_order": (N, S, S),
    "delete_work_order": (N, S, S),
    # the two calls of triage are no tools of the copilot: an unknown name, whoever says it
    "triage_propose": ("invalid",) * 3,
    "triage_apply": ("invalid",) * 3,
}
UNSEEN: dict[str, tuple[str, str, str]] = {"update_work_order": (N, B, B), "delete_work_order": (N, B, B)}
"""The same writes on an id that no result carried."""
ARGS: dict[str, dict[str, Any]] = {
    "search_my_work_orders": {"query": "the"},
    "create_work_order": {"title": "Made by the matrix"},
    "update_work_order": {"priority": "low"},
}


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """The door asks both databases the same."""
    return sqlite_files


@pytest.fixture
async def desk(engine: AsyncEngine) -> AsyncIterator[Mounted]:
    async with mounted(engine) as made:
        yield made


async def outcome(desk: Mounted, person: Talker, tool: str, order: str) -> str:
    """What comes of one call after a read, in a conversation of its own; a card is withdrawn."""
    await person.open()
    args = {**ARGS.get(tool, {}), **({"order": order} if tool in UNSEEN else {})}
    read = "admin_list_work_orders" if person is desk.people.get(ADMIN) else "list_my_work_orders"
    desk.provider.turns.clear()
    desk.provider.then(calls((read, {})), calls((tool, args)), says("That is all."))
    answer = await person.say("do it")
    if answer.events[-1] == "tool_approval_required":
        assert (await person.post(f"/runs/{answer.card['runId']}/cancel")).status_code == 200
        return S
    return str(answer.results[-1]["outcome"])


@pytest.mark.parametrize("role", PEOPLE)
async def test_cop_3_and_5_what_each_role_gets_from_each_tool(desk: Mounted, role: str) -> None:
    """A viewer stages nothing, only an admin reaches an admin's tool, an id that was not seen is blocked."""
    person, at = await desk.person(PEOPLE[role]), list(PEOPLE).index(role)
    order = str((await desk.order(OWN[role])).id)
    found = {tool: await outcome(desk, person, tool, order) for tool in MATRIX}
    assert found == {tool: row[at] for tool, row in MATRIX.items()}
    unseen = {tool: await outcome(desk, person, tool, str(uuid4())) for tool in UNSEEN}
    assert unseen == {tool: row[at] for tool, row in UNSEEN.items()}


def test_the_matrix_names_every_tool_of_the_desk() -> None:
    assert {tool.name for toolset in TOOLSETS for tool in toolset.tools} | {"triage_propose", "triage_apply"} == set(
        MATRIX
    )


def test_sec_6_no_tool_is_open_to_the_system() -> None:
    """It holds no grant, so that no permission of any tool covers it; and none can be given to it."""
    system = Actor("agent:triage", TENANT, kind="system", capability="triage")
    every = [tool for toolset in TOOLSETS for tool in toolset.tools]
    assert every
    assert not any(allows_all(system.grants, tool.permissions) for tool in every)
    with pytest.raises(ValueError, match="system"):
        Actor("agent:triage", TENANT, kind="system", capability="triage", grants=frozenset({"*"}))


async def test_sec_8_who_opted_out_is_let_through_nowhere(desk: Mounted) -> None:
    """A column of its own: 403 before any tool is named, whatever the role."""
    person = await desk.person(OPTED_OUT)
    answer = await person.post("/sessions", {"surface": "desk"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "AI_DISABLED")
    assert desk.provider.requests == []
