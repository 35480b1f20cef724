"""Each write is previewed twice on example arguments and undone; undeclared differences are named (APPR-2)."""

import random
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import insert

from deputize import Entity, Refuse, tool
from deputize.core.tool import Tool
from deputize.engine.twice import Twice, preview_twice, somebody
from deputize.engine.wiring import Wiring
from tests.engine.desk import EVA, PERSON, SUE, TOOLS, VIC, ByPerson, Desk, Done, NewTask, Person, Remark, Task

WRITES = [one.name for one in TOOLS if one.effect != "read"]


def having(desk: Desk, *tools: Tool, **entities: Entity) -> Wiring:
    """The desk with these tools only."""
    registry = replace(
        desk.w.registry,
        tools={one.name: one for one in tools},
        toolset_of={one.name: "desk" for one in tools},
        entities={**desk.w.registry.entities, **entities},
        by_table={**desk.w.registry.by_table, **{one.model.__tablename__: one for one in entities.values()}},
    )
    return replace(desk.w, registry=registry)


async def test_every_write_of_the_desk_is_tried_and_nothing_stays(desk: Desk) -> None:
    before = [(one.id, one.remark, one.revision) for one in await desk.rows(Person)]
    assert await preview_twice(desk.w, [EVA]) == [Twice(name) for name in WRITES]
    assert [(one.id, one.remark, one.revision) for one in await desk.rows(Person)] == before
    assert await desk.rows(Task) == []


@tool(permissions=["people.write"], effect="write")
async def stamp(ctx: Any, args: Remark) -> Done:
    """Write a remark with a number that nobody declared."""
    person = await ctx.session.get(Person, args.person)
    person.remark = f"{args.remark} {random.random()}"
    return Done(said="stamped")


async def test_an_undeclared_difference_is_named_and_a_declared_one_is_not(desk: Desk) -> None:
    assert await preview_twice(having(desk, stamp), [EVA]) == [Twice("stamp", ("people.remark",))]
    declared = replace(PERSON, volatile=frozenset({"remark"}))
    assert await preview_twice(having(desk, stamp, person=declared), [EVA]) == [Twice("stamp")]


async def test_what_cannot_be_tried_is_skipped_with_its_reason(desk: Desk) -> None:
    @tool(permissions=["tasks.write"], effect="write")
    async def fail(ctx: Any, args: NewTask) -> Done:
        """Fail."""
        raise RuntimeError("inside")

    @tool(permissions=["tasks.write"], effect="write", no_target="a test")
    async def idle(ctx: Any, args: NewTask) -> Done:
        """Change nothing."""
        return Done(said="")

    async def never(ctx: Any, args: Any) -> Refuse:
        return Refuse("closed", "Closed.")

    @tool(permissions=["people.write"], effect="write", guard=never)
    async def guarded(ctx: Any, args: ByPerson) -> Done:
        """Never allowed."""
        return Done(said="")

    nobody_else = [replace(SUE, tenant="west")]
    reasons = {one.tool: one.skipped for one in await preview_twice(having(desk, fail, idle, guarded), [EVA])}
    assert reasons == {
        "fail": "failed (handler_failed: RuntimeError)",
        "idle": "the examples change nothing",
        "guarded": "refused (closed)",
    }
    only = having(desk, stamp)
    assert (await preview_twice(only, nobody_else))[0].skipped == "person: there is no person to try it with"
    assert (await preview_twice(only, [VIC]))[0].skipped == "nobody was found who may"
    assert (await preview_twice(only, []))[0].skipped == "nobody was found to try it as"


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
async def test_a_second_preview_that_comes_to_something_else_is_a_difference(desk: Desk) -> None:
    once: list[int] = []

    @tool(permissions=["tasks.write"], effect="write")
    async def moody(ctx: Any, args: NewTask) -> Done:
        """Work once."""
        once.append(1)
        if len(once) > 1:
            raise RuntimeError
        ctx.session.add(Task(tenant="north", person_id=args.person, title=args.title))
        return Done(said="")

    (came,) = await preview_twice(having(desk, moody), [EVA])
    assert came.differs == ("the second came to failed (handler_failed: RuntimeError)",)


async def test_somebody_is_found_among_those_who_talked_and_whom_records_name(desk: Desk) -> None:
    assert await somebody(desk.w) == []
    await desk.open(VIC)
    await desk.open(EVA)
    assert await somebody(desk.w) == [EVA, VIC]
    desk.actors[SUE.id] = SUE
    async with desk.engine.begin() as conn:
        await conn.execute(insert(Task), {"tenant": "south", "person_id": "sue", "title": "call"})
    assert SUE not in await somebody(desk.w), "a column that is no foreign key names nobody"
    async with desk.engine.begin() as conn:
        await conn.execute(insert(Person), {"id": "sue", "tenant": "south", "name": "Sue"})
    assert await somebody(desk.w) == [EVA, SUE, VIC], "whoever may most first"
