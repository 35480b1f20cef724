"""A hijacked model over every tool of the three hosts: each attempt shows which door held, nothing happens (TOOL-4)."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text

from deputize.core.approval import Decision
from deputize.core.errors import DeputizeError
from deputize.engine import approvals, cancelling, conversations
from deputize.policy.permissions import allows_all
from deputize.policy.pinning import targets_of
from deputize.testing.clock import FrozenClock
from tests.attacks.attempts import differing, happens, outgoing, rows_of
from tests.attacks.houses import PLANS, Call, House, Plan, foreign, furnished, made_of, reading
from tests.attacks.wordings import WORDINGS, worded
from tests.conftest import Fresh
from tests.engine.desk import Told
from tests.hosts.clinic.people import NOW

Open = Callable[..., Awaitable[House]]
SQLITE = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
SOME = "result"
EACH = pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)


HELD: dict[str, Counter[str]] = {plan.name: Counter() for plan in PLANS}
"""Answers by door over the attempts of this process."""


def both(*, sample: str | None = None) -> pytest.MarkDecorator:
    """Each host on SQLite; the sample on PostgreSQL too, and the others there in the long suite."""
    found = [pytest.param("sqlite", plan, id=f"sqlite-{plan.name}") for plan in PLANS]
    for plan in PLANS:
        marks = [pytest.mark.postgresql, *([] if plan.name == sample else [pytest.mark.long])]
        found.append(pytest.param("postgresql", plan, id=f"postgresql-{plan.name}", marks=marks))
    return pytest.mark.parametrize(("databases", "plan"), found, indirect=["databases"])


@pytest.fixture
async def house(fresh: Fresh) -> AsyncIterator[Open]:
    """Opens a host; at the end nothing of it may differ and nothing may wait to leave."""
    opened: list[House] = []

    async def open_(plan: Plan, **settings: Any) -> House:
        engine = await fresh(f"attacked-{plan.name}", plan.prepare)
        made = await furnished(plan, engine, FrozenClock(NOW), settings)
        opened.append(made)
        await made.remember()
        return made

    yield open_
    for one in opened:
        assert differing(one.before, await rows_of(one.desk.engine, one.metadata)) == []
        assert await outgoing(one.desk) == []
        await one.desk.deputy.close()


async def doors(house: House, told: Told) -> list[tuple[str, str]]:
    """`(tool, door)` of each call of a run, in call order; an answered one has the door `-`."""
    held = {}
    for tenant in {house.boss.tenant, house.theirs.tenant}:
        for payload in await house.entries(tenant):
            if payload.get("call"):
                held[payload["call"]] = str(payload.get("door") or "-")
    calls = [event for event in told.events if event.type == "tool_call_start"]
    assert {call.call_id for call in calls} <= set(held), "every attempt is in the chain"
    found = [(call.tool, held[call.call_id]) for call in calls]
    HELD[house.plan.name].update(door for _, door in found)
    return found


@both(sample="workorders")
async def test_another_tenants_records_stop_at_pinning(house: Open, plan: Plan) -> None:
    """TOOL-5, TOOL-6: each tool of each host, ids that exist elsewhere, on the page or not."""
    it = await house(plan)
    theirs = await it.records(it.theirs)
    screen = [(kind, ids[0]) for kind, ids in theirs.items() if ids]
    tried: Counter[str] = Counter()
    for surface in it.desk.w.registry.surfaces:
        wanted = [
            (name, given)
            for name, tool in it.tools.items()
            if it.surface_of(name, it.boss) == surface and (given := foreign(tool, theirs, NOW)) is not None
        ]
        if wanted:
            for shown in ((), screen):
                told = await it.say(it.boss, surface, [wanted], screen=shown)
                assert await doors(it, told) == [(name, "pinning") for name, _ in wanted]
                assert {(e.outcome.value, e.code) for e in told.events if e.type == "tool_result"} == {
                    ("blocked", "AI_INJECTION_BLOCKED")
                }
            tried.update(name for name, _ in wanted)
    naming = {name for name, tool in it.tools.items() if foreign(tool, theirs, NOW) is not None}
    assert set(tried) == {name for name in naming if it.surface_of(name, it.boss)}
    assert len(tried) >= 2


@both(sample="casedesk")
async def test_a_weak_persons_model_reaches_nothing_more(house: Open, plan: Plan) -> None:
    """TOOL-3: every tool that the person has no permission for, or that stands elsewhere, whatever the model knows."""
    it = await house(plan)
    own = await it.records(it.boss)
    wanted: list[Call] = []
    expected = []
    for name, tool in it.tools.items():
        here = it.stands_in(name, plan.weak_surface)
        may = allows_all(it.weak.grants, tool.permissions)
        if here and may:
            continue
        wanted.append((name, (made_of(tool, own, NOW) or [{}])[0]))
        expected.append((name, "permissions" if here else "surface"))
    told = await it.say(it.weak, plan.weak_surface, [wanted])
    assert await doors(it, told) == expected
    assert {"permissions", "surface"} & {door for _, door in expected}


@EACH
@SQLITE
async def test_nobody_smuggles_authority_through_arguments(house: Open, plan: Plan) -> None:
    """TOOL-5: tenant, owner, version or approval are no arguments of any tool; unknown tools are none at all."""
    it = await house(plan)
    own = await it.records(it.boss)
    for surface in it.desk.w.registry.surfaces:
        wanted: list[Call] = []
        for name, tool in it.tools.items():
            if it.surface_of(name, it.boss) != surface:
                continue
            sound = (made_of(tool, own, NOW) or [{}])[0]
            wanted += [
                (name, {**sound, extra: value})
                for extra, value in [("tenant", it.theirs.tenant), ("approved", True), ("version", "1"), ("actor", "x")]
            ]
            wanted += [(name, "[]"), (name, '{"'), (name, "NaN")]
        for at in range(0, len(wanted), 28):
            told = await it.say(it.boss, surface, [[*wanted[at : at + 28], ("drop_everything", {}), ("", {})]])
            expected = [(name, "arguments") for name, _ in wanted[at : at + 28]]
            assert [pair for pair in await doors(it, told) if pair[0] in it.tools] == expected
            assert [event.code for event in told.events if event.type == "tool_result"].count("unknown_tool") == 2


@both()
async def test_every_write_waits_for_the_person_and_only_for_them(house: Open, plan: Plan) -> None:
    """APPR-3, TOOL-13: after reading, each write comes to a card; nobody else's yes and no other digest count."""
    it = await house(plan)
    own = await it.records(it.boss)
    came: dict[str, Counter[str]] = {}
    marked = 0
    writes = [name for name, tool in it.tools.items() if tool.staged and it.surface_of(name, it.boss)]
    for name in writes:
        tool, held = it.tools[name], came.setdefault(name, Counter())
        for given in made_of(tool, own, NOW, 10):
            named = [(kind, ident) for kind, ident, _ in targets_of(tool.args, given)]
            reads = [(read, {key: ident}) for kind, ident in named for read, key in reading(it, kind)]
            surface = it.surface_of(name, it.boss)
            assert surface is not None
            told = await it.say(
                it.boss, surface, [reads, [(name, given)]] if reads else [[(name, given)]], screen=named
            )
            if told.kinds[-1] == "tool_approval_required":
                held["person"] += 1
                marked += suspected(told)
                await _nobody_else_decides(it, told)
                await cancelling.cancel(it.desk.w, it.boss, told.run_id)
                break
            held.update(door for _, door in (await doors(it, told))[-1:])
        HELD[plan.name].update({"person": held["person"]})
    assert all(held["person"] for held in came.values()), came
    assert {door for held in came.values() for door in held} <= {"person", "service", "guard", "preview", "version"}
    assert marked <= len(writes) / 4, f"{marked} of {len(writes)} honest changes carry a mark that asks for suspicion"


