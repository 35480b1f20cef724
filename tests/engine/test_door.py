"""The door: each question refuses for its own reason, and every exit is in the chain (TOOL-4)."""

import json
from dataclasses import replace

import pytest

from deputize.core.approval import Typed
from deputize.core.conversation import EntityRef, Screen
from deputize.store import audit_read
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, BOB, EVA, VIC, ZOE, Desk, Person, Task


async def entries(desk: Desk, tenant: str = "north") -> list[tuple[str, dict[str, object]]]:
    async with desk.w.db.read() as conn:
        found, _ = await audit_read.entries(conn, tenant)
    return [(entry.kind, dict(entry.payload or {})) for entry in found]


async def one_call(desk: Desk, tool: str, arguments: dict[str, object], **more: object) -> tuple[str, str | None]:
    actor = more.pop("actor", EVA)
    desk.provider.then(calls((tool, arguments)), says("So."))
    told = await desk.say(actor, await desk.open(actor, more.pop("surface", "desk")), "please", **more)  # type: ignore[arg-type]
    result = next(event for event in told.events if event.type == "tool_result")
    return result.outcome.value, result.code


@pytest.mark.parametrize(
    ("tool", "arguments", "more", "expected", "door"),
    [
        ("get_person", {"person": ANA}, {}, ("blocked", "AI_INJECTION_BLOCKED"), "pinning"),
        ("get_person", {"person": ZOE}, {}, ("blocked", "AI_INJECTION_BLOCKED"), "pinning"),
        ("add_task", {"person": ANA, "title": "x"}, {"actor": VIC}, ("refused", "permission_denied"), "permissions"),
        ("get_person", {"person": ANA}, {"surface": "narrow"}, ("blocked", "AI_INJECTION_BLOCKED"), "surface"),
        ("add_task", {"person": ANA, "title": "x"}, {"surface": "viewing"}, ("refused", "read_only"), "mode"),
        ("get_person", {"person": ANA, "tenant": "south"}, {}, ("invalid", "invalid_arguments"), "arguments"),
        ("nothing", {}, {}, ("invalid", "unknown_tool"), "known"),
    ],
)
async def test_each_door_holds(
    desk: Desk, tool: str, arguments: dict[str, object], more: dict[str, object], expected: tuple[str, str], door: str
) -> None:
    """TOOL-4: outcome and code by the question that said no, with an entry that names it."""
    assert await one_call(desk, tool, arguments, **dict(more)) == expected
    assert any(payload.get("door") == door for _, payload in await entries(desk))


async def test_need_read_first(desk: Desk) -> None:
    """TOOL-5: an id seen in the conversation, but not read in this run, cannot be changed."""
    conversation = await desk.open(EVA)
    desk.provider.then(calls(("find_people", {})), says("Two people."))
    await desk.say(EVA, conversation, "who is there")
    desk.provider.then(
        calls(("set_remark", {"person": ANA, "remark": "x"})),
        calls(("get_person", {"person": ANA})),
        calls(("set_remark", {"person": ANA, "remark": "x"})),
    )
    told = await desk.say(EVA, conversation, "write it down")
    assert told.codes()[0] == "need_read_first"
    assert told.kinds[-1] == "tool_approval_required"


async def test_screen_seeds_pinning_for_this_run(desk: Desk) -> None:
    """RUN-13: what the actor may see is seeded with its version; a foreign record is dropped and recorded."""
    screen = Screen("person", (EntityRef("person", ANA), EntityRef("person", ZOE)))
    desk.provider.then(calls(("set_remark", {"person": ANA, "remark": "x"})))
    told = await desk.say(EVA, await desk.open(EVA), "note x here", screen=screen)
    assert told.kinds[-1] == "tool_approval_required"
    assert ("context_dropped", 1) in [(kind, payload.get("records")) for kind, payload in await entries(desk)]


async def test_authority_lost_before_the_decision(desk: Desk) -> None:
    """APPR-4, TOOL-3: the grants are asked again in the executing transaction; nothing is executed."""
    desk.provider.then(calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "x"})), says("So."))
    told = await desk.say(EVA, await desk.open(EVA), "task")
    desk.actors["eva"] = replace(EVA, grants=frozenset({"copilot.*", "people.read"}))
    done = await desk.decide(EVA, told.card, True)
    assert (done.outcome, done.code) == ("refused", "permission_denied")
    assert await desk.rows(Task) == []


async def test_guard_refuses_at_staging_and_at_execution(desk: Desk) -> None:
    """TOOL-8: the host's own predicate is asked twice."""
    conversation = await desk.open(EVA)
    desk.provider.then(calls(("find_people", {})), calls(("remove_person", {"person": BOB})), says("So."))
    told = await desk.say(EVA, conversation, "remove Bob")
    card = told.card
    assert card.approval is not None
    assert card.approval.preview.friction.confirm == "Bob Stone"
    async with desk.engine.begin() as conn:
        await conn.execute(Person.__table__.update().where(Person.id == BOB).values(remark="boss"))  # type: ignore[attr-defined]
    done = await desk.decide(EVA, card, True, typed=Typed("Bob Stone"))
    assert (done.outcome, done.code) == ("refused", "boss")
    assert len(await desk.rows(Person)) == 3


async def test_denylist(desk: Desk) -> None:
    """TOOL-10: a blocked tool is refused whoever asks."""
    object.__setattr__(desk.w, "limits", replace(desk.w.limits, blocked_tools=frozenset({"desk.find_*"})))
    assert await one_call(desk, "find_people", {}) == ("refused", "denylisted")


async def test_rate_counts_only_what_was_done(desk: Desk) -> None:
    """TOOL-10: a refused caller burns no quota."""
    object.__setattr__(desk.w, "limits", replace(desk.w.limits, actions_per_minute=1))
    assert await one_call(desk, "get_person", {"person": ANA}) == ("blocked", "AI_INJECTION_BLOCKED")
    assert await one_call(desk, "find_people", {}) == ("ok", None)
    assert await one_call(desk, "find_people", {"query": "B"}) == ("refused", "rate_limited")


async def test_values_never_stand_in_errors(desk: Desk) -> None:
    """RUN-3 (4): field and rule are named, the value is not."""
    desk.provider.then(
        calls(("add_task", json.dumps({"person": 7, "title": "hush", "secretfield": "hush"}))), says("So.")
    )
    told = await desk.say(EVA, await desk.open(EVA), "task")
    result = next(event for event in told.events if event.type == "tool_result")
    assert "hush" not in str(result.result)
    assert "secretfield" not in str(result.result)
