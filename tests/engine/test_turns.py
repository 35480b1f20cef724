"""Whole turns through the engine: asking, acting, deciding."""

import pytest

from deputize.core.errors import ApprovalResolved
from deputize.core.message import ToolResult
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, Desk, Person, Task


async def test_ask(desk: Desk) -> None:
    """RUN-2, SSE-1: a read is executed, the answer streams, the run completes."""
    desk.provider.then(calls(("find_people", {"query": "Ana"})), says("There is one Ana."))
    told = await desk.say(EVA, await desk.open(EVA), "people called Ana")
    assert told.kinds == ["tool_call_start", "tool_result", "message_done"]
    assert told.text == "There is one Ana."
    assert told.events[1].result["people"][0]["name"] == "Ana Ruiz Calvo"
    assert told.events[-1].usage.input_tokens == 20


async def test_act_approve(desk: Desk) -> None:
    """APPR-1, APPR-5: nothing is written before the approval; afterwards it is, with the run going on."""
    desk.provider.then(
        calls(("find_people", {"query": "Ana"})),
        calls(("set_remark", {"person": ANA, "remark": "prefers mornings"})),
        says("Done."),
    )
    told = await desk.say(EVA, await desk.open(EVA), "note that Ana prefers mornings")
    assert told.kinds[-1] == "tool_approval_required"
    card = told.card.approval
    assert card is not None
    fields = {field.name: (field.before, field.after) for field in card.preview.changes[0].fields}
    assert fields["remark"][1] == "prefers mornings"
    assert all(person.remark == "" for person in await desk.rows(Person))
    done = await desk.decide(EVA, told.card, True)
    assert done.outcome == "ok"
    rest = await desk.read(EVA, told.run_id, told.last)
    assert rest.kinds == ["tool_result", "message_done"]
    assert rest.text == "Done."
    assert [p.remark for p in await desk.rows(Person) if p.id == ANA] == ["prefers mornings"]
    assert (await desk.decide(EVA, told.card, True)).outcome == "ok"
    with pytest.raises(ApprovalResolved):
        await desk.decide(EVA, told.card, False)


async def test_act_reject(desk: Desk) -> None:
    """APPR-7, C34: nothing is written, and the model is told with the person's reason."""
    desk.provider.then(
        calls(("find_people", {"query": "Ana"})),
        calls(("add_task", {"person": ANA, "title": "call back"})),
        says("Ok."),
    )
    told = await desk.say(EVA, await desk.open(EVA), "task for Ana")
    done = await desk.decide(EVA, told.card, False, reason="wrong person")
    assert done.outcome == "rejected"
    rest = await desk.read(EVA, told.run_id, told.last)
    assert rest.text == "Ok."
    assert await desk.rows(Task) == []
    result = desk.provider.requests[-1].messages[-1].blocks[-1]
    assert isinstance(result, ToolResult)
    assert "wrong person" in result.content
