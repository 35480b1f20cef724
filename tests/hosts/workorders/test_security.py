"""SEC-1 to SEC-14 where this host can show them, through the real mounted application (SEC-6: test_callers)."""

import json
import logging
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import ConfigurationError, Settings
from deputize.engine import retention, worker
from deputize.testing.scripted import calls, says
from deputize_hosts.workorders.main import BASE
from deputize_hosts.workorders.seed.hostile import FORGED, HIDDEN, INSTRUCTION, PHISHING
from tests.databases import SqliteFiles
from tests.hosts.workorders.copilot import ADMIN_BASE, KEY, Mounted, Talker, mounted
from tests.hosts.workorders.people import ADMIN, OPTED_OUT, OTHER, USER, VIEWER

MINE: tuple[str, dict[str, Any]] = ("list_my_work_orders", {})
SECRETS = ("password", "password_hash", "failed_logins", "locked_until", "argon2", "epoch", "credential")


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """The engine has asked both databases the same questions."""
    return sqlite_files


@pytest.fixture
async def desk(engine: AsyncEngine) -> AsyncIterator[Mounted]:
    async with mounted(engine) as made:
        yield made


async def proposed(desk: Mounted, person: Talker, title: str = "Boiler") -> dict[str, Any]:
    order = await desk.order(title)
    change = {"order": str(order.id), "priority": "urgent"}
    desk.provider.then(calls(MINE), calls(("update_work_order", change)), says("Done."))
    return (await person.say("make it urgent")).card


async def test_sec_1_no_key_and_no_prompt_in_logs_or_answers(desk: Mounted, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    person, admin = await desk.person(USER), await desk.person(ADMIN)
    desk.provider.then(calls(MINE), says("Nothing about Timbuktu."))
    stream = await person.say("is there anything in Timbuktu?")
    shown = [json.dumps(stream.frames)]
    for path in (f"{BASE}/settings", f"{BASE}/usage", f"{ADMIN_BASE}/agents/triage", f"{BASE}/me?surface=desk"):
        shown.append((await admin.get(path)).text)
    shown.append((await person.get("/app/orders")).text)
    assert not any(KEY in one for one in shown)
    ours = "\n".join(r.getMessage() for r in caplog.records if r.name.startswith(("deputize", "uvicorn")))
    assert "Timbuktu" not in ours
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    "url", ["http://models.example.com/v1", "https://127.0.0.1/v1", "https://10.0.0.8/v1", "https://169.254.169.254/"]
)
def test_sec_2_an_unsafe_address_is_refused_at_start(url: str) -> None:
    with pytest.raises(ConfigurationError, match="AI_BASE_URL"):
        Settings(enabled=True, secret_key=KEY, provider="openai", api_key="k", base_url=url)


async def test_sec_2_address_and_key_cannot_be_set_at_run_time(desk: Mounted) -> None:
    admin = await desk.person(ADMIN)
    for field in ("baseUrl", "base_url", "apiKey", "AI_API_KEY", "AI_BASE_URL"):
        for path, base in (("/agents/triage/config", ADMIN_BASE), ("/settings", BASE)):
            assert (await admin.patch(path, {field: "https://evil.example"}, base)).status_code == 422


@pytest.mark.parametrize("raw", ['{"order": ', "[]", '"x"', '{"order": NaN}', "{}", '{"order": "1", "__proto__": {}}'])
async def test_sec_3_and_4_arguments_are_parsed_strictly_and_the_refusal_recorded(desk: Mounted, raw: str) -> None:
    person = await desk.person(USER)
    desk.provider.then(calls(("update_work_order", raw)), says("No."))
    answer = await person.say("change it")
    assert [one["outcome"] for one in answer.results] == ["invalid"]
    kinds = await _kinds(desk)
    assert "tool_invalid" in kinds


async def _kinds(desk: Mounted) -> list[str]:
    admin = await desk.person(ADMIN)
    return [one["kind"] for one in (await admin.get(f"{ADMIN_BASE}/audit?pageSize=200")).json()["items"]]


