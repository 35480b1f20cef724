"""SEC-6, AUTO-5: every service method against every role and the system, by walking over the services themselves."""

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from deputize import Actor
from deputize_hosts.workorders.auth.grants import GRANTS
from deputize_hosts.workorders.auth.service import Member
from deputize_hosts.workorders.caller import holds, may, require, require_triage
from deputize_hosts.workorders.errors import NotAllowed, NotFound, OrderClosed, StaleVersion
from deputize_hosts.workorders.orders import reading, service, suggestions
from deputize_hosts.workorders.orders.fields import OrderChange, OrderData
from deputize_hosts.workorders.orders.status import Priority
from deputize_hosts.workorders.users import service as users
from deputize_hosts.workorders.users.models import Role
from tests.databases import SqliteFiles
from tests.hosts.workorders.people import ADMIN, NOW, TENANT, TODAY, USER, VIEWER, System, member, order_titled

SERVICES: tuple[ModuleType, ...] = (service, reading, suggestions, users)
SYSTEM_ONLY = "service.triage_patch"


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """Refusals come before any query."""
    return sqlite_files


def methods() -> dict[str, Callable[..., Any]]:
    """Every public function of a service that takes an actor."""
    found = {}
    for module in SERVICES:
        prefix = "users" if module is users else module.__name__.rpartition(".")[2]
        for name, function in inspect.getmembers(module, inspect.iscoroutinefunction):
            if name.startswith("_") or function.__module__ != module.__name__:
                continue
            assert list(inspect.signature(function).parameters)[:2] == ["session", "actor"], name
            found[f"{prefix}.{name}"] = function
    return found


METHODS = methods()
MATRIX = {
    "service.create": "orders.write",
    "service.update": "orders.write",
    "service.delete": "orders.write",
    "reading.list_mine": "orders.read",
    "reading.list_all": "orders.admin",
    "reading.named": "orders.admin",
    "reading.get": "orders.read",
    "reading.metrics": "orders.admin",
    "suggestions.of_order": "orders.read",
    "suggestions.opted_out": "orders.read",
    "suggestions.attention": "orders.admin",
    "suggestions.accept": "orders.write",
    "suggestions.dismiss": "orders.write",
    "users.profile": "orders.read",
    "users.list_users": "users.admin",
    "users.set_ai_enabled": "users.admin",
}
"""What a person needs for each; triage_patch is for no person."""

VALUES: dict[str, Any] = {
    "order_id": uuid4(),
    "suggestion_id": uuid4(),
    "user_id": uuid4(),
    "version": 1,
    "priority": Priority.LOW,
    "change": OrderChange(title="x"),
    "data": OrderData("x"),
    "today": TODAY,
    "now": NOW,
    "enabled": True,
    "ids": [uuid4()],
}


async def call(name: str, session: AsyncSession, actor: Any) -> Any:
    """Call with values that exist nowhere: only the refusal of the caller matters."""
    function = METHODS[name]
    needed = [
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty and p.name not in ("session", "actor")
    ]
    return await function(session, actor, **{one: VALUES[one] for one in needed})


def test_the_matrix_names_every_method() -> None:
    assert set(METHODS) == {*MATRIX, SYSTEM_ONLY}


IMPOSTORS = [
    System(),
    System(grants=frozenset({"*"})),
    System(grants=frozenset({"orders.*", "users.*"}), capability=None),
    System(capability="admin", grants=frozenset({"*"})),
]


@pytest.mark.parametrize("who", range(len(IMPOSTORS)), ids=["triage", "all grants", "no capability", "admin"])
async def test_sec_6_the_system_is_refused_everywhere_else(session: AsyncSession, who: int) -> None:
    for name in MATRIX:
        with pytest.raises(NotAllowed) as caught:
            await call(name, session, IMPOSTORS[who])
        assert caught.value.status == 403, name


@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.value)
async def test_who_may_call_what(session: AsyncSession, role: Role) -> None:
    actor = await member(session, {Role.ADMIN: ADMIN, Role.USER: USER, Role.VIEWER: VIEWER}[role])
    let_through = set()
    for name in METHODS:
        try:
            await call(name, session, actor)
        except NotAllowed:
            continue
        except NotFound:
            pass
        let_through.add(name)
    assert let_through == {name for name, permission in MATRIX.items() if holds(GRANTS[role], permission)}


async def test_sec_6_triage_patch_sets_the_priority_and_nothing_else(session: AsyncSession) -> None:
    order = await order_titled(session, "Car park barrier")
    before = (order.title, order.description, order.status, order.owner_id, order.due_on)
    patched = await service.triage_patch(session, System(), order.id, Priority.HIGH, 1)
    assert (patched.priority, patched.version) == ("high", 2)
    assert (order.title, order.description, order.status, order.owner_id, order.due_on) == before
    with pytest.raises(StaleVersion):
        await service.triage_patch(session, System(), order.id, Priority.LOW, 1)
    closed = await order_titled(session, "Smell of gas")
    with pytest.raises(OrderClosed):
        await service.triage_patch(session, System(), closed.id, Priority.LOW, 1)


@pytest.mark.parametrize("impostor", [System(capability="other"), System(capability=None), System(kind="human")])
async def test_sec_6_triage_patch_is_for_the_capability_alone(session: AsyncSession, impostor: System) -> None:
    order = await order_titled(session, "Car park barrier")
    with pytest.raises(NotAllowed):
        await service.triage_patch(session, impostor, order.id, Priority.HIGH, 1)


async def test_sec_6_triage_of_one_organisation_does_not_reach_another(session: AsyncSession) -> None:
    order = await order_titled(session, "Inundación")
    with pytest.raises(NotFound):
        await service.triage_patch(session, System(), order.id, Priority.HIGH, 1)


def test_sec_6_no_system_actor_can_be_made_an_admin() -> None:
    for more in ({"role": "admin"}, {"grants": frozenset({"*"})}, {"capability": None}):
        with pytest.raises(ValueError, match="system actor"):
            Actor(**{"id": "system", "tenant": TENANT, "kind": "system", "capability": "triage", **more})  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ValueError, match="human"):
        Actor("x", TENANT, capability="triage")


async def test_the_deputy_s_own_system_actor_is_refused_and_let_through_alike(session: AsyncSession) -> None:
    actor = Actor("agent:triage", TENANT, kind="system", capability="triage")
    assert not may(actor, "orders.read")
    assert require_triage(actor) == UUID(TENANT)
    with pytest.raises(NotAllowed):
        require(actor, "orders.read")


async def test_a_person_who_claims_a_capability_is_none(user: Member) -> None:
    assert may(user, "orders.write")
    assert not may(System(kind="human", grants=frozenset({"*"})), "orders.write")
