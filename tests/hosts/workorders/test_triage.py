"""Triage on the desk, through the worker: AGT-1 to AGT-9 as far as this host shows them, with a scripted model."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.engine import worker
from deputize.store import outbox
from deputize.testing.scripted import says
from deputize_hosts.workorders.orders.automation import TriageAnswer
from deputize_hosts.workorders.orders.models import TriageSuggestion, WorkOrder
from deputize_hosts.workorders.orders.service import CREATED
from deputize_hosts.workorders.orders.status import OPEN
from deputize_hosts.workorders.users.models import User
from tests.databases import SqliteFiles
from tests.hosts.workorders.browser import hidden, text_of
from tests.hosts.workorders.copilot import ADMIN_BASE, Mounted, Talker, mounted
from tests.hosts.workorders.people import ADMIN, NOW, OPTED_OUT, USER, VIEWER

URGENT = {"summary": "Water runs near the sockets.", "suggestedPriority": "urgent", "flagForDispatcher": True}
LOW = {"summary": "Cosmetic.", "suggestedPriority": "low", "flagForDispatcher": False}


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """The engine has asked both databases the same questions."""
    return sqlite_files


@pytest.fixture
async def desk(engine: AsyncEngine) -> AsyncIterator[Mounted]:
    async with mounted(engine) as made:
        yield made


def answers(value: Any) -> Any:
    """A model's answer: JSON, or whatever text is given."""
    return says(value if isinstance(value, str) else json.dumps(value))


async def reported(desk: Mounted, email: str = USER, title: str = "Pipe burst") -> tuple[Talker, str]:
    """A new order by that person, from the page's form."""
    person = await desk.person(email)
    made = await person.send("/app/orders/new", title=title, description="In the cellar", priority="medium")
    return person, made.url.path


async def worked(desk: Mounted, *said: Any) -> int:
    """The worker does all that is due; how many events there were."""
    desk.provider.then(*(answers(one) for one in said))
    return await worker.drain(desk.built.deputy.wiring)


async def suggestions(desk: Mounted) -> list[TriageSuggestion]:
    async with AsyncSession(desk.engine) as session:
        return list(await session.scalars(select(TriageSuggestion).order_by(TriageSuggestion.created_at)))


async def events(desk: Mounted) -> list[tuple[str, str, str]]:
    async with AsyncSession(desk.engine) as session:
        rows = await session.execute(text("SELECT type, subject, status FROM deputize_outbox ORDER BY created_at"))
        return [tuple(row) for row in rows]


async def configured(desk: Mounted, **changes: Any) -> None:
    admin = await desk.person(ADMIN)
    answer = await admin.patch("/agents/triage/config", changes, ADMIN_BASE)
    assert answer.status_code == 200, answer.text


async def test_agt_1_creating_tells_triage_in_the_same_transaction(desk: Mounted) -> None:
    _, page = await reported(desk)
    order = page.rsplit("/", 1)[1]
    assert await events(desk) == [(CREATED, order, "pending")]
    person = await desk.person(USER)
    assert (await person.send("/app/orders/new", title="", priority="medium")).status_code == 422
    assert len(await events(desk)) == 1


async def test_agt_1_reconcile_names_what_was_missed_but_nobody_s_who_opted_out(desk: Mounted) -> None:
    """SEC-8: the seeded orders have no event; those of the opted-out owner never get one."""
    assert await worker.reconcile(desk.built.deputy.wiring) > 0
    named = {subject for _, subject, _ in await events(desk)}
    async with AsyncSession(desk.engine) as session:
        open_ones = select(WorkOrder.id).join(User, User.id == WorkOrder.owner_id)
        rows = await session.scalars(open_ones.where(User.ai_enabled.is_(True), WorkOrder.status.in_(OPEN)))
        wanted = {str(ident) for ident in rows}
    assert named == wanted


