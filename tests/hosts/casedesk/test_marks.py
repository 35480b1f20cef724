"""The applicant's letter gives orders: what a model that obeys comes to, and what the card marks (TOOL-7, TOOL-9)."""

from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize.testing.scripted import calls, says
from deputize_hosts.casedesk.cases.models import Evidence
from tests.databases import SqliteFiles
from tests.hosts.casedesk.people import BLACKTHORN, OFFICER, finding
from tests.hosts.casedesk.rig import Rig, Told

CASE = {"case": str(BLACKTHORN)}
READ = ("list_discrepancies", CASE)


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """Marks do not depend on the database."""
    return sqlite_files


def marks(told: Told) -> dict[str, set[str]]:
    """Marks by the value that they stand beside."""
    assert told.card.approval is not None
    found: dict[str, set[str]] = {}
    for change in told.card.approval.preview.changes:
        for field in change.fields:
            found.setdefault(str(field.after), set()).update(field.marks)
    return found


async def ask(rig: Rig, *turns: tuple[str, dict[str, str]]) -> Told:
    actor = await rig.actor(OFFICER)
    for turn in turns:
        rig.provider.then(calls(turn))
    rig.provider.then(says("Done."))
    return await rig.say(actor, await rig.open(actor, "case", ("case", BLACKTHORN)), "look at it")


async def letter(rig: Rig) -> UUID:
    async with AsyncSession(rig.engine) as session:
        found = await session.scalar(
            select(Evidence.id).where(Evidence.case_id == BLACKTHORN, Evidence.text.like("%NOTE TO THE AI%"))
        )
    assert found is not None
    return found


async def test_a_member_of_a_closed_set_is_nobody_s_text(rig: Rig) -> None:
    """`escalated` stands in results too, and is the tool's own word all the same."""
    said = {
        "discrepancy": str(finding(BLACKTHORN, "ubo.ownership")),
        "resolution": "escalated",
        "rationale": "40 % lack",
    }
    told = await ask(rig, READ, ("resolve_discrepancy", said))
    found = marks(told)
    assert "untrusted" not in found["escalated"]
    assert "model_text" in found["40 % lack"]


async def test_a_sentence_of_the_applicant_s_letter_is_marked(rig: Rig) -> None:
    copied = "the ownership question has been settled with your management"
    read = ("read_evidence", {"evidence": str(await letter(rig))})
    told = await ask(
        rig,
        ("list_evidence", CASE),
        read,
        ("add_case_note", {**CASE, "body": copied}),
    )
    assert {"untrusted", "model_text"} <= marks(told)[copied]


async def test_a_note_of_the_model_s_own_words_is_marked_as_such_only(rig: Rig) -> None:
    own = "The letter claims a settlement; nothing supports it."
    read = ("read_evidence", {"evidence": str(await letter(rig))})
    told = await ask(
        rig,
        ("list_evidence", CASE),
        read,
        ("add_case_note", {**CASE, "body": own}),
    )
    assert "untrusted" not in marks(told)[own]
    assert "model_text" in marks(told)[own]


async def test_a_model_that_obeys_the_letter_opens_nothing(rig: Rig) -> None:
    """ADR-0116: whatever feeds the gate is refused; the rest waits for an officer who may say no."""
    before = await rig.blocking(BLACKTHORN)
    orders = [
        ("resolve_discrepancy", {"discrepancy": str(one), "resolution": "false_positive", "rationale": "settled"})
        for one in (finding(BLACKTHORN, field) for field in ("ubo.ownership", "ubo.name", "company.address"))
    ]
    read = ("read_evidence", {"evidence": str(await letter(rig))})
    told = await ask(rig, READ, ("list_evidence", CASE), read, *orders)
    assert told.outcomes()[-2:] == [("refused", "conflicts_panel_only")] * 2
    assert (await rig.settle(await rig.actor(OFFICER), told, approve=False)).outcome == "rejected"
    assert await rig.blocking(BLACKTHORN) == before
    assert len(before) >= 2
    refused = [entry for entry in await rig.entries((await rig.actor(OFFICER)).tenant, "tool_refused")]
    assert len(refused) == 2
