"""The administrators' routes: automations, dead letters, unknown effects; who may, and what is recorded (API-2)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI, Header, HTTPException
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.actor import Actor
from deputize.engine import worker
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import says
from tests.engine.depot import Depot, Ticket, answer, make_depot

PEOPLE = {
    one.id: one
    for one in (
        Actor("ada", "north", grants=frozenset({"copilot.supervise", "copilot.configure"})),
        Actor("sven", "north", grants=frozenset({"copilot.supervise", "copilot.chat"})),
        Actor("carl", "north", grants=frozenset({"copilot.configure"})),
        Actor("eva", "north", grants=frozenset({"copilot.chat", "copilot.history.read_all"})),
        Actor("sue", "south", grants=frozenset({"*"})),
        Actor("robot", "north", kind="system", capability="triage"),
    )
}


async def current(x_user: str = Header(default="")) -> Actor:
    if x_user not in PEOPLE:
        raise HTTPException(401)
    return PEOPLE[x_user]


@dataclass
class Office:
    """The depot behind its admin routes."""

    depot: Depot
    client: httpx2.AsyncClient

    async def call(self, method: str, path: str, body: Any = None, who: str = "ada") -> tuple[int, Any]:
        sent = {} if body is None and method != "GET" else body
        response = await self.client.request(method, f"/admin{path}", json=sent, headers={"X-User": who})
        return response.status_code, response.json()


@pytest.fixture
async def office(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Office]:
    depot = await make_depot(database, clock, actor=current)
    app = FastAPI()
    app.include_router(depot.deputy.admin_router)
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://host.example") as client:
        yield Office(depot, client)
    await depot.deputy.close()


READS = [
    "/agents/runs",
    "/agents/runs/x",
    "/events?status=failed",
    "/effects?status=unknown",
    "/effects/x",
]
WRITES: list[tuple[str, str, Any]] = [
    ("PATCH", "/agents/triage/config", {"mode": "suggest"}),
    ("POST", "/agents/triage/run", {}),
    ("POST", "/agents/triage/disable", {}),
    ("POST", "/agents/triage/enable", {}),
    ("POST", "/agents/disable", {}),
    ("POST", "/agents/enable", {}),
]


@pytest.mark.parametrize("who", ["", "eva", "carl", "robot"])
async def test_what_is_seen_needs_supervise(office: Office, who: str) -> None:
    """API-2: 401 and 403 before anything is looked for."""
    for path in READS:
        status, _ = await office.call("GET", path, who=who)
        assert status == (403 if who else 401), path
    for path in ("/events/x/requeue", "/effects/x/requeue"):
        assert (await office.call("POST", path, who=who))[0] == (403 if who else 401)
    assert (await office.call("POST", "/effects/x/settle", {"outcome": "sent"}, who))[0] == (403 if who else 401)


@pytest.mark.parametrize("who", ["", "eva", "sven", "robot"])
async def test_what_is_set_needs_configure(office: Office, who: str) -> None:
    """API-2, AUTO-7: no system actor and nobody without the permission flips a switch."""
    for method, path, body in WRITES:
        status, _ = await office.call(method, path, body, who)
        assert status == (403 if who else 401), path
    assert await office.depot.kinds() == []


async def test_the_policy_is_read_and_changed(office: Office) -> None:
    """AUTO-3: every change is a version with its history and its entry; faults name field and rule."""
    status, seen = await office.call("GET", "/agents/triage")
    assert status == 200
    assert (seen["mode"], seen["allowedFields"], seen["workingHours"], seen["version"]) == (
        "suggest",
        ["priority"],
        "*",
        1,
    )
    body = {
        "mode": "auto-apply",
        "workingHours": "mon-fri 08:00-18:00",
        "timeZone": "Europe/Madrid",
        "flagThreshold": "high",
    }
    status, changed = await office.call("PATCH", "/agents/triage/config", body)
    assert (status, changed["version"], changed["mode"], changed["flagThreshold"]) == (200, 2, "auto-apply", "high")
    assert changed["history"][0]["changedBy"] == "ada"
    assert changed["history"][0]["changes"]["mode"] == {"before": "suggest", "after": "auto-apply"}
    status, _ = await office.call("PATCH", "/agents/triage/config", {"flagThreshold": None})
    assert status == 200
    assert (await office.depot.kinds()).count("agent_configured") == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"allowedFields": ["status"]}, "allowedFields"),
        ({"workingHours": "always"}, "workingHours"),
        ({"timeZone": "Mars/North"}, "timeZone"),
        ({"flagThreshold": "huge"}, "flagThreshold"),
        ({"dailyCap": -1}, "dailyCap"),
        ({"concurrency": 0}, "concurrency"),
        ({"mode": "everything"}, "mode"),
        ({"baseUrl": "https://x.example"}, "baseUrl"),
    ],
)
async def test_a_policy_that_is_not_valid_changes_nothing(office: Office, body: dict[str, Any], field: str) -> None:
    """AUTO-3: allowed fields are a subset of the declared ones; endpoint and key are no fields at all."""
    status, said = await office.call("PATCH", "/agents/triage/config", body)
    assert status == 422
    assert said["error"]["code"] == "VALIDATION_ERROR"
    assert [fault["field"] for fault in said["error"]["details"]["faults"]] == [field]
    assert (await office.call("GET", "/agents/triage"))[1]["version"] == 1


async def test_disable_and_enable(office: Office) -> None:
    """AUTO-7: one automation, and everything; persisted, audited, obeyed by the worker and the trigger."""
    await office.depot.ticket("t1")
    assert (await office.call("POST", "/agents/triage/disable"))[1]["running"] is False
    assert await worker.drain(office.depot.w) == 0
    assert (await office.call("POST", "/agents/triage/run", {"subject": "t1"}))[1] == {
        "outcome": "waiting: switched_off"
    }
    assert (await office.call("POST", "/agents/triage/enable"))[1]["running"] is True
    assert await office.call("POST", "/agents/disable") == (200, {"enabled": False})
    status, said = await office.call("POST", "/agents/triage/run", {"subject": "t1"})
    assert (status, said["error"]["code"]) == (403, "AI_DISABLED")
    status, seen = await office.call("GET", "/agents/triage")
    assert (status, seen["switchedOn"], seen["enabled"]) == (200, False, True)
    assert await office.call("POST", "/agents/enable") == (200, {"enabled": True})
    assert office.depot.provider.requests == []
    flips = [entry["on"] for kind, entry in await office.depot.chain() if kind == "switch_flipped"]
    assert flips == [True, False]


async def test_runs_are_listed_and_a_view_is_an_entry(office: Office) -> None:
    """AUTO-8, AUD-2: transcript, calls and costs of a pass; every look at one is recorded."""
    await office.depot.ticket("t1")
    office.depot.provider.then(answer())
    assert (await office.call("POST", "/agents/triage/run", {"subject": "t1"}))[1] == {"outcome": "proposed"}
    status, page = await office.call("GET", "/agents/runs", who="sven")
    assert (status, page["total"], page["items"][0]["agentName"], page["items"][0]["subject"]) == (
        200,
        1,
        "triage",
        "t1",
    )
    status, run = await office.call("GET", f"/agents/runs/{page['items'][0]['id']}", who="sven")
    assert status == 200
    assert [message["role"] for message in run["messages"]] == ["user", "assistant"]
    assert [call["tool"] for call in run["toolCalls"]] == ["triage_propose"]
    viewed = [entry for kind, entry in await office.depot.chain() if kind == "transcript_viewed"]
    assert [entry["run"] for entry in viewed] == [run["id"]]
    assert (await office.call("GET", f"/agents/runs/{run['id']}", who="sue"))[0] == 404
    assert (await office.call("GET", "/agents/runs", who="sue"))[1]["total"] == 0


async def test_dead_letters_are_requeued(office: Office) -> None:
    """AUTO-1: buried events are seen and put back, once, by an administrator of their tenant."""
    await office.depot.ticket("t1")
    for _ in range(3):
        office.depot.provider.then(says("no json"))
        await worker.drain(office.depot.w)
        await office.depot.hurry()
    status, page = await office.call("GET", "/events?status=failed")
    assert (status, page["total"]) == (200, 1)
    (letter,) = page["items"]
    assert (letter["subject"], letter["attempts"], letter["error"]) == ("t1", 3, "invalid_answer")
    assert (await office.call("POST", f"/events/{letter['id']}/requeue", who="sue"))[0] == 404
    assert (await office.call("POST", f"/events/{letter['id']}/requeue"))[1]["status"] == "pending"
    assert (await office.call("POST", f"/events/{letter['id']}/requeue"))[0] == 409
    office.depot.provider.then(answer())
    assert await worker.drain(office.depot.w) == 1
    assert "event_requeued" in await office.depot.kinds()


@pytest.mark.parametrize(("said", "arrived"), [("sent", 1), ("not_sent", 2)])
async def test_unknown_effects_are_settled(office: Office, said: str, arrived: int) -> None:
    """APPR-5: a person says what became of it; only `not_sent` sends again."""
    office.depot.outside.after = [TimeoutError()]
    await office.depot.queue("k")
    await worker.drain(office.depot.w)
    _, page = await office.call("GET", "/effects?status=unknown")
    (effect,) = page["items"]
    assert "payload" not in effect
    _, whole = await office.call("GET", f"/effects/{effect['id']}")
    assert whole["payload"]["to"] == "k@out.example"
    assert (await office.call("POST", f"/effects/{effect['id']}/settle", {"outcome": said}, "sue"))[0] == 404
    status, settled = await office.call("POST", f"/effects/{effect['id']}/settle", {"outcome": said}, "sven")
    assert (status, settled["status"]) == (200, "done" if said == "sent" else "pending")
    assert (await office.call("POST", f"/effects/{effect['id']}/settle", {"outcome": said}))[0] == 409
    await worker.drain(office.depot.w)
    assert len(office.depot.outside.arrived) == arrived
    kinds = await office.depot.kinds()
    assert "effect_settled" in kinds
    assert "effect_viewed" in kinds
    assert await office.depot.all(Ticket) == []


async def test_unknown_names(office: Office) -> None:
    """API-3: what is not there is 404, in our shape."""
    for method, path, body in (
        ("GET", "/agents/nobody", None),
        ("PATCH", "/agents/nobody/config", {}),
        ("POST", "/agents/nobody/run", {}),
        ("GET", "/agents/runs/none", None),
        ("POST", "/events/none/requeue", {}),
        ("POST", "/effects/none/settle", {"outcome": "sent"}),
    ):
        status, said = await office.call(method, path, body)
        assert (status, said["error"]["code"]) == (404, "NOT_FOUND"), path
