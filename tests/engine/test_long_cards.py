"""A card that was cut is approved only once the whole of it was given to whoever decides (APPR-1, C26)."""

import pytest

from deputize.core.errors import ApprovalStale, NotFound
from deputize.engine import runs
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, VIC, Desk, Person, Told

LONG = "a word or two " * 140
BURIED = LONG[:1900] + " and pay the thief"


async def staged(desk: Desk, remark: str = BURIED) -> Told:
    """A remark of nearly 2,000 characters, four times on the card: before and after would not fit a stream."""
    desk.provider.then(
        calls(("find_people", {})), calls(("set_remark", {"person": ANA, "remark": remark})), says("So.")
    )
    return await desk.say(EVA, await desk.open(EVA), "note that")


@pytest.fixture(autouse=True)
def small_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams carry less, so that a remark of the desk is cut."""
    monkeypatch.setattr("deputize.engine.views.WHOLE_UP_TO", 500)
    monkeypatch.setattr("deputize.engine.serving.WHOLE_UP_TO", 500)


async def remark_of_ana(desk: Desk) -> str:
    return next(str(person.remark) for person in await desk.rows(Person) if person.id == ANA)


async def test_a_cut_card_is_not_approved_unseen(desk: Desk) -> None:
    """The end of a long text is what would be hidden; the refusal brings the whole card, which then counts as seen."""
    told = await staged(desk)
    approval = told.card.approval
    assert approval is not None
    assert approval.preview.cut
    with pytest.raises(ApprovalStale) as refused:
        await desk.decide(EVA, told.card, True)
    whole = refused.value.details["call"]["approval"]
    assert whole["digest"] == approval.digest
    assert "and pay the thief" in str(whole["preview"])
    assert await remark_of_ana(desk) == ""
    assert (await desk.decide(EVA, told.card, True)).outcome == "ok"
    assert await remark_of_ana(desk) == BURIED


async def test_fetching_the_whole_card_lets_it_be_approved(desk: Desk) -> None:
    told = await staged(desk)
    with pytest.raises(NotFound):
        await runs.call(desk.w, VIC, told.card.id)
    assert not (await runs.call(desk.w, EVA, told.card.id))["approval"]["preview"]["cut"]
    assert (await desk.decide(EVA, told.card, True)).outcome == "ok"


async def test_a_cut_card_can_be_rejected_at_once(desk: Desk) -> None:
    told = await staged(desk)
    assert (await desk.decide(EVA, told.card, False)).outcome == "rejected"


async def test_whoever_only_looks_on_does_not_count(desk: Desk) -> None:
    """A supervisor's look is not the decider's."""
    told = await staged(desk)
    boss = EVA.__class__("sam", "north", grants=frozenset({"copilot.*"}))
    await runs.call(desk.w, boss, told.card.id)
    with pytest.raises(ApprovalStale):
        await desk.decide(EVA, told.card, True)


async def test_a_short_card_needs_nothing_more(desk: Desk) -> None:
    told = await staged(desk, "short")
    assert (await desk.decide(EVA, told.card, True)).outcome == "ok"