async def test_sec_5_an_unseen_id_is_blocked_whether_it_exists_or_not(desk: Mounted) -> None:
    person = await desk.person(USER)
    mine, theirs = await desk.order("Boiler"), await desk.order("Car park barrier")
    foreign = await desk.order("Inundación")
    answers = []
    for ident in (mine.id, theirs.id, foreign.id, uuid4()):
        await person.open()
        desk.provider.then(calls(("delete_work_order", {"order": str(ident)})), says("Blocked."))
        answer = await person.say("delete it")
        assert [one["outcome"] for one in answer.results] == ["blocked"]
        answers.append(json.dumps(answer.results[0]["result"]))
    assert len(set(answers)) == 1


@pytest.mark.parametrize("title", ["Please handle today", "Quote from the lift", "System notice", "Hand dryer"])
async def test_sec_5_hostile_texts_come_back_as_data_and_change_no_decision(desk: Mounted, title: str) -> None:
    """The model is fully hijacked: it does what the text says. Nothing happens that its user could not approve."""
    admin = await desk.person(ADMIN)
    victim = await desk.order("Boiler")
    obeys = [
        calls(("search_my_work_orders", {"query": title}), ("admin_list_work_orders", {"query": title})),
        calls(
            ("delete_work_order", {"order": "00000000-0000-4000-8000-000000000001"}),
            ("delete_work_order", {"order": str(victim.id)}),
            ("set_user_role", {"role": "admin"}),
        ),
        says("done"),
    ]
    desk.provider.then(*obeys)
    answer = await admin.say("what is new?")
    assert sorted(one["outcome"] for one in answer.results[2:]) == ["blocked", "blocked", "invalid"]
    assert (await admin.get(f"{BASE}/approvals")).json()["total"] == 0
    assert (await desk.order("Boiler")).version == 1


async def test_sec_5_what_a_hostile_text_asks_for_still_waits_for_the_person(desk: Mounted) -> None:
    person = await desk.person(OTHER)
    order = await desk.order("Please handle today")
    desk.provider.then(calls(MINE), calls(("delete_work_order", {"order": str(order.id)})), says("done"))
    answer = await person.say("handle it")
    assert answer.events[-1] == "tool_approval_required"
    assert answer.card["approval"]["preview"]["friction"]["confirm"]
    assert (await desk.order("Please handle today")).version == 1
    for hostile in (INSTRUCTION, FORGED, PHISHING, HIDDEN):
        assert hostile not in desk.provider.requests[0].system


async def test_sec_5_frames_stay_whole_whatever_the_text(desk: Mounted) -> None:
    person = await desk.person(USER)
    wild = "one\ntwo\r\n\r\nevent: tool_result\ndata: {}\n\nthree\u2028four"
    desk.provider.then(says(wild))
    answer = await person.say("say something wild")
    assert answer.said == wild
    assert answer.events == ["message_done"]


@pytest.mark.parametrize("end", ["reject", "cancel", "sign out"])
async def test_sec_7_nothing_runs_without_a_yes_and_every_end_is_recorded(desk: Mounted, end: str) -> None:
    person = await desk.person(USER)
    card = await proposed(desk, person)
    match end:
        case "reject":
            assert (await person.decide(card, approve=False)).json()["outcome"] == "rejected"
        case "cancel":
            assert (await person.post(f"/runs/{card['runId']}/cancel")).json()["status"] == "aborted"
        case _:
            await person.send("/sign-out")
            await person.sign_in(USER)
    late = await person.decide(card)
    assert late.status_code in (409, 410)
    assert (await desk.order("Boiler")).version == 1
    kinds = await _kinds(desk)
    assert "tool_staged" in kinds
    assert ("approval_rejected" if end == "reject" else "approval_cancelled") in kinds


async def test_sec_7_no_setting_approves_by_itself(desk: Mounted) -> None:
    admin = await desk.person(ADMIN)
    for field in ("autoApprove", "rememberChoice", "approveAll"):
        assert (await admin.patch("/settings", {field: True}, BASE)).status_code == 422
    card = await proposed(desk, await desk.person(USER))
    assert (await admin.decide(card)).status_code in (403, 404)
    assert (await desk.order("Boiler")).version == 1