async def test_agt_4_and_6_a_suggestion_stands_beside_the_order_and_is_accepted_as_the_person(desk: Mounted) -> None:
    person, page = await reported(desk)
    assert await worked(desk, URGENT) == 1
    order = await desk.order("Pipe burst")
    assert (order.priority, order.version) == ("medium", 1)
    [suggestion] = await suggestions(desk)
    assert (suggestion.suggested_priority, suggestion.flag_for_dispatcher) == ("urgent", True)
    assert not suggestion.applied
    shown = await person.get(page)
    assert "Water runs near the sockets." in text_of(shown)
    path = f"{page}/suggestions/{suggestion.id}"
    accepted = await person.send(f"{path}/accept", version=hidden(shown, "version"))
    assert "Accepted: priority set." in text_of(accepted)
    order = await desk.order("Pipe burst")
    assert (order.priority, order.version) == ("urgent", 2)
    [suggestion] = await suggestions(desk)
    assert (suggestion.applied, str(suggestion.decided_by)) == (True, str(order.owner_id))
    for action in ("accept", "dismiss"):
        assert (await person.send(f"{path}/{action}", version="2")).status_code == 409


async def test_accepting_names_the_version_that_was_read(desk: Mounted) -> None:
    person, page = await reported(desk)
    await worked(desk, URGENT)
    await person.send(f"{page}/edit", version="1", title="Pipe burst again", priority="low")
    [suggestion] = await suggestions(desk)
    stale = await person.send(f"{page}/suggestions/{suggestion.id}/accept", version="1")
    assert stale.status_code == 409
    assert ((await desk.order("Pipe burst")).priority, (await suggestions(desk))[0].applied) == ("low", False)


async def test_agt_6_the_attention_list_is_a_query_over_suggestions(desk: Mounted) -> None:
    person, page = await reported(desk)
    await reported(desk, title="Paint is old")
    await worked(desk, URGENT, LOW)
    admin = await desk.person(ADMIN)
    listed = text_of(await admin.get("/app/attention"))
    assert "Pipe burst" in listed
    assert "Paint is old" not in listed
    assert (await person.get("/app/attention")).status_code == 403
    flagged = next(one for one in await suggestions(desk) if one.flag_for_dispatcher)
    await admin.send(f"{page}/suggestions/{flagged.id}/dismiss", version="1")
    assert "Nothing needs you." in text_of(await admin.get("/app/attention"))


async def test_others_suggestions_are_not_to_be_decided(desk: Mounted) -> None:
    _, page = await reported(desk)
    await worked(desk, URGENT)
    [suggestion] = await suggestions(desk)
    for email in ("tom@northgate.example", VIEWER, "iker@puertosur.example"):
        person = await desk.person(email)
        for action in ("accept", "dismiss"):
            answer = await person.send(f"{page}/suggestions/{suggestion.id}/{action}", version="1")
            assert answer.status_code == 404, email
    assert (await suggestions(desk))[0].decided_at is None


async def test_agt_4_an_opted_out_owner_s_order_never_reaches_a_model(desk: Mounted) -> None:
    """SEC-8: no event is written; one that was there before the opt-out is skipped without a call."""
    _, own = await reported(desk, OPTED_OUT, "Private thing")
    assert await events(desk) == []
    _, page = await reported(desk)
    admin = await desk.person(ADMIN)
    people = {one["email"]: one["id"] for one in (await admin.get("/api/v1/users")).json()["items"]}
    assert (await admin.patch(f"/{people[USER]}", {"aiEnabled": False}, "/api/v1/users")).status_code == 200
    assert await worked(desk) == 1
    assert desk.provider.requests == []
    assert await suggestions(desk) == []
    runs = (await admin.get(f"{ADMIN_BASE}/agents/runs")).json()["items"]
    assert [(one["errorCode"], one["subject"]) for one in runs] == [("skipped_opted_out", page.rsplit("/", 1)[1])]
    order = own.rsplit("/", 1)[1]
    triggered = await admin.post("/agents/triage/run", {"subject": order}, ADMIN_BASE)
    assert triggered.json() == {"outcome": "skipped: opted_out"}
    assert desk.provider.requests == []


