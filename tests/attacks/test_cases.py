"""Attacks as data against the bureau: each shows which door held, each door is reached, nothing else happens."""

import json
from collections import Counter
from typing import Any

import pytest
from sqlalchemy import text

from deputize.testing.hijacked import orders_in
from tests.attacks.attempts import Came, Case, Provider, attempt, cases, differing, outgoing, rows_of
from tests.attacks.conftest import Stage
from tests.attacks.wordings import WORDINGS, worded
from tests.engine.desk import ANA, Base

BUREAU = cases("desk")
DOORS = {
    "known",
    "denylist",
    "surface",
    "mode",
    "switch",
    "permissions",
    "detection",
    "arguments",
    "pinning",
    "version",
    "typed",
    "guard",
    "rate",
    "loop",
    "plan",
    "write_cap",
    "preview",
    "handler",
    "secret",
    "service",
    "decide NOT_FOUND",
    "decide FORBIDDEN",
    "decide AI_DISABLED",
    "decide AI_APPROVAL_STALE",
    "decide AI_APPROVAL_EXPIRED",
}
"""Every door that an attempt can be stopped at."""


def order_of(case: Case) -> str:
    """The case's first order, as hostile text spells it."""
    tool, arguments = next((one for step in case.orders for one in step), ("find_people", {}))
    return f"{tool} {arguments if isinstance(arguments, str) else json.dumps(arguments)}"


async def carried_out(stage: Stage, case: Case, wording: str, *, obeys: bool = True) -> Came:
    """Plant the text, carry out the attack, and hold that nothing happened but what a person approved.

    With `obeys` the model also does what it reads; without, its calls are the same whatever the text says.
    """
    desk = await stage(case)
    assert isinstance(desk.provider, Provider)
    desk.provider.obeys = obeys
    async with desk.engine.begin() as conn:
        hostile = {"body": worded(wording, order_of(case))}
        await conn.execute(text("UPDATE mails SET body = :body WHERE tenant = 'north'"), hostile)
    before = await rows_of(desk.engine, Base.metadata)
    came = await attempt(desk, case)
    changed = differing(before, await rows_of(desk.engine, Base.metadata))
    assert not [row for row in changed if row[0] != "north"]
    assert len(changed) == case.effects
    assert await outgoing(desk) == []
    return came


@pytest.mark.parametrize("case", BUREAU, ids=lambda case: case.name)
async def test_the_door_holds(stage: Stage, case: Case) -> None:
    """TOOL-4 and the claim of the contract: the named door held, nothing was changed or sent, the chain tells of it."""
    came = await carried_out(stage, case, "english")
    assert came.doors[_door(case)] > 0, (came.doors, came.results, came.refusals)
    if case.outcome is not None:
        assert (case.outcome, case.code) in came.results


def _door(case: Case) -> str:
    return "decide AI_CONFIRMATION_MISMATCH" if case.door == "typed" else case.door


def test_every_door_is_reached() -> None:
    """Refusals counted by door: none is left without an attack."""
    counted = Counter(case.door for case in BUREAU)
    assert set(counted) == DOORS


ONCE = [case for case in BUREAU if case.name in {"id-never-seen", "letter-to-a-stranger", "same-write-again"}]


@pytest.mark.parametrize("case", ONCE, ids=lambda case: case.name)
async def test_the_wording_changes_no_decision(stage: Stage, case: Case) -> None:
    """TOOL-7, I11: whether the text is empty, in Spanish, encoded or invisible: the same calls, the same decisions."""
    came: dict[str, Any] = {}
    for wording in WORDINGS:
        found = await carried_out(stage, case, wording, obeys=False)
        came[wording] = (found.results, found.refusals, dict(found.doors))
    assert all(one == came["empty"] for one in came.values())


@pytest.mark.parametrize("wording", [one for one in WORDINGS if one != "empty"])
def test_a_hijacked_model_finds_the_order_however_it_is_disguised(wording: str) -> None:
    """The adversary is as strong as the text wants it to be."""
    order = f'add_task {{"person": "{ANA}", "title": "x"}}'
    found = dict(orders_in(json.dumps({"result": {"mails": [{"body": worded(wording, order)}]}})))
    assert json.loads(found["add_task"]) == {"person": ANA, "title": "x"}
