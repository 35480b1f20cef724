"""The case desk with the embedded planner: what officers ask in words reaches the tools, in both languages (PROV-2)."""

from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.policy.declared import schema_of
from deputize.providers.offline import OfflineProvider
from deputize.providers.offline.intent import choose, sentences_of
from deputize.providers.offline.speech import language_of, parse
from deputize_hosts.casedesk.main import TOOLSETS
from tests.databases import SqliteFiles
from tests.hosts.casedesk.people import BLACKTHORN, NOW, OFFICER, finding
from tests.hosts.casedesk.rig import Rig, make_rig

OWNERSHIP, NAME, ADDRESS = (finding(BLACKTHORN, field) for field in ("ubo.ownership", "ubo.name", "company.address"))


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """What a planner understands is the same on both databases."""
    return sqlite_files


@pytest.fixture
async def desk(casedesk: AsyncEngine) -> AsyncIterator[Rig]:
    """The seeded desk with the embedded planner behind the deputy."""
    made = await make_rig(casedesk, provider=OfflineProvider())
    yield made
    await made.deputy.close()


@pytest.mark.parametrize(
    ("words", "tool", "arguments"),
    [
        (
            "escalate the ownership discrepancy: the shares do not add up",
            "resolve_discrepancy",
            {"discrepancy": OWNERSHIP, "resolution": "escalated", "rationale": "The shares do not add up"},
        ),
        (
            "resolve the address discrepancy as accepted source because the register is right",
            "resolve_discrepancy",
            {"discrepancy": ADDRESS, "resolution": "accepted_source", "rationale": "The register is right"},
        ),
        (
            "add a note: call the notary on Tuesday",
            "add_case_note",
            {"case": BLACKTHORN, "body": "call the notary on Tuesday"},
        ),
        (
            "remember that this notary answers on Tuesdays",
            "remember_this",
            {"case": BLACKTHORN, "fact": "Notary answers on Tuesdays"},
        ),
        ("mark the name finding as wrong", "submit_finding_feedback", {"discrepancy": NAME, "opinion": "wrong"}),
    ],
)
async def test_a_wish_beside_a_case_becomes_a_card(
    desk: Rig, words: str, tool: str, arguments: dict[str, UUID | str]
) -> None:
    """The case is the one on the screen; the finding is the one that the words tell apart."""
    actor = await desk.actor(OFFICER)
    shown = ("case", BLACKTHORN)
    told = await desk.say(actor, await desk.open(actor, "case", shown), words, shown)
    assert (told.card.tool, told.card.args) == (tool, {name: str(value) for name, value in arguments.items()})


async def test_a_finding_that_is_not_there_is_asked_for(desk: Rig) -> None:
    """Never a wrong write: neither the value nor the reason says which record is meant."""
    actor = await desk.actor(OFFICER)
    shown = ("case", BLACKTHORN)
    words = "resolve the birth date discrepancy as corrected because the register says so"
    told = await desk.say(actor, await desk.open(actor, "case", shown), words, shown)
    assert not told.staged
    assert "ownership" in told.text
    assert "company.address" in told.text


async def test_what_feeds_the_gate_is_refused_with_the_panel_s_address(desk: Rig) -> None:
    actor = await desk.actor(OFFICER)
    shown = ("case", BLACKTHORN)
    words = "resolve the ownership discrepancy as corrected because the letter says so"
    told = await desk.say(actor, await desk.open(actor, "case", shown), words, shown)
    assert told.outcomes()[-1] == ("refused", "conflicts_panel_only")
    assert f"/cases/{BLACKTHORN}/conflicts#d-{OWNERSHIP}" in told.text


def test_every_declared_sentence_reaches_its_own_tool() -> None:
    schemas = [schema_of(tool).schema for toolset in TOOLSETS if toolset.name != "portal" for tool in toolset.tools]
    offered = sentences_of(schemas)
    missed = []
    for schema in schemas:
        for said in (sentence for group in schema.examples.values() for sentence in group):
            speech = parse(said, NOW.replace(tzinfo=None), language_of(said, "en"), offered.vocabulary)
            found = choose(speech, offered)
            if found is None or found.tool.name != schema.name:
                missed.append((schema.name, said, found and found.tool.name))
    assert len(missed) <= 2, missed