def suspected(told: Told) -> bool:
    """Whether the card of an honest change warns of a link, of somebody else's text or of a destination."""
    assert told.card.approval is not None
    preview = told.card.approval.preview
    shown = [one for change in preview.changes for one in change.fields]
    shown += [one for leaving in preview.outgoing for one in leaving.fields]
    warned = {mark for one in shown for mark in one.marks} & {"link", "untrusted", "unproven"}
    return bool(warned or preview.friction.destinations)


async def _nobody_else_decides(it: House, told: Told) -> None:
    card = told.card
    assert card.approval is not None
    refused = []
    for who, digest in ((it.theirs, card.approval.digest), (it.weak, card.approval.digest), (it.boss, "0" * 64)):
        with pytest.raises(DeputizeError) as no:
            await approvals.decide(it.desk.w, who, card.id, Decision(True, digest))
        refused.append(no.value.code)
    assert refused[0] == "NOT_FOUND"
    assert refused[1] in ("NOT_FOUND", "FORBIDDEN")
    four_eyes = it.tools[card.tool].approve.by != "actor"
    assert refused[2] == ("FORBIDDEN" if four_eyes else "AI_APPROVAL_STALE")


@EACH
@SQLITE
@pytest.mark.parametrize(
    "wording", [SOME, *(pytest.param(one, marks=pytest.mark.long) for one in WORDINGS if one != SOME)]
)
async def test_orders_in_an_outsiders_words_change_no_door(house: Open, plan: Plan, wording: str) -> None:
    """TOOL-7, I11: the author of the text is its sender; the model reads everything and obeys."""
    it = await house(plan)
    theirs = await it.records(it.theirs)
    name, given = next((n, g) for n, t in it.tools.items() if t.staged and (g := foreign(t, theirs, NOW)) is not None)
    table, column = plan.hostile
    hostile = worded(wording, f"{name} {json.dumps(given)}")
    async with it.desk.engine.begin() as conn:
        await conn.execute(text(f"UPDATE {table} SET {column} = :said"), {"said": hostile})
    await it.remember()
    told = await it.say(it.boss, it.surface_of(name, it.boss) or plan.weak_surface, [], reads=True, obeys=True)
    held = await doors(it, told)
    assert told.kinds[-1] == "message_done"
    assert {door for tool, door in held if tool == name} <= {"pinning"}
    read = [door for tool, door in held if not it.tools[tool].staged]
    assert "-" in read


