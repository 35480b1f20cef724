"""Nobody reaches another's things: asked over every route that the routers have (SEC-14, API-2)."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize import Actor, Automation, Context
from deputize.core.effect import Enqueued, Queued
from deputize.store import keyfile, outbox
from deputize.store.dead_letters import page_of
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls
from tests.engine.desk import ANA, EVA, Person
from tests.surfaces.routes import CASES, OPERATION, PUBLIC, Case, names, parameters
from tests.surfaces.serving import PREFIX, Served, served

pytestmark = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
"""Who may ask is decided before any statement; that each statement names its tenant is a house rule."""

RIGHTS = ("chat", "history.read", "history.read_all", "supervise", "configure")
HOST = frozenset({"people.*", "tasks.*"})
BEA = Actor("bea", "north", label="Bea", grants=frozenset({"copilot.*", *HOST}))


class Hello(BaseModel):
    model_config = ConfigDict(extra="forbid")
    word: str


class Greeting(Automation[str, Hello]):
    """Reads a name; nothing comes of it."""

    name, on, capability, answer, entity = "greeting", "person.created", "greeting", Hello, "person"

    async def owner(self, ctx: Context, subject: str) -> Actor | None:
        return None

    async def facts(self, ctx: Context, subject: str) -> str:
        person = await ctx.session.get(Person, subject)
        return person.name if person else ""

    async def propose(self, ctx: Context, facts: str, answer: Hello) -> Any:
        return {}

    async def apply(self, ctx: Context, facts: str, answer: Hello) -> None:
        """Never called in suggest mode."""


@dataclass
class Desk:
    """A served desk on which Eva has a pending card, and her tenant an event and an effect."""

    site: Served
    ids: dict[str, str]

    def path(self, route: str, case: Case) -> tuple[str, str]:
        method, _, path = route.partition(" ")
        for name in parameters(path):
            path = path.replace("{" + name + "}", case.fits.get(name) or self.ids[name])
        return method, path + case.query

    async def ask(self, route: str, who: str) -> tuple[int, str]:
        """Status and text; of a stream only its status."""
        case = CASES[route]
        method, path = self.path(route, case)
        content = None if method == "GET" else json.dumps(case.body or {})
        async with self.site.client.stream(
            method, PREFIX + path, content=content, headers=self.site.as_(who)
        ) as response:
            if response.headers.get("content-type", "").startswith("text/event-stream"):
                return response.status_code, ""
            return response.status_code, (await response.aread()).decode("utf-8", "replace")

    def grant(self, actor: Actor, *rights: str) -> None:
        """From now on the person holds these of our rights, and the desk's own."""
        self.site.hire(replace(actor, grants=HOST | {f"copilot.{right}" for right in rights}))


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock, tmp_path: Any) -> AsyncIterator[Desk]:
    key = tmp_path / "keys" / "checkpoint.key"
    keyfile.generate(key)
    settings = {"AI_CHECKPOINT_KEY_FILE": str(key), "AGENT_SWEEP_INTERVAL_MS": 3_600_000, "AI_DISCONNECT_GRACE_MS": 0}
    async with served(database, clock, settings=settings, automations=[Greeting()]) as site:
        site.hire(BEA)
        site.desk.provider.then(calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "call"})))
        session = (await site.post("/sessions", {"surface": "desk"})).json()["id"]
        frames = await site.stream("POST", f"/sessions/{session}/messages", {"content": "task for Ana"})
        card = frames[-1].data["call"]
        w = site.desk.w
        async with w.db.write("north", "test") as tx:
            effect = Queued("email", {"to": "ana@ruiz.example", "subject": "s", "body": "b"}, "k")
            await outbox.put(tx.conn, "north", [effect], [Enqueued("person.created", ANA)], w.clock.now())
        async with w.db.read() as conn:
            found = {kind: (await page_of(conn, "north", kind, None, 0, 1))[0][0]["id"] for kind in ("event", "effect")}
        ids = {"session_id": session, "run_id": card["runId"], "call_id": card["id"]}
        yield Desk(site, {**ids, "event_id": found["event"], "effect_id": found["effect"]})


def owned(route: str) -> bool:
    """It names a thing by an id of ours."""
    return any(name.endswith("_id") for name in parameters(route.partition(" ")[2]))


async def test_every_route_has_a_case(desk: Desk) -> None:
    """A route that is added without saying who may use it fails here."""
    deputy = desk.site.desk.deputy
    assert set(names(deputy.router, deputy.admin_router)) == set(CASES) | PUBLIC
    assert set(names(deputy.ops_router)) == OPERATION


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


@pytest.mark.parametrize("nth", [0, 1])
async def test_its_right_is_enough(desk: Desk, nth: int) -> None:
    """API-2: with the one right alone the owner is not turned away; what is missing then is something else."""
    wrong = {}
    for route, case in CASES.items():
        desk.grant(EVA, *case.rights[nth : nth + 1] or case.rights[:1])
        status, text = await desk.ask(route, "eva")
        missing = 404 if route == "GET /admin/agents/runs/{run_id}" else 0  # a copilot's run is not an automation's
        if status in {401, 403, 404} - {missing} or status >= 500:
            wrong[route] = f"{status} {text}"
        if route.startswith("POST /admin/agents/disable"):
            await desk.ask("POST /admin/agents/enable", "bea")
    assert wrong == {}


async def test_lists_of_everybody_ask_for_more(desk: Desk) -> None:
    """API-2: `all=true` is for `history.read_all` and `supervise`."""
    for path, right in (("/sessions?all=true", "history.read_all"), ("/runs?all=true", "supervise")):
        desk.grant(BEA, *(other for other in RIGHTS if other != right))
        assert (await desk.site.get(path, "bea")).status_code == 403
        desk.grant(BEA, right)
        assert (await desk.site.get(path, "bea")).json()["total"] == 1
