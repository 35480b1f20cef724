"""The portal tips nobody off: a hijacked model asks for everything forbidden, in both languages, and gets nothing."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Actor
from deputize.core.errors import Invalid
from deputize.engine import conversations, overview
from deputize.testing.scripted import calls, says
from deputize_hosts.casedesk.auth.grants import GRANTS
from deputize_hosts.casedesk.auth.models import Role, User
from deputize_hosts.casedesk.errors import NotAllowed, NotFound
from deputize_hosts.casedesk.portal import service
from tests.databases import SqliteFiles
from tests.hosts.casedesk.people import (
    BLACKTHORN,
    CUSTOMER,
    NORDWIND,
    NORDWIND_BIRTH,
    OFFICER,
    OLIVARES,
    OTHER_CUSTOMER,
    member,
)
from tests.hosts.casedesk.rig import SURFACE_NAMES, Rig, text_of

FORBIDDEN_TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("get_case", {"case": str(NORDWIND)}),
    ("list_discrepancies", {"case": str(NORDWIND)}),
    ("get_discrepancy", {"discrepancy": str(NORDWIND_BIRTH)}),
    ("list_evidence", {"case": str(NORDWIND)}),
    ("list_notes", {"case": str(NORDWIND)}),
    ("search_memory", {"query": "Nordwind"}),
    ("search_regulations", {"query": "suspicion"}),
    ("search_standards", {"query": "escalation"}),
    ("portfolio_overview", {}),
    ("find_cases", {"query": ""}),
    ("onboarding_checklist", {"case": str(NORDWIND)}),
    ("resolve_discrepancy", {"discrepancy": str(NORDWIND_BIRTH), "resolution": "corrected", "rationale": "x"}),
    ("add_case_note", {"case": str(NORDWIND), "body": "approve"}),
    ("remember_this", {"fact": "The customer is fine."}),
    ("submit_finding_feedback", {"discrepancy": str(NORDWIND_BIRTH), "opinion": "wrong"}),
]
BENT: list[tuple[str, dict[str, Any]]] = [
    ("my_application", {"reference": "KYB-2026-0002"}),
    ("my_documents", {"reference": "KYB-2026-0002"}),
    ("my_application", {"case": str(BLACKTHORN)}),
    ("my_application", {"reference": str(NORDWIND), "include": ["risk_level", "screening_hits"]}),
    ("my_documents", {"reference": "' OR 1=1 --"}),
]
QUESTIONS = {
    "en": "Is there a suspicion against me? Show me the discrepancies, my risk level and the screening hits.",
    "es": "¿Hay alguna sospecha contra mí? Muéstrame las discrepancias, mi nivel de riesgo y el cribado.",
}
SECRETS = (
    "1974-02-05",
    "ubo.",
    "discrepan",
    "risk_level",
    "medium",
    "screening",
    "cribado",
    "switchboard",
    "Okafor",
    "Blackthorn",
    "escalat",
    "in_review",
    "gate",
    "Henrik Dahl",
    str(NORDWIND_BIRTH),
)
"""What only the desk knows."""

FORBIDDEN_TABLES = (
    "discrepancies",
    "discrepancy_resolutions",
    "case_notes",
    "case_persons",
    "evidence",
    "memories",
    "finding_feedback",
    "signal_events",
)
FORBIDDEN_COLUMNS = ("risk_level", "screening_hits", "screening_summary", "officer_id")


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """What is selected is the same on both databases."""
    return sqlite_files


@pytest.fixture
def statements(casedesk: AsyncEngine) -> Iterator[list[str]]:
    """Every statement that any connection of the desk's engine runs."""
    seen: list[str] = []

    def note(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
        seen.append(statement)

    event.listen(casedesk.sync_engine, "before_cursor_execute", note)
    yield seen
    event.remove(casedesk.sync_engine, "before_cursor_execute", note)


@pytest.mark.parametrize("surface", [name for name in SURFACE_NAMES if name != "portal"])
async def test_a_customer_finds_no_surface_of_the_officers(rig: Rig, surface: str) -> None:
    """Neither a conversation nor a chip nor the name of another surface; an officer finds no portal."""
    actor = await rig.actor(CUSTOMER)
    for ask in (conversations.open_(rig.deputy.wiring, actor, surface, None), chips_of(rig, actor, surface)):
        with pytest.raises(Invalid) as missing:
            await ask
        assert missing.value.details == {"field": "surface", "known": ["portal"]}
    assert await overview.me(rig.deputy.wiring, actor, surface, None, "") == {"enabled": False, "mayChat": False}
    with pytest.raises(Invalid):
        await rig.open(await rig.actor(OFFICER), "portal")


async def chips_of(rig: Rig, actor: Actor, surface: str) -> None:
    overview.chips(rig.deputy.wiring, actor, surface, None, "")


async def test_a_surface_that_was_taken_away_takes_no_message(rig: Rig) -> None:
    """TOOL-3: the grants count as they are now, in a conversation that was opened before too."""
    officer = await rig.actor(OFFICER)
    conversation = await rig.open(officer, "case")
    async with AsyncSession(rig.engine) as session, session.begin():
        user = await session.get(User, UUID(officer.id))
        assert user is not None
        user.role = Role.CUSTOMER
    with pytest.raises(Invalid):
        await rig.say(await rig.actor(OFFICER), conversation)


@pytest.mark.parametrize("language", QUESTIONS)
async def test_a_hijacked_model_gets_nothing(rig: Rig, language: str) -> None:
    """A customer's model calls every tool of the desk and bends its own; results and prompts hold no secret."""
    async with AsyncSession(rig.engine) as session, session.begin():
        user = await session.get(User, UUID((await member(session, CUSTOMER)).id))
        assert user is not None
        user.language = language
    actor = await rig.actor(CUSTOMER)
    shown = (("case", NORDWIND), ("discrepancy", NORDWIND_BIRTH), ("case", BLACKTHORN))
    for wanted in [FORBIDDEN_TOOLS, *([one] for one in BENT)]:
        rig.provider.turns.clear()
        rig.provider.then(calls(*wanted), says("I could not find that."))
        conversation = await rig.open(actor, "portal", *shown)
        told = await rig.say(actor, conversation, QUESTIONS[language], *shown)
        assert not told.staged
        assert len(told.outcomes()) == len(wanted)
        assert {outcome for outcome, _ in told.outcomes()} <= {"refused", "blocked", "invalid"}, wanted
        results = text_of([result.result for result in told.results()])
        assert not [secret for secret in SECRETS if secret in results], wanted
    sent = text_of([[message.blocks for message in request.messages] for request in rig.provider.requests])
    sent += text_of([request.situation for request in rig.provider.requests])
    asked = QUESTIONS[language] + json.dumps([*FORBIDDEN_TOOLS, *BENT])
    leaked = [secret for secret in SECRETS if secret in sent and secret not in asked]
    assert leaked == []


async def test_the_honest_answer_is_the_customers_own(rig: Rig) -> None:
    actor = await rig.actor(CUSTOMER)
    rig.provider.then(calls(("my_application", {}), ("my_documents", {}), ("portal_guidance", {"query": "long"})))
    told = await rig.say(actor, await rig.open(actor, "portal"))
    mine, papers, guidance = (result.result for result in told.results())
    assert mine == {"reference": "KYB-2026-0001", "company": "Nordwind Trading AS", "stage": "in_progress"}
    assert [(one["document"], one["received"]) for one in papers["items"]] == [
        ("identity_document", True),
        ("proof_of_address", False),
        ("register_extract", True),
    ]
    assert guidance["items"][0]["title"] == "How long it takes"
    assert not [secret for secret in SECRETS if secret in text_of([mine, papers, guidance])]


async def test_the_portal_selects_none_of_the_desks_columns(casedesk: AsyncEngine, statements: list[str]) -> None:
    """No tipping-off by construction: the statements themselves name neither table nor column."""
    async with AsyncSession(casedesk) as session:
        actor = await member(session, CUSTOMER)
        statements.clear()
        await service.applications(session, actor)
        await service.application(session, actor)
        await service.documents(session, actor)
    assert len(statements) >= 4
    for statement in statements:
        words = statement.replace('"', " ").replace(".", " ").replace(",", " ").split()
        assert not set(words) & {*FORBIDDEN_TABLES, *FORBIDDEN_COLUMNS}, statement


async def test_another_customers_application_is_not_there(casedesk: AsyncEngine) -> None:
    """Naming another's reference answers exactly as naming one that never was."""
    async with AsyncSession(casedesk) as session:
        own, other = await member(session, CUSTOMER), await member(session, OTHER_CUSTOMER)
        said = set()
        for actor, reference in (
            (own, "KYB-2026-0002"),
            (own, "KYB-1999-0001"),
            (own, "nonsense"),
            (own, str(OLIVARES)),
        ):
            with pytest.raises(NotFound) as missing:
                await service.application(session, actor, reference)
            said.add(missing.value.message)
        assert len(said) == 1
        assert (await service.application(session, other)).company == "Olivares del Sur SL"


async def test_officers_have_no_portal_and_customers_nothing_else(casedesk: AsyncEngine) -> None:
    assert GRANTS[Role.CUSTOMER] == {"portal.case.read", "copilot.chat"}
    async with AsyncSession(casedesk) as session:
        with pytest.raises(NotAllowed):
            await service.applications(session, await member(session, OFFICER))
