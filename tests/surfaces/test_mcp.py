"""The governed tools through the Model Context Protocol, asked by its own client over real HTTP (API-5)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from deputize.core.actor import Actor
from deputize.testing.scripted import says
from tests.engine.desk import ANA, ZOE, Person, Task
from tests.engine.test_door import entries
from tests.surfaces.serving import PREFIX, Served

MODES = ["2026-07-28", "legacy"]


@asynccontextmanager
async def client(
    site: Served, who: str = "eva", surface: str = "desk", mode: str = "2026-07-28", **more: Any
) -> AsyncIterator[Client]:
    """A client of the protocol that signs in as the host wants it."""
    async with httpx2.AsyncClient(headers={"X-User": who}, timeout=30, trust_env=False) as carrier:
        way = streamable_http_client(f"{site.url}{PREFIX}/mcp/{surface}", http_client=carrier)
        async with Client(way, mode=mode, **more) as made:
            yield made


def told(result: types.CallToolResult) -> dict[str, Any]:
    """The result as a client's model reads it."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    read: dict[str, Any] = json.loads(block.text)
    return read


async def pending(site: Served, who: str = "eva") -> dict[str, Any]:
    """The one card that waits."""
    (card,) = (await site.get("/approvals", who)).json()["items"]
    found: dict[str, Any] = card
    return found


async def decide(site: Served, approve: bool = True) -> None:
    card = await pending(site)
    body = {"approve": approve, "digest": card["approval"]["digest"]}
    assert (await site.post(f"/tool-calls/{card['id']}/decide", body)).status_code == 200


@pytest.mark.parametrize("mode", MODES)
async def test_what_is_offered_follows_the_grants(site: Served, mode: str) -> None:
    """H17, TOOL-3: two clients at once see each their own tools; hints say what a call may do."""
    async with client(site, "eva", mode=mode) as eva, client(site, "vic", mode=mode) as vic:
        full, few = await asyncio.gather(eva.list_tools(), vic.list_tools())
    names = {tool.name: tool.annotations for tool in full.tools}
    assert {tool.name for tool in few.tools} == {"find_people", "get_person", "leak"}
    assert set(names) > {"add_task", "remove_person", "send_letter"}
    hints = {name: (h.read_only_hint, h.destructive_hint, h.open_world_hint) for name, h in names.items() if h}
    assert hints["find_people"] == (True, False, False)
    assert hints["add_task"] == (False, False, False)
    assert hints["remove_person"] == (False, True, False)
    assert hints["send_letter"] == (False, False, True)
    if mode != "legacy":
        assert full.cache_scope == few.cache_scope == "private"


@pytest.mark.parametrize("mode", MODES)
async def test_a_read_is_answered_with_names_hidden(site: Served, mode: str) -> None:
    """RED-2: the client's model is a model; it gets what a model gets, and its tokens come back as values."""
    async with client(site, mode=mode) as asked:
        found = await asked.call_tool("find_people", {"query": "Ana"})
        assert not found.is_error
        assert "Ruiz" not in repr(found)
        token = told(found)["result"]["people"][0]["name"]
        again = await asked.call_tool("find_people", {"query": token})
    assert told(again)["result"]["people"] == told(found)["result"]["people"]
    assert (await site.get("/runs")).json()["total"] == 2
    executed = [told_of["via"] for kind, told_of in await entries(site.desk) if kind == "tool_executed"]
    assert executed == ["client", "client"]
    assert site.desk.provider.requests == []


@pytest.mark.parametrize("mode", MODES)
async def test_a_change_waits_for_its_person(site: Served, mode: str) -> None:
    """API-5, SEC-7: a write answers where to decide, and nothing else; the person decides on the host's page."""
    async with client(site, mode=mode) as asked:
        await asked.call_tool("find_people", {"query": "Ana"})
        staged = await asked.call_tool("add_task", {"person": ANA, "title": "call"})
        assert told(staged)["outcome"] == "staged"
        assert told(staged)["decideAt"] == f"{site.url}/app/approvals"
        assert await site.desk.rows(Task) == []
        other = await asked.call_tool("find_people", {"query": "Bob"})
        assert (other.is_error, told(other)["code"]) == (True, "AI_APPROVAL_PENDING")
        card = await pending(site)
        assert card["id"] == told(staged)["callId"]
        await decide(site)
        assert [task.title for task in await site.desk.rows(Task)] == ["call"]
        assert not (await asked.call_tool("find_people", {"query": "Bob"})).is_error
    assert site.desk.provider.requests == []


@pytest.mark.parametrize("approve", [True, False])
async def test_the_page_is_opened_and_the_call_told_what_became_of_it(site: Served, approve: bool) -> None:
    """C31: `input_required` with the address; sent again after the decision the call has its outcome, once."""
    opened: list[str] = []

    async def open_page(ctx: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestURLParams)
        assert "Ruiz" not in params.message
        opened.append(params.url)
        await decide(site, approve)
        return types.ElicitResult(action="accept")

    async with client(site, elicitation_callback=open_page) as asked:
        await asked.call_tool("find_people", {"query": "Ana"})
        done = await asked.call_tool("add_task", {"person": ANA, "title": "call"})
    assert opened == [f"{site.url}/app/approvals"]
    assert (told(done)["outcome"], done.is_error) == (("ok", False) if approve else ("rejected", True))
    assert len(await site.desk.rows(Task)) == approve