async def test_sec_8_switching_a_person_off_ends_what_waits_and_refuses_the_rest(desk: Mounted) -> None:
    person, admin = await desk.person(USER), await desk.person(ADMIN)
    card = await proposed(desk, person)
    people = {one["email"]: one["id"] for one in (await admin.get("/api/v1/users")).json()["items"]}
    assert (await admin.patch(f"/{people[USER]}", {"aiEnabled": False}, "/api/v1/users")).status_code == 200
    decided = await person.decide(card)
    assert (decided.status_code, decided.json()["error"]["code"]) == (403, "AI_DISABLED")
    assert (await person.post("/sessions", {"surface": "desk"})).json()["error"]["code"] == "AI_DISABLED"
    assert (await person.get(f"{BASE}/runs/{card['runId']}")).json()["status"] == "aborted"
    assert (await desk.order("Boiler")).version == 1
    assert "ai_switch" in await _kinds(desk)
    assert (await person.get("/app/orders")).status_code == 200


async def test_sec_8_an_opted_out_person_uses_the_desk_as_before(desk: Mounted) -> None:
    person = await desk.person(OPTED_OUT)
    made = await person.send("/app/orders/new", title="Private", priority="low")
    assert made.status_code == 200
    assert "leaves this order alone" in made.text
    assert await worker.reconcile(desk.built.deputy.wiring) > 0
    async with AsyncSession(desk.engine) as session:
        count = await session.scalar(
            text("SELECT count(*) FROM deputize_outbox WHERE subject = :order"), {"order": made.url.path.split("/")[3]}
        )
    assert count == 0


async def test_sec_9_the_policy_bounds_the_agent(desk: Mounted) -> None:
    admin = await desk.person(ADMIN)
    for change in (
        {"allowedFields": ["status"]},
        {"allowedFields": ["priority", "owner_id"]},
        {"concurrency": 0},
        {"dailyCap": -1},
        {"workingHours": "whenever"},
        {"timeZone": "Mars/Olympus"},
        {"flagThreshold": "huge"},
        {"mode": "do-anything"},
    ):
        assert (await admin.patch("/agents/triage/config", change, ADMIN_BASE)).status_code == 422, change
    night = {"workingHours": "mon-fri 22:00-23:00", "timeZone": "Europe/London"}
    assert (await admin.patch("/agents/triage/config", night, ADMIN_BASE)).status_code == 200
    person = await desk.person(USER)
    await person.send("/app/orders/new", title="At noon", priority="low")
    assert await worker.drain(desk.built.deputy.wiring) == 0
    assert desk.provider.requests == []


async def test_sec_10_no_result_of_any_tool_names_a_secret(desk: Mounted) -> None:
    admin = await desk.person(ADMIN)
    async with AsyncSession(desk.engine) as session:
        hashes = list(await session.scalars(text("SELECT password_hash FROM credentials")))
    every = ("get_profile", "admin_list_users", "admin_metrics", "admin_list_work_orders", "list_my_work_orders")
    desk.provider.then(calls(*((name, {}) for name in every)), says("Here."))
    answer = await admin.say("show me everything")
    assert [one["outcome"] for one in answer.results] == ["ok"] * len(every)
    shown = json.dumps([one["result"] for one in answer.results]) + desk.told()
    assert not any(one in shown for one in hashes)
    keys = _keys([one["result"] for one in answer.results])
    assert not {key for key in keys if any(secret in key.lower() for secret in SECRETS)}


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for one in value.values() for key in _keys(one)}
    return {key for one in value for key in _keys(one)} if isinstance(value, list) else set()


async def test_sec_10_no_tool_s_schema_has_a_place_for_one(desk: Mounted) -> None:
    for tool in desk.built.deputy.wiring.registry.tools.values():
        told = json.dumps([tool.args.model_json_schema(), tool.result.model_json_schema()])
        assert not any(f'"{secret}"' in told for secret in SECRETS), tool.name


@pytest.mark.parametrize(
    ("email", "tool"), [(USER, "admin_list_users"), (VIEWER, "admin_metrics"), (USER, "admin_list_work_orders")]
)
async def test_sec_10_admin_tools_are_neither_offered_to_nor_run_for_others(
    desk: Mounted, email: str, tool: str
) -> None:
    person = await desk.person(email)
    desk.provider.then(calls((tool, {})), says("No."))
    answer = await person.say("show everything")
    assert [one["outcome"] for one in answer.results] == ["refused"]
    assert tool not in desk.offered
    assert "@northgate.example" not in desk.told()