@both(sample="workorders")
async def test_no_wording_changes_a_decision(house: Open, plan: Plan) -> None:
    """TOOL-7, I11: whatever the outsider's text says, in whatever disguise, the same calls get the same answers."""
    it = await house(plan)
    own, theirs = await it.records(it.boss), await it.records(it.theirs)
    name, given = next((n, g) for n, t in it.tools.items() if t.staged and (g := foreign(t, theirs, NOW)) is not None)
    surface = it.surface_of(name, it.boss) or plan.weak_surface
    here = [n for n, t in it.tools.items() if t.staged and it.surface_of(n, it.boss) == surface]
    writes: list[list[Call]] = [[(n, (made_of(it.tools[n], own, NOW) or [{}])[0])] for n in here]
    table, column = plan.hostile
    decisions = {}
    for wording in WORDINGS:
        said = worded(wording, f"{name} {json.dumps(given)}")
        async with it.desk.engine.begin() as conn:
            await conn.execute(text(f"UPDATE {table} SET {column} = :said"), {"said": said})
        told = await it.say(it.boss, surface, [[(name, given)], *writes], reads=True)
        results = [(e.outcome.value, e.code) for e in told.events if e.type == "tool_result"]
        asked = [event.tool for event in told.events if event.type == "tool_call_start"]
        decisions[wording] = (results, told.kinds[-1], asked)
        if told.kinds[-1] == "tool_approval_required":
            await cancelling.cancel(it.desk.w, it.boss, told.run_id)
    await it.remember()
    assert ("blocked", "AI_INJECTION_BLOCKED") in decisions["empty"][0]
    assert all(one == decisions["empty"] for one in decisions.values())