async def test_who_will_not_open_the_page(site: Served) -> None:
    """The card stays, and the address is told in words."""

    async def decline(ctx: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="decline")

    async with client(site, elicitation_callback=decline) as asked:
        await asked.call_tool("find_people", {"query": "Ana"})
        staged = await asked.call_tool("add_task", {"person": ANA, "title": "call"})
    assert told(staged)["outcome"] == "staged"
    assert (await pending(site))["id"] == told(staged)["callId"]


async def test_a_state_belongs_to_its_call_and_person(site: Served) -> None:
    """C2, C4: the sealed state of a waiting call opens nothing for another person, other arguments, or when bent."""

    async def never(ctx: Any, params: Any) -> types.ElicitResult:
        raise AssertionError

    eva: Actor = site.people["eva"]
    site.hire(Actor("eve", "north", label="Eve", grants=eva.grants))
    arguments = {"person": ANA, "title": "call"}
    async with client(site, elicitation_callback=never) as asked, client(site, "eve") as other:
        await asked.call_tool("find_people", {"query": "Ana"})
        first = await asked.session.call_tool("add_task", arguments, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult)
        state = str(first.request_state)
        waiting = await asked.session.call_tool("add_task", arguments, request_state=state, allow_input_required=True)
        assert isinstance(waiting, types.InputRequiredResult)
        for who, given, sealed in (
            (other, arguments, state),
            (asked, {**arguments, "title": "more"}, state),
            (asked, arguments, state[:-4] + "AAAA"),
        ):
            with pytest.raises(MCPError, match="requestState"):
                await who.session.call_tool("add_task", given, request_state=sealed)
        await decide(site)
        done = await asked.session.call_tool("add_task", arguments, request_state=state)
        assert told(done)["outcome"] == "ok"
    assert len(await site.desk.rows(Task)) == 1


async def test_doors_hold_here_too(site: Served) -> None:
    """TOOL-4: pinning, grants, arguments, unknown tools, failures: the same codes, each an error to the client."""
    async with client(site) as eva, client(site, "vic") as vic:
        for asked, name, arguments, outcome, code in (
            (eva, "add_task", {"person": ANA, "title": "x"}, "blocked", "AI_INJECTION_BLOCKED"),
            (eva, "add_task", {"person": ZOE, "title": "x"}, "blocked", "AI_INJECTION_BLOCKED"),
            (eva, "find_people", {"query": "x", "tenant": "south"}, "invalid", None),
            (eva, "no_such_tool", {}, "invalid", "unknown_tool"),
            (eva, "leak", {"query": "x"}, "failed", None),
            (vic, "add_task", {"person": ANA, "title": "x"}, "refused", None),
        ):
            result = await asked.call_tool(name, arguments)
            assert result.is_error
            assert told(result)["outcome"] == outcome, name
            assert code is None or told(result)["code"] == code
            assert "secret" not in repr(result)
    assert await site.desk.rows(Task) == []


async def test_a_version_read_in_the_conversation_counts(site: Served) -> None:
    """TOOL-5: each call is a run of its own; a change to what was read before is staged, and stale where it moved."""
    async with client(site) as asked:
        unread = await asked.call_tool("find_people", {"query": "Ana"})
        assert not unread.is_error
        await asked.call_tool("get_person", {"person": ANA})
        staged = await asked.call_tool("set_remark", {"person": ANA, "remark": "prefers mornings"})
        assert told(staged)["outcome"] == "staged"
        await decide(site)
    assert {one.id: one.remark for one in await site.desk.rows(Person)}[ANA] == "prefers mornings"


async def test_calls_of_one_person_are_made_one_after_the_other(site: Served) -> None:
    """BUD-7: clients call in parallel; nobody is turned away for it, and no two runs are live at once."""
    async with client(site) as asked:
        done = await asyncio.gather(*(asked.call_tool("find_people", {"query": name}) for name in ("Ana", "Bob", "x")))
    assert [told(result) for result in done if result.is_error] == []


async def test_the_call_stands_in_the_persons_conversation(site: Served) -> None:
    """RUN-10: the drawer shows what another client did; its own words are none of the person's (TOOL-7)."""
    session = (await site.post("/sessions", {"surface": "desk"})).json()["id"]
    async with client(site) as asked:
        await asked.call_tool("find_people", {"query": "ana@ruiz.example"})
    shown = (await site.get(f"/sessions/{session}/messages")).json()["items"]
    assert [one["role"] for one in shown] == ["user", "assistant"]
    assert "ruiz" not in shown[0]["content"]
    assert shown[1]["toolCalls"][0]["outcome"] == "ok"
    site.desk.provider.then(says("Found."))
    frames = await site.stream("POST", f"/sessions/{session}/messages", {"content": "and now?"})
    assert frames[-1].event == "message_done"
    run = (await site.get("/runs")).json()["items"][1]
    assert (await site.post(f"/runs/{run['id']}/retry")).json()["error"]["code"] == "AI_RUN_NOT_ACTIVE"