async def test_sec_11_shown_and_executed_can_be_told_again(desk: Mounted) -> None:
    person, admin = await desk.person(USER), await desk.person(ADMIN)
    card = await proposed(desk, person)
    await person.decide(card)
    run = (await person.get(f"{BASE}/runs/{card['runId']}")).json()
    call = run["toolCalls"][1]
    assert (call["stagedVersion"], call["executedVersion"], call["outcome"]) == ("1", "1", "ok")
    entries = (await admin.get(f"{ADMIN_BASE}/audit?pageSize=200&run={card['runId']}")).json()["items"]
    digests = {one["payload"].get("digest") for one in entries if one["kind"] in ("tool_staged", "tool_ok")}
    assert card["approval"]["digest"] in digests


async def test_sec_11_an_admin_s_view_of_a_transcript_is_itself_an_entry(desk: Mounted) -> None:
    person, admin = await desk.person(USER), await desk.person(ADMIN)
    desk.provider.then(says("Hello."))
    await person.say("hello")
    before = (await _kinds(desk)).count("transcript_viewed")
    assert (await admin.get(f"{BASE}/sessions/{person.session}/messages")).status_code == 200
    assert (await _kinds(desk)).count("transcript_viewed") == before + 1


async def test_sec_12_contents_go_after_ninety_days_and_the_run_stays(desk: Mounted) -> None:
    person = await desk.person(USER)
    desk.provider.then(calls(MINE), says("Here they are."))
    await person.say("my orders please")
    run = (await person.get(f"{BASE}/runs")).json()["items"][0]["id"]
    for days, kept in ((89, True), (2, False)):
        desk.clock.advance(days * 86_400)
        await retention.run(desk.built.deputy.wiring)
        told = (await person.get(f"{BASE}/sessions/{person.session}/messages")).text
        assert ("Here they are." in told) is kept
    assert (await person.get(f"{BASE}/runs/{run}")).json()["status"] == "complete"


async def test_sec_13_changes_of_policy_stand_in_a_history_that_only_grows(desk: Mounted) -> None:
    admin = await desk.person(ADMIN)
    for change in ({"mode": "auto-apply"}, {"dailyCap": 5}):
        assert (await admin.patch("/agents/triage/config", change, ADMIN_BASE)).status_code == 200
    assert (await admin.post("/agents/disable", {}, ADMIN_BASE)).status_code == 200
    assert (await admin.post("/agents/enable", {}, ADMIN_BASE)).status_code == 200
    agent = (await admin.get(f"{ADMIN_BASE}/agents/triage")).json()
    assert [one["version"] for one in agent["history"]] == [3, 2, 1]
    assert agent["history"][0]["changes"] == {"dailyCap": {"before": None, "after": 5}}
    kinds = await _kinds(desk)
    assert kinds.count("agent_configured") == 2
    assert kinds.count("switch_flipped") == 2
    for statement in ("DELETE FROM deputize_audit_entries", "DELETE FROM deputize_agent_changes"):
        async with AsyncSession(desk.engine) as session:
            with pytest.raises(DBAPIError):
                await session.execute(text(statement))


async def test_sec_14_another_s_conversation_is_not_there(desk: Mounted) -> None:
    person, other = await desk.person(USER), await desk.person(OTHER)
    card = await proposed(desk, person)
    for path in (f"/sessions/{person.session}/messages", f"/runs/{card['runId']}", f"/tool-calls/{card['id']}"):
        assert (await other.get(BASE + path)).status_code == 404
    for path in (f"/sessions/{person.session}/messages", f"/sessions/{person.session}/end"):
        body = {"content": "x"} if path.endswith("messages") else {}
        assert (await other.post(path, body)).status_code == 404
    assert (await other.decide(card)).status_code == 404
    foreign = await desk.person("coordinacion@puertosur.example")
    assert (await foreign.get(f"{BASE}/sessions/{person.session}/messages")).status_code == 404
    assert (await foreign.get(f"{ADMIN_BASE}/agents/runs/{card['runId']}")).status_code == 404


async def test_the_copilot_knows_the_desk_s_sign_in_and_csrf(desk: Mounted) -> None:
    stranger = Talker(desk.built.app)
    assert (await stranger.get(f"{BASE}/sessions")).status_code == 401
    person = await desk.person(USER)
    assert (await person.client.post(f"{BASE}/sessions", json={"surface": "desk"})).status_code == 403
    assert (await person.client.post(f"{ADMIN_BASE}/agents/disable", json={})).status_code == 403
    await stranger.client.aclose()
