"""COP-1 to COP-10 through the real mounted application, with a scripted model or the embedded one."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.provider import ProviderFailed
from deputize.testing.scripted import calls, says
from deputize_hosts.workorders.main import BASE
from tests.databases import SqliteFiles
from tests.hosts.workorders.copilot import Mounted, Talker, mounted
from tests.hosts.workorders.people import ADMIN, OPTED_OUT, OTHER, USER, VIEWER

READS = {"list_my_work_orders", "search_my_work_orders", "get_profile"}
WRITES = {"create_work_order", "update_work_order", "delete_work_order"}
ADMIN_READS = {"admin_list_work_orders", "admin_list_users", "admin_metrics"}
MINE: tuple[str, dict[str, Any]] = ("list_my_work_orders", {})


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """The engine has asked both databases the same questions."""
    return sqlite_files


@pytest.fixture
async def desk(engine: AsyncEngine) -> AsyncIterator[Mounted]:
    async with mounted(engine) as made:
        yield made


async def staged(desk: Mounted, person: Talker, title: str = "Boiler", **args: Any) -> dict[str, Any]:
    """Read, then propose a change to the order with that title: the card."""
    order = await desk.order(title)
    change = {"order": str(order.id), **(args or {"priority": "urgent"})}
    desk.provider.then(calls(MINE), calls(("update_work_order", change)), says("Done."))
    answer = await person.say("make it urgent")
    assert answer.events[-1] == "tool_approval_required", answer.frames
    return answer.card


async def test_cop_1_one_active_session_and_none_while_a_card_waits(desk: Mounted) -> None:
    person = await desk.person(USER)
    first, second = await person.open(), await person.open()
    listed = {one["id"]: one["status"] for one in (await person.get(f"{BASE}/sessions")).json()["items"]}
    assert listed == {first: "archived", second: "active"}
    await staged(desk, person)
    answer = await person.post("/sessions", {"surface": "desk"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "AI_APPROVAL_PENDING")


async def test_cop_1_nobody_who_opted_out_opens_one(desk: Mounted) -> None:
    person = await desk.person(OPTED_OUT)
    answer = await person.post("/sessions", {"surface": "desk"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "AI_DISABLED")


async def test_cop_2_a_message_has_1_to_4000_characters_and_waits_for_the_card(desk: Mounted) -> None:
    person = await desk.person(USER)
    for content in ("", "x" * 4001):
        assert (await person.say(content)).code == "VALIDATION_ERROR"
    desk.provider.then(says("Hello."))
    said = await person.say("x" * 4000)
    assert (said.status, said.said, said.events) == (200, "Hello.", ["message_done"])
    await staged(desk, person)
    refused = await person.say("and another thing")
    assert (refused.status, refused.code) == (409, "AI_APPROVAL_PENDING")


@pytest.mark.parametrize(
    ("email", "offered"),
    [(VIEWER, READS), (USER, READS | WRITES), (ADMIN, READS | WRITES | ADMIN_READS)],
    ids=["viewer", "user", "admin"],
)
async def test_cop_3_each_role_is_offered_its_tools(desk: Mounted, email: str, offered: set[str]) -> None:
    desk.provider.then(says("Hello."))
    await (await desk.person(email)).say("hello")
    assert desk.offered == offered


async def test_cop_3_reads_run_inline_and_writes_wait(desk: Mounted) -> None:
    person = await desk.person(USER)
    card = await staged(desk, person)
    assert [one["outcome"] for one in (await runs_of(person))[0]["toolCalls"]] == ["ok", None]
    changed = {f["name"]: (f["before"], f["after"]) for f in card["approval"]["preview"]["changes"][0]["fields"]}
    assert changed["priority"] == ("High", "Urgent")
    assert (await desk.order("Boiler")).priority == "high"
    decided = (await person.decide(card)).json()
    assert (decided["outcome"], decided["stagedVersion"], decided["executedVersion"]) == ("ok", "1", "1")
    after = await desk.order("Boiler")
    assert (after.priority, after.version) == ("urgent", 2)


async def runs_of(person: Talker) -> list[dict[str, Any]]:
    """The person's own runs with their calls, newest first."""
    items = (await person.get(f"{BASE}/runs")).json()["items"]
    return [(await person.get(f"{BASE}/runs/{one['id']}")).json() for one in items]


