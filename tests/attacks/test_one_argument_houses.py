"""One argument of a write is changed, for every write tool of the three hosts: the card shows it (APPR-1, TOOL-7)."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

import pytest

from deputize.core.event import PreviewDto, ToolCallDto
from deputize.core.tool import Tool
from deputize.engine import cancelling
from deputize.policy.declared import schema_of
from deputize.policy.pinning import targets_of
from deputize.store import approvals
from deputize.testing.clock import FrozenClock
from tests.attacks.houses import PLANS, Call, House, Plan, furnished, made_of, reading
from tests.conftest import Fresh
from tests.hosts.clinic.people import NOW

LINK = "see https://evil.example/x"


@pytest.fixture
async def house(fresh: Fresh, plan: Plan) -> AsyncIterator[House]:
    made = await furnished(plan, await fresh(f"attacked-{plan.name}", plan.prepare), FrozenClock(NOW), {})
    yield made
    await made.desk.deputy.close()


async def card_of(it: House, tool: Tool, arguments: Mapping[str, Any]) -> ToolCallDto | None:
    """The card of the call after its records were read; None where the host's rules refuse it."""
    named = [(kind, ident) for kind, ident, _ in targets_of(tool.args, arguments)]
    reads: list[Call] = [(read, {key: ident}) for kind, ident in named for read, key in reading(it, kind)]
    wanted: list[Call] = [(tool.name, arguments)]
    surface = it.surface_of(tool.name, it.boss)
    assert surface is not None
    told = await it.say(it.boss, surface, [reads, wanted] if reads else [wanted], screen=named)
    if told.kinds[-1] != "tool_approval_required":
        return None
    await cancelling.cancel(it.desk.w, it.boss, told.run_id)
    return told.card


def preview_of(card: ToolCallDto) -> PreviewDto:
    assert card.approval is not None
    return card.approval.preview


def seen(card: ToolCallDto) -> list[Any]:
    """What a person reads on the card."""
    preview = preview_of(card)
    fields = [(change.op, change.caption, change.label, *_words(change.fields)) for change in preview.changes]
    leaving = [(one.channel, *_words(one.fields)) for one in preview.outgoing]
    return [preview.title, fields, leaving, preview.friction.confirm, preview.friction.destinations, preview.hidden]


def _words(fields: Any) -> Iterator[tuple[Any, ...]]:
    for one in fields:
        yield one.caption, one.before, one.after, tuple(one.marks)


def marks(card: ToolCallDto) -> set[str]:
    preview = preview_of(card)
    every = [one for change in preview.changes for one in change.fields]
    every += [one for leaving in preview.outgoing for one in leaving.fields]
    return {mark for one in every for mark in one.marks}


OTHERWISE: Mapping[str, Any] = {"email": "eve@evil.example", "phone": "+34911222333"}
"""Other values for what the example maker always fills in the same way."""
UNTRIED = {
    "clinic": {"send_budget.budget", "update_appointment_status.status"},
    "workorders": set[str](),
    "casedesk": set[str](),
}
"""Arguments of which the seeded records allow one value only, beside the others of the call."""


def changed(tool: Tool, wanted: Mapping[str, Any], others: Sequence[Mapping[str, Any]], name: str) -> Iterator[Any]:
    """Other values for one argument, a link first where it is a text."""
    entries = [other[name] for other in others if name in other]
    if name in schema_of(tool).schema.texts:
        entries.insert(0, LINK)
    elif name in OTHERWISE:
        entries.insert(0, OTHERWISE[name])
    elif isinstance(wanted[name], str):
        entries.append(f"{wanted[name]} Other")
    return iter([one for n, one in enumerate(entries) if one != wanted[name] and one not in entries[:n]][:6])


async def effect_of(it: House, card: ToolCallDto) -> tuple[Any, Any]:
    """What the write would really do, hidden tables apart."""
    async with it.desk.w.db.read() as conn:
        frozen = json.loads(await approvals.effect_of(conn, it.boss.tenant, card.id))
    return frozen["preImages"], frozen["effect"]


async def honest_card(it: House, tool: Tool, tried: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ToolCallDto]:
    """The fullest of the examples that comes to a card."""
    for given in sorted(tried[:12], key=len, reverse=True):
        card = await card_of(it, tool, given)
        if card is not None:
            return given, card
    raise AssertionError(f"{tool.name}: no example comes to a card")


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
async def test_no_argument_changes_unseen(house: House, plan: Plan) -> None:
    """The card differs wherever the effect does; a text is always on it, and a link in it is marked."""
    it, untried = house, set[str]()
    records = await it.records(it.boss)
    for name, tool in it.tools.items():
        if not tool.staged or it.surface_of(name, it.boss) is None:
            continue
        others = made_of(tool, records, NOW, 40)
        wanted, honest = await honest_card(it, tool, others)
        for argument in wanted:
            for value in changed(tool, wanted, others, argument):
                card = await card_of(it, tool, {**wanted, argument: value})
                if card is not None:
                    break
            else:
                untried.add(f"{name}.{argument}")
                continue
            visible = seen(card) != seen(honest)
            assert visible or await effect_of(it, card) == await effect_of(it, honest), f"{name}.{argument}"
            if value == LINK:
                assert visible
                assert "link" in marks(card) - marks(honest), f"{name}.{argument}"
    assert untried == UNTRIED[plan.name]