BAD = [
    "no JSON at all",
    {**LOW, "status": "done"},
    {**LOW, "title": "Renamed"},
    {**LOW, "suggestedPriority": "highest"},
    {**LOW, "flagForDispatcher": "yes"},
    {"summary": "Half of it"},
    {**LOW, "summary": ""},
    {**LOW, "summary": "x" * 501},
]


@pytest.mark.parametrize("answer", BAD, ids=[str(n) for n in range(len(BAD))])
async def test_agt_4_what_does_not_fit_is_a_failed_attempt_that_changes_nothing(desk: Mounted, answer: Any) -> None:
    await reported(desk)
    assert await worked(desk, answer) == 1
    assert await suggestions(desk) == []
    order = await desk.order("Pipe burst")
    assert (order.priority, order.status, order.version) == ("medium", "pending", 1)


def test_agt_4_the_answer_has_no_room_for_anything_else() -> None:
    assert set(TriageAnswer.model_json_schema()["properties"]) == {"summary", "suggestedPriority", "flagForDispatcher"}


async def test_agt_5_an_event_that_keeps_failing_is_shown_and_put_back_by_a_person(engine: AsyncEngine) -> None:
    async with mounted(engine, agent_max_attempts=1) as desk:
        await reported(desk)
        await worked(desk, "nonsense")
        admin = await desk.person(ADMIN)
        [failed] = (await admin.get(f"{ADMIN_BASE}/events?status=failed")).json()["items"]
        assert (failed["error"], failed["attempts"]) == ("invalid_answer", 1)
        put_back = await admin.post(f"/events/{failed['id']}/requeue", {}, ADMIN_BASE)
        assert put_back.status_code == 200
        await worked(desk, LOW)
        assert [one.summary for one in await suggestions(desk)] == ["Cosmetic."]


async def test_agt_7_auto_apply_sets_the_priority_through_triage_patch_alone(desk: Mounted) -> None:
    await configured(desk, mode="auto-apply")
    _, page = await reported(desk)
    await worked(desk, URGENT)
    order = await desk.order("Pipe burst")
    assert (order.priority, order.status, order.description, order.version) == ("urgent", "pending", "In the cellar", 2)
    [suggestion] = await suggestions(desk)
    assert (suggestion.applied, suggestion.decided_by) == (True, None)
    admin = await desk.person(ADMIN)
    assert "Set automatically, by policy." in text_of(await admin.get(page))
    run = (await admin.get(f"{ADMIN_BASE}/agents/runs/{suggestion.run_id}")).json()
    assert [(c["tool"], c["outcome"]) for c in run["toolCalls"]] == [("triage_propose", "ok"), ("triage_apply", "ok")]
    assert run["userId"] == "agent:triage"


async def test_agt_7_nothing_is_applied_where_no_field_is_allowed(desk: Mounted) -> None:
    await configured(desk, mode="auto-apply", allowedFields=[])
    await reported(desk)
    await worked(desk, URGENT)
    assert (await desk.order("Pipe burst")).priority == "medium"
    assert [one.applied for one in await suggestions(desk)] == [False]


async def test_agt_7_an_order_that_was_closed_meanwhile_is_left_alone(desk: Mounted) -> None:
    await configured(desk, mode="auto-apply")
    person, page = await reported(desk)
    await person.send(f"{page}/status", version="1", status="cancelled")
    await worked(desk)
    assert desk.provider.requests == []
    assert (await desk.order("Pipe burst")).priority == "medium"


async def test_agt_2_workers_take_one_event_at_a_time_and_a_killed_one_s_is_taken_over(desk: Mounted) -> None:
    """Two orders at a cap of two passes at once: one is claimed by a worker that vanishes, both are handled once."""
    await configured(desk, concurrency=2)
    await reported(desk)
    await reported(desk, title="Second")
    w = desk.built.deputy.wiring
    async with w.db.write("*", "claim") as tx:
        claimed = await outbox.claim(tx.conn, outbox.EVENT, [CREATED], "a worker that dies", 60.0)
    assert claimed is not None
    assert await worked(desk, LOW) == 1, "the other one is free, the claimed one is left to its owner"
    async with w.db.write("*", "age") as tx:
        await tx.conn.execute(text("UPDATE deputize_outbox SET lease_until = created_at WHERE status = 'running'"))
    assert await worked(desk, LOW) == 1
    assert [status for _, _, status in await events(desk)] == ["done", "done"]
    assert len(await suggestions(desk)) == 2


