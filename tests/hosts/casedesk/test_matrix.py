"""Authority: surface by role by tool, own and other firm, against a table written by hand (TOOL-3, TOOL-4)."""

from collections.abc import Mapping
from typing import Any

import pytest

from deputize.core.errors import Invalid
from deputize.testing.scripted import calls, says
from tests.databases import SqliteFiles
from tests.hosts.casedesk.people import (
    ADMIN,
    ANALYST,
    AUDITOR,
    CUSTOMER,
    MLRO,
    NORDWIND,
    NORDWIND_PHONE,
    OFFICER,
    OLIVARES,
    OLIVARES_NAME,
)
from tests.hosts.casedesk.rig import SURFACE_NAMES, Rig, text_of

CASE_TOOLS = {"find_cases", "get_case", "list_evidence", "read_evidence", "list_notes", "portfolio_overview"}
LIBRARY = {"search_regulations", "search_standards"}
CONFLICTS = {"list_discrepancies", "get_discrepancy"}
PORTAL = {"my_application", "my_documents", "portal_guidance"}
WRITES = {"resolve_discrepancy", "add_case_note", "remember_this", "submit_finding_feedback"}

ON_SURFACE: Mapping[str, set[str]] = {
    "case": CASE_TOOLS | CONFLICTS | LIBRARY | WRITES | {"search_memory"},
    "dashboard": {"portfolio_overview", "find_cases", "get_case", "resolve_discrepancy", "add_case_note"} | CONFLICTS,
    "memory": {"search_memory", "remember_this", "find_cases", "get_case"} | CONFLICTS,
    "regulatory": LIBRARY,
    "standards": LIBRARY,
    "onboarding": LIBRARY | {"onboarding_checklist", "find_cases", "add_case_note"},
    "portal": PORTAL,
}
STAFF_READS = CASE_TOOLS | CONFLICTS | LIBRARY | {"search_memory", "onboarding_checklist"}
IN_ROLE: Mapping[str, set[str]] = {
    ADMIN: STAFF_READS | WRITES | PORTAL,
    MLRO: STAFF_READS | WRITES,
    OFFICER: STAFF_READS | WRITES,
    ANALYST: STAFF_READS | {"add_case_note", "submit_finding_feedback"},
    AUDITOR: STAFF_READS,
    CUSTOMER: PORTAL,
}
NO_APPLICATION = {"my_application", "my_documents"}
"""An administrator may open the portal's tools and has no application of their own: the service finds none."""

EVERY = STAFF_READS | WRITES | PORTAL
ANSWERS = {"ok", "staged"}


def arguments(tool: str, *, own: bool) -> dict[str, Any]:
    """What the model sends; the other firm's ids exist, they are only somebody else's."""
    case = str(NORDWIND if own else OLIVARES)
    discrepancy = str(NORDWIND_PHONE if own else OLIVARES_NAME)
    if tool in {"get_case", "list_evidence", "list_notes", "list_discrepancies", "onboarding_checklist"}:
        return {"case": case}
    if tool == "read_evidence":
        return {"evidence": str(NORDWIND if own else OLIVARES)}
    return {
        "get_discrepancy": {"discrepancy": discrepancy},
        "resolve_discrepancy": {"discrepancy": discrepancy, "resolution": "escalated", "rationale": "to be sure"},
        "add_case_note": {"case": case, "body": "noted"},
        "remember_this": {"fact": "The notary answers on Tuesdays.", "case": case},
        "submit_finding_feedback": {"discrepancy": discrepancy, "opinion": "useful"},
    }.get(tool, {})


TARGETLESS = {tool for tool in EVERY if not arguments(tool, own=True)}
OTHERS = ("Olivares", "Ibaizabal", "Lindqvist", "Peñalver", "Castellanos", "Goñi")
"""Words that only the other firm has."""


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """Authority is the same on both databases."""
    return sqlite_files


async def outcomes(rig: Rig, who: str, surface: str, tools: list[str], *, own: bool) -> tuple[dict[str, str], str]:
    """What became of each call; `staged` for a card. The screen shows the records, as far as they may be seen."""
    actor = await rig.actor(who)
    shown = (
        (("case", NORDWIND), ("discrepancy", NORDWIND_PHONE))
        if own
        else (
            ("case", OLIVARES),
            ("discrepancy", OLIVARES_NAME),
        )
    )
    found: dict[str, str] = {}
    rig.provider.turns.clear()
    rig.provider.then(calls(*((tool, arguments(tool, own=own)) for tool in tools)), says("That is all."))
    conversation = await rig.open(actor, surface, *shown)
    told = await rig.say(actor, conversation, "please", *shown)
    names = {event.call_id: event.tool for event in told.events if event.type == "tool_call_start"}
    for event in told.results():
        found[names[event.call_id]] = event.outcome.value
    if told.staged:
        found[told.card.tool] = "staged"
        await rig.settle(actor, told, approve=False)
    return found, text_of([event.model_dump(mode="json") for event in told.events])


@pytest.mark.parametrize("surface", SURFACE_NAMES)
@pytest.mark.parametrize("who", IN_ROLE, ids=lambda who: str(who).split("@")[0])
async def test_a_tool_answers_exactly_where_the_table_says(rig: Rig, surface: str, who: str) -> None:
    """TOOL-3, TOOL-4: offered, executed and staged by surface and grants alone; another firm's ids never."""
    if (surface == "portal") is not (who == CUSTOMER) and who != ADMIN:
        with pytest.raises(Invalid):
            await rig.open(await rig.actor(who), surface)
        return
    allowed = ON_SURFACE[surface] & IN_ROLE[who]
    reads = sorted(EVERY - WRITES - {"read_evidence"})
    found, said = await outcomes(rig, who, surface, reads, own=True)
    offered = {tool.name for tool in rig.provider.requests[0].tools}
    assert offered == allowed
    expected = {tool for tool in reads if tool in allowed and not (who == ADMIN and tool in NO_APPLICATION)}
    assert {tool for tool, outcome in found.items() if outcome in ANSWERS} == expected
    assert set(found) == set(reads)
    assert not [word for word in OTHERS if word in said]
    targeted = [tool for tool in (*reads, *sorted(WRITES)) if tool not in TARGETLESS]
    strangers, said = await outcomes(rig, who, surface, targeted, own=False)
    assert set(strangers) == set(targeted)
    assert set(strangers.values()) <= {"blocked", "refused"}
    assert not [word for word in OTHERS if word in said]
    for write in sorted(WRITES):
        own, _ = await outcomes(rig, who, surface, ["list_discrepancies", write], own=True)
        readable = "list_discrepancies" in allowed
        stageable = write in allowed and (readable or write != "resolve_discrepancy")
        assert (own[write] == "staged") is stageable, f"{write}: {own}"
