"""Placeholders through the whole engine: one vault for each conversation, and nobody gets somebody else's value."""

import json

from sqlalchemy import select

from deputize.core.message import ToolResult
from deputize.core.provider import ModelRequest, ProviderEvent
from deputize.store import tables as t
from deputize.testing.scripted import calls, says
from tests.engine.desk import BOB, EVA, SUE, Desk, Task


async def tokens_of(desk: Desk, conversation: str) -> list[str]:
    """The conversation's placeholders; further forms of one person's name share that person's."""
    rows = t.vault_entries.c
    query = select(rows.token).where(rows.conversation_id == conversation, rows.alias.is_(False))
    async with desk.w.db.read() as conn:
        return [str(token) for token in await conn.scalars(query)]


async def test_red_3_each_conversation_has_its_own_placeholders(desk: Desk) -> None:
    """RED-3: unique within one, never the same in two, whether of one person or of two tenants."""
    desk.provider.then(calls(("find_people", {})), says("Here."), calls(("find_people", {})), says("Here."))
    desk.provider.then(calls(("find_people", {})), says("Here."))
    first = await desk.open(EVA)
    await desk.say(EVA, first, "who is Ana Ruiz Calvo?")
    second = await desk.open(EVA)
    await desk.say(EVA, second, "who is Ana Ruiz Calvo?")
    third = await desk.open(SUE)
    await desk.say(SUE, third, "who is Zoe Farr?")
    found = [await tokens_of(desk, one) for one in (first, second, third)]
    assert all(found)
    assert all(len(set(one)) == len(one) for one in found)
    assert not set(found[0]) & {*found[1], *found[2]}


async def test_red_7_a_placeholder_of_another_conversation_is_nobody(desk: Desk) -> None:
    """RED-7, G5: it reaches no tool as a value, and stands on the screen as the text that it is."""
    desk.provider.then(calls(("find_people", {"query": "Ana"})), says("Here."))
    first = await desk.open(EVA)
    await desk.say(EVA, first, "find Ana")
    foreign = (await tokens_of(desk, first))[0]
    desk.provider.then(
        calls(("find_people", {"query": "Bob"})),
        calls(("add_task", {"person": foreign, "title": f"call {foreign}"})),
        says(f"That is {foreign}."),
    )
    told = await desk.say(EVA, await desk.open(EVA), "find Bob")
    assert told.outcomes() == ["ok", "invalid"]
    assert told.text == f"That is {foreign}."
    assert await desk.rows(Task) == []


async def test_red_3_the_right_placeholder_is_the_right_person(desk: Desk) -> None:
    """RED-3, RED-7: an id in a target and a name in text, of one person of two; nobody else is ever meant."""

    def last_one(request: ModelRequest) -> list[ProviderEvent]:
        (result,) = request.messages[-1].blocks
        assert isinstance(result, ToolResult)
        assert "Bob" not in result.content
        person = json.loads(result.content)["result"]["people"][-1]
        return calls(("add_task", {"person": person["id"], "title": f"call {person['name']}"}))

    desk.provider.then(calls(("find_people", {})), last_one, says("Done."))
    told = await desk.say(EVA, await desk.open(EVA), "a task for the last one")
    await desk.decide(EVA, told.card, True)
    (made,) = await desk.rows(Task)
    assert (made.person_id, made.title) == (BOB, "call Bob Stone")
