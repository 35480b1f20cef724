"""Nobody reaches another's things: asked over every route that the routers have (SEC-14, API-2)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.testing.clock import FrozenClock
from tests.engine.desk import EVA
from tests.surfaces.furnished import BEA, RIGHTS, Desk, furnished
from tests.surfaces.routes import CASES, OPERATION, PUBLIC, names, parameters

ONCE = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
"""Rights are asked before any statement; that each statement names its tenant is a house rule."""


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock, tmp_path: Path) -> AsyncIterator[Desk]:
    async with furnished(database, clock, tmp_path) as made:
        yield made


def owned(route: str) -> bool:
    """It names a thing by an id of ours."""
    return any(name.endswith("_id") for name in parameters(route.partition(" ")[2]))


@ONCE
async def test_every_route_has_a_case(desk: Desk) -> None:
    """A route that is added without saying who may use it fails here."""
    deputy = desk.site.desk.deputy
    assert (
        set(names(deputy.router, deputy.admin_router, deputy.agui_router, deputy.mcp_router(decide_at="/")))
        == set(CASES) | PUBLIC
    )
    assert set(names(deputy.ops_router)) == OPERATION


@ONCE
async def test_without_a_sign_in_everything_is_401(desk: Desk) -> None:
    """API-3: but for the element's own files."""
    found = {route: await desk.ask(route, "nobody") for route in CASES}
    assert {route: status for route, (status, _) in found.items() if status != 401} == {}
    assert all('"UNAUTHENTICATED"' in text for _, text in found.values())


async def test_another_tenants_things_are_not_there(desk: Desk) -> None:
    """SEC-14: for one who may do everything elsewhere, each id is 404, and no answer holds anything of ours."""
    wrong = {}
    for route in reversed(CASES):  # the chain before the attempts to decide, which name the id that was tried
        status, text = await desk.ask(route, "sue")
        if owned(route) and status != 404:
            wrong[route] = f"{status}"
        leaked = [name for name, ident in desk.ids.items() if ident in text]
        if leaked or "Ana" in text or "eva" in text:
            wrong[route] = f"tells {leaked} {text}"
    assert wrong == {}


async def test_anothers_things_are_not_there(desk: Desk) -> None:
    """SEC-14: within a tenant, for one who may chat and read their own."""
    desk.grant(desk.site.people["vic"], "chat", "history.read")
    wrong = {}
    for route, case in CASES.items():
        status, text = await desk.ask(route, "vic")
        expected = 403 if not set(case.rights) & {"chat", "history.read"} and case.rights else 404
        if owned(route) and status != expected:
            wrong[route] = f"{status}"
        leaked = [name for name, ident in desk.ids.items() if ident in text]
        if leaked or "Ana" in text or '"eva"' in text:
            wrong[route] = f"tells {leaked} {text}"
    assert wrong == {}


SEES = {"tenant": "history.read_all", "supervised": "supervise"}


@ONCE
@pytest.mark.parametrize("right", [*SEES.values(), "history.read", "chat", "configure"])
async def test_who_may_see_anothers_things(desk: Desk, right: str) -> None:
    """API-2: transcripts for `history.read_all`, runs and calls for `supervise`, and to act on them for nobody."""
    desk.grant(BEA, right)
    wrong = {}
    for route, case in CASES.items():
        if case.shows == "nothing":
            continue
        status, _ = await desk.ask(route, "bea")
        if SEES.get(case.shows) == right:
            expected = {200}
        elif case.shows == "own" and right == "supervise" and "call_id" in route:
            expected = {403}  # they see the card, and are told that another person decides
        else:
            expected = {404, 403}
        if status not in expected:
            wrong[route] = status
    assert wrong == {}


@ONCE
async def test_each_route_asks_for_its_right(desk: Desk) -> None:
    """API-2: with every right but the one it asks for, the owner themselves is turned away."""
    wrong = {}
    for route, case in CASES.items():
        if case.rights:
            others = [right for right in RIGHTS if right not in case.rights]
            seen = SEES.get(case.shows, "")
            desk.grant(EVA, *(right for right in others if right != seen))
            status, _ = await desk.ask(route, "eva")
            if status not in (403, 404):
                wrong[route] = status
    assert wrong == {}


NONE_SUCH = {"GET /admin/agents/runs/{run_id}", "POST /admin/audit/subjects/erase"}
"""A copilot's run is not an automation's, and of nobody there is no key."""


@ONCE
@pytest.mark.parametrize("nth", [0, 1])
async def test_its_right_is_enough(desk: Desk, nth: int) -> None:
    """API-2: with the one right alone the owner is not turned away; what is missing then is something else."""
    wrong = {}
    for route, case in CASES.items():
        desk.grant(EVA, *case.rights[nth : nth + 1] or case.rights[:1], *case.beside)
        status, text = await desk.ask(route, "eva")
        missing = 404 if route in NONE_SUCH else 0
        if status in {401, 403, 404} - {missing} or status >= 500:
            wrong[route] = f"{status} {text}"
        if route.startswith("POST /admin/agents/disable"):
            await desk.ask("POST /admin/agents/enable", "bea")
    assert wrong == {}


@ONCE
async def test_lists_of_everybody_ask_for_more(desk: Desk) -> None:
    """API-2: `all=true` is for `history.read_all` and `supervise`."""
    for path, right in (("/sessions?all=true", "history.read_all"), ("/runs?all=true", "supervise")):
        desk.grant(BEA, *(other for other in RIGHTS if other != right))
        assert (await desk.site.get(path, "bea")).status_code == 403
        desk.grant(BEA, right)
        assert (await desk.site.get(path, "bea")).json()["total"] == 1
