"""Whoever the host no longer knows, or knows as somebody else, gets nothing done: asked by id each time (TOOL-3)."""

from dataclasses import replace
from typing import Any

import pytest

from deputize.core.actor import Actor
from deputize.store import audit_read
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, Desk, Task
from tests.engine.test_approvals import staged

TASK = {"person": ANA, "title": "one"}
GONE: dict[str, Actor | None] = {
    "no longer known": None,
    "somebody else": replace(EVA, id="eve"),
    "of another tenant": replace(EVA, tenant="south"),
    "no person": Actor("eva", "north", kind="system", capability="triage"),
}
LOST = pytest.mark.parametrize("found", GONE.values(), ids=GONE)


def become(desk: Desk, found: Actor | None) -> None:
    """What the host answers for Eva's id from now on."""
    if found is None:
        del desk.actors["eva"]
    else:
        desk.actors["eva"] = found


async def refused(desk: Desk) -> list[dict[str, Any]]:
    """Entries of refusals, of the tenant whose run it is."""
    async with desk.w.db.read() as conn:
        found, _ = await audit_read.entries(conn, "north")
        assert not (await audit_read.entries(conn, "south"))[0]
    return [dict(entry.payload or {}) for entry in found if entry.kind == "tool_refused"]


@LOST
async def test_lost_while_the_model_speaks(desk: Desk, found: Actor | None) -> None:
    """Neither a read nor a write of the next step goes through."""

    def last_step(request: Any) -> Any:
        become(desk, found)
        return calls(("find_people", {}), ("add_task", TASK))

    desk.provider.then(calls(("find_people", {"query": "Ana"})), last_step, says("So."))
    told = await desk.say(EVA, await desk.open(EVA), "please")
    assert told.outcomes() == ["ok", "refused", "refused"]
    assert told.codes()[1:] == ["unknown_actor", "unknown_actor"]
    entries = {(entry["tool"], entry["door"]) for entry in await refused(desk)}
    assert entries == {("find_people", "permissions"), ("add_task", "permissions")}


@LOST
async def test_lost_between_the_card_and_the_yes(desk: Desk, found: Actor | None) -> None:
    """The decision stands, nothing is executed, and the record says why."""
    told = await staged(desk, "add_task", TASK)
    become(desk, found)
    done = await desk.decide(EVA, told.card, True)
    assert (done.outcome, done.code) == ("refused", "unknown_actor")
    assert await desk.rows(Task) == []
    assert [entry["call"] for entry in await refused(desk)] == [told.card.id]