async def test_cop_4_version_and_owner_are_never_the_model_s_to_say(desk: Mounted) -> None:
    person = await desk.person(USER)
    desk.provider.then(says("Hello."))
    await person.say("hello")
    for tool in desk.provider.requests[-1].tools:
        properties = set(tool.parameters["properties"])
        assert not properties & {"version", "owner", "owner_id", "organisation_id", "tenant"}, tool.name
    order = str((await desk.order("Boiler")).id)
    for extra in ({"version": 1}, {"owner": "x"}, {"approved": True}):
        await person.open()
        desk.provider.then(
            calls(MINE), calls(("update_work_order", {"order": order, "title": "x", **extra})), says("No.")
        )
        answer = await person.say("rename it")
        assert [one["outcome"] for one in answer.results] == ["ok", "invalid"]


async def test_cop_4_an_order_is_read_in_this_run_before_it_is_changed(desk: Mounted) -> None:
    person = await desk.person(USER)
    order = str((await desk.order("Boiler")).id)
    desk.provider.then(calls(MINE), says("Here."))
    await person.say("my orders")
    desk.provider.then(calls(("update_work_order", {"order": order, "title": "x"})), says("I will read it first."))
    answer = await person.say("rename the boiler")
    assert [one["outcome"] for one in answer.results] == ["blocked"]
    assert (await runs_of(person))[0]["toolCalls"][0]["code"] == "need_read_first"


async def test_cop_4_a_change_in_between_is_shown_anew(desk: Mounted) -> None:
    person = await desk.person(USER)
    card = await staged(desk, person)
    order = await desk.order("Boiler")
    edited = await person.send(f"/app/orders/{order.id}/edit", version="1", title="Boiler in block C", priority="high")
    assert edited.status_code == 200
    stale = await person.decide(card)
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "AI_APPROVAL_STALE")
    fresh = (await person.get(f"{BASE}/tool-calls/{card['id']}")).json()
    assert fresh["approval"]["digest"] != card["approval"]["digest"]
    assert (await person.decide(fresh)).json()["outcome"] == "ok"
    after = await desk.order("Boiler")
    assert (after.title, after.priority, after.version) == ("Boiler in block C", "urgent", 3)


@pytest.mark.parametrize("tool", sorted(WRITES))
async def test_cop_5_a_viewer_s_write_is_refused_and_never_staged(desk: Mounted, tool: str) -> None:
    person = await desk.person(VIEWER)
    order = str((await desk.order("Printer room")).id)
    args = {"create_work_order": {"title": "x"}, "update_work_order": {"order": order, "title": "x"}}
    desk.provider.then(calls(MINE), calls((tool, args.get(tool, {"order": order}))), says("You may not."))
    answer = await person.say("change it")
    assert answer.events[-1] == "message_done"
    assert [one["outcome"] for one in answer.results] == ["ok", "refused"]
    assert (await person.get(f"{BASE}/approvals")).json()["total"] == 0


async def test_cop_5_a_viewer_reads_only_their_own(desk: Mounted) -> None:
    person = await desk.person(VIEWER)
    asked = (MINE, ("search_my_work_orders", {"query": "boiler"}), ("list_my_work_orders", {"number": 1036}))
    desk.provider.then(calls(*asked), says("Two."))
    mine, search, numbered = (one["result"] for one in (await person.say("what is mine?")).results)
    assert {one["title"] for one in mine["items"]} == {
        "Draught under the reception door",
        "Printer room is locked in the evenings",
    }
    assert (search["total"], numbered["total"]) == (0, 0)


async def test_cop_6_questions_are_answered_from_the_person_s_own_orders(engine: AsyncEngine) -> None:
    async with mounted(engine, scripted=False) as desk:
        person = await desk.person(USER)
        overdue = await person.say("Which of my orders are overdue?")
        assert "Heating in the nursery wing" in overdue.said
        assert "paving slab" not in overdue.said  # overdue too, but Tom's
        card = (await person.say("set order 1036 to urgent")).card
        assert card["tool"] == "update_work_order"
        assert (await person.decide(card)).json()["outcome"] == "ok"
        assert (await desk.order("Boiler")).priority == "urgent"


async def test_cop_6_a_new_order_from_words_in_spanish(engine: AsyncEngine) -> None:
    async with mounted(engine, scripted=False) as desk:
        person = await desk.person("iker@puertosur.example")
        card = (await person.say("crea una orden: gotea el canalón de la entrada")).card
        assert (await person.decide(card)).json()["outcome"] == "ok"
        made = await desk.order("Gotea el canalón")
        assert (made.status, made.priority, str(made.owner_id)) == ("pending", "medium", (await _id_of(person)))


async def _id_of(person: Talker) -> str:
    return str((await person.get(f"{BASE}/runs")).json()["items"][0]["userId"])


