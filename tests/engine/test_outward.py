"""What leaves: reads that go out are shown and not tried, restored values stand on the card in clear (TOOL-13)."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated, Any

import pytest
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize import Args, Context, Target, Tool, tool
from deputize.core.approval import Typed
from deputize.core.run import RunStatus
from deputize.engine import ending, outward
from deputize.policy.plan import End
from deputize.store import runs
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.attacks import bureau
from tests.engine.desk import ANA, EVA, Desk, Done, Task

URL = "https://ruiz.example/letter"


@pytest.fixture
async def office(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Desk]:
    """The bureau with a scripted model."""
    await bureau.planted(database)
    made = bureau.make_bureau(database, clock)
    bureau.fetched.clear()
    yield made
    await made.deputy.close()


def swap(desk: Desk, changed: Tool) -> None:
    """Another declaration of a tool is deployed."""
    tools = {**desk.w.registry.tools, changed.name: changed}
    object.__setattr__(desk.w, "registry", replace(desk.w.registry, tools=tools))


async def test_a_read_that_goes_out_is_not_tried_before_it_is_approved(office: Desk) -> None:
    """TOOL-13: staging a fetch must not fetch; the card shows the address, and it is fetched once."""
    office.provider.then(calls(("fetch_page", {"url": URL})), says("Read."))
    told = await office.say(EVA, await office.open(EVA), f"read {URL} for me")
    assert told.kinds[-1] == "tool_approval_required"
    assert bureau.fetched == []
    approval = told.card.approval
    assert approval is not None
    (request,) = approval.preview.outgoing
    assert [(field.name, field.after) for field in request.fields] == [("url", URL)]
    done = await office.decide(EVA, told.card, True)
    assert (done.outcome, done.result) == ("ok", {"words": "fetched"})
    rest = await office.read(EVA, told.run_id, told.last)
    assert rest.kinds[-1] == "message_done"
    assert bureau.fetched == [URL]
    assert (await office.decide(EVA, told.card, True)).outcome == "ok"
    assert bureau.fetched == [URL]


async def test_an_address_that_nobody_named_is_typed(office: Desk) -> None:
    """TOOL-7 and TOOL-13 together: a fetch can carry secrets in its address."""
    office.provider.then(calls(("fetch_page", {"url": URL})), says("Read."))
    told = await office.say(EVA, await office.open(EVA), "read the news")
    approval = told.card.approval
    assert approval is not None
    assert approval.preview.friction.destinations == ["url"]
    assert approval.preview.outgoing[0].fields[0].marks == ["unproven"]
    done = await office.decide(EVA, told.card, True, typed=Typed(destinations={"url": URL}))
    assert done.outcome == "ok"


async def test_an_answer_that_was_lost_is_not_asked_for_again(office: Desk) -> None:
    """APPR-5: approved, perhaps sent, never answered: `unknown_effect`, never `not run`."""
    office.provider.then(calls(("fetch_page", {"url": URL})), says("Read."))
    told = await office.say(EVA, await office.open(EVA), f"read {URL}")
    died = replace_fetch(office)
    with pytest.raises(RuntimeError):
        await office.decide(EVA, told.card, True)
    died.undo()
    async with office.w.db.read() as conn:
        run = await runs.load(conn, "north", told.run_id)
    assert run is not None
    async with office.w.db.write("north", "swept") as tx:
        await ending.end(office.w, tx, run, End(RunStatus.ERROR, "RUN_LEASE_LOST"))
    rest = await office.read(EVA, told.run_id, told.last)
    assert rest.outcomes() == ["unknown_effect"]


def replace_fetch(desk: Desk) -> pytest.MonkeyPatch:
    """The process dies between the decision's commit and the answer."""

    async def dies(*given: Any, **more: Any) -> None:
        raise RuntimeError("gone")

    patch = pytest.MonkeyPatch()
    patch.setattr("deputize.engine.execution.fetch", dies)
    return patch


async def test_a_restored_value_in_an_egress_argument_stands_on_the_card(office: Desk) -> None:
    """TOOL-13: the model sent a placeholder; the person sees what really goes out, marked personal."""
    office.provider.then(calls(("find_people", {"query": "Ana"})), _letter_with_tokens, says("Sent."))
    told = await office.say(EVA, await office.open(EVA), "write to Ana")
    approval = told.card.approval
    assert approval is not None
    sent = {field.name: field for item in approval.preview.outgoing for field in item.fields}
    assert sent["to"].after == "ana@ruiz.example"
    assert sent["body"].after == "Dear Ana Ruiz Calvo"
    assert "personal" in sent["to"].marks
    assert "personal" in sent["body"].marks


def _letter_with_tokens(request: Any) -> Any:
    shown = json.loads(request.messages[-1].blocks[0].content)["result"]["people"][0]
    letter = {"person": shown["id"], "to": shown["email"], "body": f"Dear {shown['name']}"}
    return calls(("send_letter", letter))


class Reworded(Args):
    person: Annotated[str, Target("person")]
    subject: Annotated[str, Field(min_length=1)]


@tool(permissions=["tasks.write"], effect="write", name="add_task")
async def reworded(ctx: Context, args: Reworded) -> Done:
    """The same name with other arguments."""
    return Done(said="x")


async def test_a_tool_that_changed_under_the_card_executes_nothing(office: Desk) -> None:
    """C11: staged with one version of the tool, decided under another: stale, nothing is written, propose again."""
    office.provider.then(calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "call"})), says("So."))
    told = await office.say(EVA, await office.open(EVA), "task")
    swap(office, reworded)
    done = await office.decide(EVA, told.card, True)
    assert (done.outcome, done.code) == ("stale", "tool_changed")
    assert await office.rows(Task) == []
    assert (await office.read(EVA, told.run_id, told.last)).kinds[-1] == "message_done"


def test_only_what_was_restored_is_found() -> None:
    raw = '{"person": "PERSON_kovabi", "to": "EMAIL_kovabi", "body": "hello"}'
    clear = {"person": ANA, "to": "ana@ruiz.example", "body": "hello"}
    letter = next(one for one in bureau.BUREAU_TOOLS if one.name == "send_letter")
    assert outward.restored(letter, raw, clear) == ("person", "to")
    assert outward.restored(letter, "{", clear) == ()