async def test_agt_3_a_new_policy_counts_in_the_organisation_s_zone(desk: Mounted) -> None:
    """AUTO-3: nobody has to say it first; hours and days are London's, and Madrid's in the other house."""
    for email, zone in ((ADMIN, "Europe/London"), ("coordinacion@puertosur.example", "Europe/Madrid")):
        shown = (await (await desk.person(email)).get(f"{ADMIN_BASE}/agents/triage")).json()
        assert (shown["timeZone"], shown["workingHours"]) == (zone, "*")


async def test_agt_3_the_threshold_flags_and_the_cap_makes_events_wait(desk: Mounted) -> None:
    await configured(desk, flagThreshold="high", dailyCap=1)
    await reported(desk)
    await reported(desk, title="Second")
    high = {**LOW, "suggestedPriority": "high"}
    assert await worked(desk, high, high) == 1
    assert [one.flag_for_dispatcher for one in await suggestions(desk)] == [True]
    assert [status for _, _, status in await events(desk)] == ["done", "pending"]


async def test_agt_9_a_switched_off_agent_asks_no_model_until_it_is_on_again(desk: Mounted) -> None:
    admin = await desk.person(ADMIN)
    await reported(desk)
    for off, on in (("/agents/triage/disable", "/agents/triage/enable"), ("/agents/disable", "/agents/enable")):
        assert (await admin.post(off, {}, ADMIN_BASE)).status_code == 200
        assert await worked(desk) == 0
        assert desk.provider.requests == []
        assert (await admin.post(on, {}, ADMIN_BASE)).status_code == 200
    assert await worked(desk, LOW) == 1


async def test_agt_8_policy_runs_and_switches_are_for_admins(desk: Mounted) -> None:
    """AUTO-7, H14: the routes are the only way to a switch, and nobody else gets through them."""
    for email in (USER, VIEWER):
        person = await desk.person(email)
        for path in ("/agents/triage", "/agents/runs", "/events"):
            assert (await person.get(ADMIN_BASE + path)).status_code == 403
        assert (await person.patch("/agents/triage/config", {"mode": "auto-apply"}, ADMIN_BASE)).status_code == 403
        for path in ("/agents/disable", "/agents/triage/disable", "/agents/triage/run"):
            assert (await person.post(path, {}, ADMIN_BASE)).status_code == 403


async def test_hostile_descriptions_change_neither_calls_nor_rules(desk: Mounted) -> None:
    """SEC-5: whatever a description says, the pass has no tool but its own two, and the text goes out as data."""
    order = await desk.order("Please handle today")
    admin = await desk.person(ADMIN)
    desk.provider.then(answers(URGENT))
    outcome = await admin.post("/agents/triage/run", {"subject": str(order.id)}, ADMIN_BASE)
    assert outcome.json() == {"outcome": "proposed"}
    [request] = desk.provider.requests
    assert "Ignore all previous instructions" not in request.system
    assert "Ignore all previous instructions" in str(request.messages)
    assert [tool.name for tool in request.tools] == ["answer"]
    after = await desk.order("Please handle today")
    assert (after.priority, after.version) == ("medium", 1)


async def test_missed_waits_for_the_reconcile_delay(desk: Mounted) -> None:
    async with AsyncSession(desk.engine, expire_on_commit=False) as session, session.begin():
        young = (await session.scalars(select(WorkOrder).where(WorkOrder.title.startswith("Boiler")))).one()
        young.created_at = NOW - timedelta(seconds=10)
    await worker.reconcile(desk.built.deputy.wiring)
    named = {subject for _, subject, _ in await events(desk)}
    assert str(young.id) not in named
    assert named