async def test_cop_7_the_page_carries_the_element_and_the_bundle_is_served(desk: Mounted) -> None:
    person = await desk.person(USER)
    order = await desk.order("Boiler")
    drawer = (await person.get(f"/app/orders/{order.id}")).text
    assert "<deputize-copilot base=" in drawer
    assert f"&#34;id&#34;: &#34;{order.id}&#34;" in drawer
    assert 'mode="page"' in (await person.get("/app/copilot")).text
    assert (await person.get(f"{BASE}/static/deputize.js")).status_code == 200


async def test_cop_7_a_rejected_card_changes_nothing_and_is_decided_once(desk: Mounted) -> None:
    person = await desk.person(USER)
    card = await staged(desk, person)
    assert (await person.decide(card, approve=False, reason="not now")).json()["outcome"] == "rejected"
    other = await person.decide(card)
    assert (other.status_code, other.json()["error"]["code"]) == (409, "AI_APPROVAL_RESOLVED")
    assert (await desk.order("Boiler")).version == 1


async def test_cop_7_deletion_is_typed(desk: Mounted) -> None:
    person = await desk.person(USER)
    order = str((await desk.order("Bin store")).id)
    desk.provider.then(calls(MINE), calls(("delete_work_order", {"order": order})), says("Gone."))
    card = (await person.say("delete the bin store order")).card
    confirm = card["approval"]["preview"]["friction"]["confirm"]
    assert confirm
    for typed in ({}, {"confirm": "yes"}):
        wrong = await person.decide(card, typed=typed)
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (422, "AI_CONFIRMATION_MISMATCH")
    assert (await person.decide(card, typed={"confirm": confirm})).json()["outcome"] == "ok"


async def test_cop_8_sessions_are_listed_and_hold_at_most_fifty_messages(desk: Mounted) -> None:
    person = await desk.person(USER)
    await person.open()
    refused = None
    for turn in range(26):
        desk.provider.then(says(f"Answer {turn}."))
        answer = await person.say(f"question {turn}")
        if answer.status != 200:
            refused = answer.code
            break
    assert refused == "AI_SESSION_FULL"
    messages = (await person.get(f"{BASE}/sessions/{person.session}/messages")).json()
    assert messages["total"] <= 50
    listed = (await person.get(f"{BASE}/sessions")).json()["items"]
    assert [one["id"] for one in listed] == [person.session]


async def test_cop_9_a_model_that_cannot_be_reached_is_told_plainly(
    desk: Mounted, caplog: pytest.LogCaptureFixture
) -> None:
    person = await desk.person(USER)
    desk.provider.then([ProviderFailed("the vendor said no", transient=False)])
    answer = await person.say("a question with Zanzibar in it")
    assert answer.frames[-1][0] == "error"
    assert answer.frames[-1][1]["code"] == "AI_UNAVAILABLE"
    assert "Zanzibar" not in caplog.text
    assert "the vendor said no" not in str(answer.frames)


async def test_cop_10_every_interaction_is_kept_and_one_s_own_runs_are_seen(desk: Mounted) -> None:
    person = await desk.person(USER)
    card = await staged(desk, person)
    await person.decide(card)
    run = (await runs_of(person))[0]
    assert (run["mode"], run["userId"], run["model"]) == ("copilot", await _id_of(person), "scripted-1")
    assert [(one["tool"], one["outcome"]) for one in run["toolCalls"]] == [
        ("list_my_work_orders", "ok"),
        ("update_work_order", "ok"),
    ]
    assert (await (await desk.person(OTHER)).get(f"{BASE}/runs/{run['id']}")).status_code == 404


async def test_the_screen_seeds_only_what_the_person_may_read(desk: Mounted) -> None:
    """RUN-13, TOOL-6: another's order named by the page is dropped, so nothing about it can be proposed."""
    person = await desk.person(USER)
    mine, theirs = await desk.order("Boiler"), await desk.order("Car park barrier")
    entities = [{"kind": "order", "id": str(one)} for one in (mine.id, theirs.id, uuid4())]
    desk.provider.then(
        calls(("update_work_order", {"order": str(theirs.id), "priority": "low"})),
        calls(("update_work_order", {"order": str(mine.id), "priority": "low"})),
        says("Ok."),
    )
    answer = await person.say("make it low", {"screen": "order", "entities": entities})
    assert str(theirs.id) not in str(desk.provider.requests[0].situation)
    assert "barrier" not in str(desk.provider.requests[0].situation)
    assert answer.results[0]["outcome"] == "blocked"
    assert answer.card["args"]["order"] == str(mine.id)
