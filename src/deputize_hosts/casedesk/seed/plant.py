"""Puts the demonstration data into an empty database; a second start finds it and changes nothing."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.casedesk.auth.models import Firm, Role, User
from deputize_hosts.casedesk.cases.models import Case, CaseNote, CasePerson, Evidence
from deputize_hosts.casedesk.conflicts.models import Discrepancy, DiscrepancyResolution
from deputize_hosts.casedesk.memory.models import Memory
from deputize_hosts.casedesk.onboarding.models import DocumentRequest
from deputize_hosts.casedesk.seed.atlante import ATLANTE_CASES
from deputize_hosts.casedesk.seed.firms import ATLANTE, HARBOUR, PASSWORD, SeedFirm, seed_id
from deputize_hosts.casedesk.seed.harbour import HARBOUR_CASES
from deputize_hosts.casedesk.seed.story import Finding, Story
from deputize_hosts.casedesk.trail.models import SignalEvent
from deputize_hosts.casedesk.trail.service import PAGE, PANEL
from deputize_hosts.kit.passwords import hash_password

FACTS = {
    HARBOUR.key: (
        "The Maltese registry answers requests for extracts within two working days.",
        "Nordwind's bank sends letters by post only; allow a week.",
        "Transliterated Arabic names: compare the birth date and the place of birth, not the spelling.",
    ),
    ATLANTE.key: ("La notaría Goñi contesta los martes por la mañana.",),
}


async def plant(session: AsyncSession, now: datetime) -> bool:
    """Seed both firms; False if they are there already. The caller commits."""
    if await session.get(Firm, HARBOUR.id) is not None:
        return False
    for firm, stories in ((HARBOUR, HARBOUR_CASES), (ATLANTE, ATLANTE_CASES)):
        session.add(Firm(id=firm.id, name=firm.name, time_zone=firm.time_zone, locale=firm.locale))
        await session.flush()
        secret = hash_password(PASSWORD)
        session.add_all(
            User(
                id=seed_id("user", one.email),
                firm_id=firm.id,
                email=one.email,
                name=one.name,
                role=one.role.value,
                password_hash=secret,
                seeded=True,
            )
            for one in firm.people
        )
        await session.flush()
        for number, story in enumerate(stories, 1):
            await _plant_case(session, firm, story, number, now - timedelta(days=3 * (len(stories) - number) + 2))
        _plant_facts(session, firm, now)
    await session.flush()
    return True


async def _plant_case(session: AsyncSession, firm: SeedFirm, story: Story, number: int, at: datetime) -> None:
    own = seed_id(firm.key, story.company)
    case = Case(
        id=own,
        firm_id=firm.id,
        reference=f"KYB-{at.year}-{number:04d}",
        company_name=story.company,
        registration_number=story.registration,
        country=story.country,
        status=story.status,
        risk_level=story.risk,
        screening_hits=story.hits,
        screening_summary=story.screening,
        officer_id=firm.one(Role.OFFICER),
        customer_id=firm.one(Role.CUSTOMER) if story.portal else None,
        created_at=at,
        updated_at=at,
    )
    session.add(case)
    await session.flush()
    _event(session, firm, own, "case_opened", "case", own, PAGE, at)
    session.add_all(
        CasePerson(
            firm_id=firm.id,
            case_id=own,
            name=one.name,
            birth_date=one.born,
            nationality=one.nationality,
            ownership=one.share,
            role=one.role,
        )
        for one in story.people
    )
    session.add_all(
        Evidence(
            id=seed_id(own, "evidence", place),
            firm_id=firm.id,
            case_id=own,
            source=paper.source,
            title=paper.title,
            fields=paper.fields,
            text=paper.text,
            received_at=at + timedelta(hours=place),
        )
        for place, paper in enumerate(story.papers, 1)
    )
    for paper in story.asked:
        came = at + timedelta(days=1) if paper in story.came else None
        session.add(DocumentRequest(firm_id=firm.id, case_id=own, document=paper, requested_at=at, received_at=came))
    for place, body in enumerate(story.notes):
        _note(session, firm, own, body, at + timedelta(hours=6 + place))
    for place, found in enumerate(story.findings):
        await _finding(session, firm, own, found, at + timedelta(hours=3 + place))


async def _finding(session: AsyncSession, firm: SeedFirm, case: UUID, found: Finding, at: datetime) -> None:
    own = seed_id(case, found.field)
    decided = found.closed or ({"escalated": ("escalated", "Two sources of equal weight disagree.")}.get(found.status))
    if found.status == "reported":
        decided = ("reported", "Reported to the financial intelligence unit.")
    session.add(
        Discrepancy(
            id=own,
            firm_id=firm.id,
            case_id=case,
            field=found.field,
            severity=found.severity,
            conflicting=[{"value": value, "source": source} for value, source in found.values],
            status=found.status,
            decided_via=PANEL if decided else "",
            found_at=at,
        )
    )
    await session.flush()
    if decided is None:
        return
    session.add(
        DiscrepancyResolution(
            id=seed_id(own, "decision"),
            firm_id=firm.id,
            case_id=case,
            discrepancy_id=own,
            type=decided[0],
            rationale=decided[1],
            officer_id=firm.one(Role.MLRO),
            via=PANEL,
            at=at + timedelta(hours=1),
        )
    )
    _event(session, firm, case, "discrepancy_decided", "discrepancy", own, PANEL, at + timedelta(hours=1), decided[0])


def _note(session: AsyncSession, firm: SeedFirm, case: UUID, body: str, at: datetime) -> None:
    own = seed_id(case, "note", body)
    officer = firm.one(Role.OFFICER)
    session.add(CaseNote(id=own, firm_id=firm.id, case_id=case, author_id=officer, body=body, via=PAGE, at=at))
    _event(session, firm, case, "note_added", "case_note", own, PAGE, at)


def _plant_facts(session: AsyncSession, firm: SeedFirm, now: datetime) -> None:
    for place, fact in enumerate(FACTS[firm.key]):
        own, at = seed_id(firm.key, "fact", place), now - timedelta(days=5 - place)
        officer = firm.one(Role.OFFICER)
        session.add(Memory(id=own, firm_id=firm.id, case_id=None, author_id=officer, fact=fact, via=PAGE, at=at))
        _event(session, firm, None, "fact_remembered", "memory", own, PAGE, at)


def _event(
    session: AsyncSession,
    firm: SeedFirm,
    case: UUID | None,
    kind: str,
    subject_kind: str,
    subject: UUID,
    via: str,
    at: datetime,
    resolution: str = "",
) -> None:
    role = Role.MLRO if via == PANEL else Role.OFFICER
    session.add(
        SignalEvent(
            firm_id=firm.id,
            case_id=case,
            kind=kind,
            subject_kind=subject_kind,
            subject_id=subject,
            actor_id=firm.one(role),
            actor_name=next(one.name for one in firm.people if one.role is role),
            via=via,
            details={"fields": [], **({"resolution": resolution} if resolution else {})},
            at=at,
        )
    )