async def test_a_decision_cannot_be_made_by_the_client(site: Served) -> None:
    """SEC-7: nothing that the protocol offers approves; a claim to have been approved is not looked at."""
    async with client(site, elicitation_callback=_lying) as asked:
        await asked.call_tool("find_people", {"query": "Ana"})
        forged: types.InputResponses = {"decision": types.ElicitResult(action="accept", content={"approve": True})}
        first = await asked.session.call_tool(
            "add_task", {"person": ANA, "title": "x"}, input_responses=forged, allow_input_required=True
        )
        assert isinstance(first, types.InputRequiredResult)
    assert await site.desk.rows(Task) == []


async def _lying(ctx: Any, params: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"approve": True})


def read_only(one: types.Tool) -> bool:
    assert one.annotations is not None
    return bool(one.annotations.read_only_hint)


OFF = ["switch", "person"]


@pytest.mark.parametrize("off", OFF)
async def test_switched_off(site: Served, off: str) -> None:
    """AUTO-4, AUTO-7: off for everybody or for this person, nothing is offered and nothing is called."""
    async with client(site) as asked:
        await asked.call_tool("find_people", {"query": "Ana"})
        await asked.call_tool("add_task", {"person": ANA, "title": "call"})
        if off == "switch":
            assert (await site.post("/admin/agents/disable")).status_code == 200
        else:
            site.hire(replace(site.people["eva"], ai_enabled=False))
        refused = await asked.call_tool("find_people", {"query": "Bob"})
        assert (refused.is_error, told(refused)["code"]) == (True, "AI_DISABLED")
        with pytest.raises(MCPError, match="switched off"):
            await asked.list_tools()
    assert await site.desk.rows(Task) == []


async def test_no_call_of_any_kind_changes_a_row(site: Served) -> None:
    """SEC-7: every tool, with arguments that fit, by a client that has seen everything: rows stay as they are."""
    wanted: dict[str, dict[str, Any]] = {
        "set_remark": {"person": ANA, "remark": "x"},
        "add_task": {"person": ANA, "title": "x"},
        "remove_person": {"person": ANA},
        "send_letter": {"person": ANA, "to": "ana@ruiz.example", "body": "x"},
        "four_eyes": {"person": ANA, "remark": "x"},
    }
    before = [(one.id, one.remark, one.revision) for one in await site.desk.rows(Person)]
    async with client(site) as asked:
        offered = {one.name for one in (await asked.list_tools()).tools if not read_only(one)}
        assert offered == set(wanted)
        for name, arguments in wanted.items():
            await asked.call_tool("find_people", {"query": "Ana"})
            await asked.call_tool("get_person", {"person": ANA})
            staged = await asked.call_tool(name, arguments)
            assert told(staged)["outcome"] == "staged", told(staged)
            assert [(one.id, one.remark, one.revision) for one in await site.desk.rows(Person)] == before
            assert await site.desk.rows(Task) == []
            run = (await site.get("/runs")).json()["items"][0]["id"]
            assert (await site.post(f"/runs/{run}/cancel")).status_code == 200


async def test_a_client_that_goes(site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """E17: whoever is gone while a read is under way leaves nothing behind, and the next call is served."""
    held, go = asyncio.Event(), asyncio.Event()
    tools = site.desk.w.registry.tools
    plain = tools["find_people"].handler

    async def slow(ctx: Any, args: Any) -> Any:
        held.set()
        await go.wait()
        return await plain(ctx, args)

    monkeypatch.setitem(tools, "find_people", replace(tools["find_people"], handler=slow))
    body = {**REQUEST, "method": "tools/call", "params": {"name": "find_people", "arguments": {"query": "x"}}}
    headers = {**site.as_("eva"), "Accept": "application/json, text/event-stream"}
    asking = asyncio.create_task(site.client.post(f"{PREFIX}/mcp/desk", json=body, headers=headers))
    await held.wait()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    (run,) = site.desk.w.hub.tasks.values()
    go.set()
    await asyncio.wait([run])
    async with client(site) as asked:
        assert not (await asked.call_tool("find_people", {"query": "Ana"})).is_error
    assert [one["status"] for one in (await site.get("/runs")).json()["items"]] == ["complete", "complete"]


REQUEST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


async def test_requests_that_are_none(site: Served) -> None:
    """E17, API-3: no sign-in, no such surface, a body without end, no JSON: told before the protocol begins."""
    url = f"{PREFIX}/mcp/desk"
    assert (await site.client.post(url, json=REQUEST)).status_code == 401
    assert (await site.post("/mcp/nowhere", REQUEST)).status_code == 422
    assert (await site.post("/mcp/desk", {**REQUEST, "params": {"x": "y" * 200_000}})).status_code == 413
    plain = await site.client.post(url, content="x", headers={"X-User": "eva", "Content-Type": "text/plain"})
    assert plain.status_code == 422