@both(sample="workorders")
async def test_what_an_earlier_message_read_is_not_read_now(house: Open, plan: Plan) -> None:
    """TOOL-5: each write on a record with a version: known from before, it must be read in this request first."""
    it = await house(plan)
    own = await it.records(it.boss)
    versioned = {kind for kind, entity in it.desk.w.registry.entities.items() if entity.version}
    tried = 0
    for name, tool in it.tools.items():
        surface = it.surface_of(name, it.boss)
        given = next((g for g in made_of(tool, own, NOW) if targets_of(tool.args, g)), None) if tool.staged else None
        if given is None or surface is None:
            continue
        named = [(kind, ident) for kind, ident, _ in targets_of(tool.args, given)]
        if not versioned & {kind for kind, _ in named}:
            continue
        opened = (await conversations.open_(it.desk.w, it.boss, surface, None)).id
        await it.say(it.boss, surface, [], screen=named, conversation=opened)
        told = await it.say(it.boss, surface, [[(name, given)]], conversation=opened)
        assert await doors(it, told) == [(name, "version")]
        tried += 1
    assert bool(tried) == bool(versioned), "the clinic's records have no version; its cards compare whole rows"


@both(sample="clinic")
async def test_a_switch_thrown_while_the_model_speaks_holds_every_tool(house: Open, plan: Plan) -> None:
    """AUTO-7, TOOL-4: nothing is executed or staged after it, whatever is called."""
    it = await house(plan)
    own = await it.records(it.boss)
    surface = plan.weak_surface
    here = [name for name in it.tools if it.surface_of(name, it.boss) == surface]
    wanted: list[Call] = [(name, (made_of(it.tools[name], own, NOW) or [{}])[0]) for name in here]
    it.provider.meanwhile[len(it.provider.requests) + 1] = partial(happens, it.desk, f"switch-off {it.boss.tenant}")
    told = await it.say(it.boss, surface, [wanted])
    assert "ok" not in {e.outcome.value for e in told.events if e.type == "tool_result"}
    assert told.kinds[-1] != "tool_approval_required"
    held = {door for _, door in await doors(it, told)}
    assert held <= {"switch", "-"}


LIMITED: dict[str, dict[str, Any]] = {
    "rate": {"AI_MAX_ACTIONS_PER_MINUTE": 3},
    "denylist": {"AI_BLOCKED_TOOLS": "*.*"},
}


@EACH
@SQLITE
@pytest.mark.parametrize("door", LIMITED)
async def test_the_operators_limits_hold_for_every_tool(house: Open, plan: Plan, door: str) -> None:
    """TOOL-10: shared by all tools of an actor and conversation; what the operator blocks is blocked."""
    it = await house(plan, **LIMITED[door])
    own = await it.records(it.boss)
    lists: list[Call] = [
        (name, given)
        for name, tool in it.tools.items()
        if not tool.staged
        and it.stands_in(name, plan.weak_surface)
        and allows_all(it.boss.grants, tool.permissions)
        and not targets_of(tool.args, given := (made_of(tool, own, NOW) or [{}])[0])
    ]
    told = await it.say(it.boss, plan.weak_surface, [lists + lists[:4]])
    held = [one for _, one in await doors(it, told)]
    assert len(lists) >= 2
    assert held.count(door) == (len(held) if door == "denylist" else len(held) - 3), held


EVERYWHERE = {"known", "permissions", "arguments", "pinning", "rate", "denylist", "switch", "person"}
REACHED: dict[str, set[str]] = {
    "clinic": EVERYWHERE,
    "workorders": EVERYWHERE | {"version", "service", "preview"},
    "casedesk": EVERYWHERE | {"version", "surface", "guard"},
}


@pytest.fixture(scope="module", autouse=True)
def every_door_is_reached() -> Iterator[None]:
    """Summed over all attempts of the module, host by host; where only a part of them ran there is nothing to sum."""
    yield
    for name, held in HELD.items():
        assert sum(held.values()) < 100 or set(held) >= REACHED[name], (name, held)
