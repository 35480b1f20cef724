"""Finding and reading cases, writing notes, and deciding about a case, which the approval gate has a word in."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.casedesk.auth.models import User
from deputize_hosts.casedesk.auth.service import named_officer
from deputize_hosts.casedesk.caller import Caller, require
from deputize_hosts.casedesk.cases.models import MOVES, Case, CaseNote, CasePerson, CaseStatus, Evidence
from deputize_hosts.casedesk.conflicts.models import Discrepancy
from deputize_hosts.casedesk.conflicts.service import Examined
from deputize_hosts.casedesk.errors import GateBlocked, IllegalMove, InvalidValue, NotFound
from deputize_hosts.casedesk.gate import service as gate
from deputize_hosts.casedesk.trail.service import PAGE, Changed, Via, by_copilot, record

READ = "cases.read"
NOTE = "notes.write"
LONGEST_NOTE = 4000


@dataclass(frozen=True, slots=True)
class Found:
    """One page of a search and how many there are in all."""

    items: tuple[Case, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Portfolio:
    """The firm's cases in figures; `blocked` counts cases in review whose gate is shut."""

    by_status: dict[str, int]
    by_risk: dict[str, int]
    open_discrepancies: int
    feeding_gate: int
    blocked: int
    waiting: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Noted:
    """A note and who wrote it."""

    note: CaseNote
    author: str


async def search(
    session: AsyncSession, actor: Caller, query: str = "", *, status: str = "", page: int = 1, size: int = 20
) -> Found:
    """Cases whose company, reference or registration number holds every word; empty finds all."""
    firm = require(actor, READ)
    wanted: list[ColumnElement[bool]] = [Case.firm_id == firm]
    if status:
        wanted.append(Case.status == status)
    for word in query.split():
        columns = (Case.company_name, Case.reference, Case.registration_number)
        wanted.append(or_(*(column.icontains(word, autoescape=True) for column in columns)))
    total = await session.scalar(select(func.count()).select_from(Case).where(*wanted)) or 0
    rows = await session.scalars(
        select(Case).where(*wanted).order_by(Case.reference.desc()).offset((page - 1) * size).limit(size)
    )
    return Found(tuple(rows), total)


async def get(session: AsyncSession, actor: Caller, case_id: UUID) -> Case:
    """One case of the firm. Raises NotFound, also for another firm's."""
    return await _one(session, actor, require(actor, READ), case_id)


async def persons_of(session: AsyncSession, actor: Caller, case_id: UUID) -> Sequence[CasePerson]:
    """The persons behind the company, the largest owner first."""
    firm = require(actor, READ)
    query = select(CasePerson).where(CasePerson.firm_id == firm, CasePerson.case_id == case_id)
    return (await session.scalars(query.order_by(CasePerson.ownership.desc().nulls_last(), CasePerson.name))).all()


async def evidence_of(session: AsyncSession, actor: Caller, case_id: UUID) -> Sequence[Evidence]:
    """The documents and extracts of a case. Raises NotFound."""
    firm = require(actor, "evidence.read")
    await _one(session, actor, firm, case_id)
    query = select(Evidence).where(Evidence.firm_id == firm, Evidence.case_id == case_id)
    return (await session.scalars(query.order_by(Evidence.received_at, Evidence.id))).all()


async def evidence(session: AsyncSession, actor: Caller, evidence_id: UUID) -> Evidence:
    """One document. Raises NotFound."""
    firm = require(actor, "evidence.read")
    found = await session.scalar(select(Evidence).where(Evidence.firm_id == firm, Evidence.id == evidence_id))
    if found is None:
        raise NotFound(actor)
    return found


async def notes_of(session: AsyncSession, actor: Caller, case_id: UUID) -> tuple[Noted, ...]:
    """The case's notes, newest first. Raises NotFound."""
    firm = require(actor, READ)
    await _one(session, actor, firm, case_id)
    query = select(CaseNote, User.name).join(User, User.id == CaseNote.author_id)
    rows = await session.execute(
        query.where(CaseNote.firm_id == firm, CaseNote.case_id == case_id).order_by(CaseNote.at.desc(), CaseNote.id)
    )
    return tuple(Noted(note, name) for note, name in rows)


async def officer_name(session: AsyncSession, case: Case) -> str:
    """Who is in charge; empty where nobody is."""
    if case.officer_id is None:
        return ""
    return await session.scalar(select(User.name).where(User.id == case.officer_id)) or ""


async def add_note(
    session: AsyncSession, actor: Caller, case_id: UUID, body: str, *, call: str | None = None
) -> CaseNote:
    """Write a note; `call` says that the copilot did. Raises NotFound, InvalidValue."""
    firm = require(actor, NOTE)
    case = await _one(session, actor, firm, case_id)
    text = body.strip()
    if not text or len(text) > LONGEST_NOTE:
        raise InvalidValue(actor, "body", "1 to 4,000 characters are needed", "hacen falta de 1 a 4.000 caracteres")
    via = Via(PAGE) if call is None else by_copilot("add_case_note", call)
    note = CaseNote(id=uuid4(), firm_id=firm, case_id=case.id, author_id=UUID(actor.id), body=text, via=via.way)
    session.add(note)
    await session.flush()
    await record(session, actor, Changed("note_added", "case_note", note.id, case.id, ("body",)), via)
    return note


async def move(session: AsyncSession, actor: Caller, case_id: UUID, status: str) -> Case:
    """Review, approve or reject; approval asks the gate under lock. There is no tool for this, only the page.

    Raises NotFound, IllegalMove, GateBlocked, NoNamedOfficer.
    """
    final = status in {CaseStatus.APPROVED, CaseStatus.REJECTED}
    firm = require(actor, "cases.decide" if final else "cases.review")
    case = await _one(session, actor, firm, case_id, lock=True)
    allowed = MOVES[CaseStatus(case.status)]
    if status not in allowed:
        raise IllegalMove(
            actor, before=case.status, after=status, alternatives={"allowed": [one.value for one in allowed]}
        )
    officer = await named_officer(session, actor)
    if status == CaseStatus.APPROVED:
        await _pass_gate(session, actor, case)
    before, case.status = case.status, CaseStatus(status).value
    case.officer_id = officer.id
    await session.flush()
    facts = {"before": before, "after": case.status}
    await record(session, actor, Changed("case_moved", "case", case.id, case.id, ("status",), facts), Via(PAGE))
    return case


async def _pass_gate(session: AsyncSession, actor: Caller, case: Case) -> None:
    """The case's discrepancies are locked, so that none changes between the question and the commit."""
    query = select(Discrepancy).where(Discrepancy.firm_id == case.firm_id, Discrepancy.case_id == case.id)
    rows = (await session.scalars(query.with_for_update().execution_options(populate_existing=True))).all()
    said = gate.evaluate(Examined(rows))
    if not said.open:
        blocking = {"blocking": [str(one) for one in said.blocking], "panel": f"/cases/{case.id}/conflicts"}
        raise GateBlocked(actor, count=len(said.blocking), alternatives=blocking)


async def portfolio(session: AsyncSession, actor: Caller) -> Portfolio:
    """The firm's cases in figures, and those in review that wait longest."""
    firm = require(actor, READ, "discrepancies.read")
    cases = (await session.scalars(select(Case).where(Case.firm_id == firm).order_by(Case.created_at, Case.id))).all()
    found = (await session.scalars(select(Discrepancy).where(Discrepancy.firm_id == firm))).all()
    pending = [one for one in found if one.status != "resolved"]
    shut = {one.case_id for one in found if gate.is_ubo_identity_discrepancy(one) and not gate.is_closed(one)}
    review = [case for case in cases if case.status == CaseStatus.IN_REVIEW]
    return Portfolio(
        by_status={status.value: sum(case.status == status for case in cases) for status in CaseStatus},
        by_risk={risk: sum(case.risk_level == risk for case in cases) for risk in ("high", "medium", "low")},
        open_discrepancies=len(pending),
        feeding_gate=sum(gate.is_ubo_identity_discrepancy(one) for one in pending),
        blocked=sum(case.id in shut for case in review),
        waiting=tuple(review[:10]),
    )


async def _one(session: AsyncSession, actor: Caller, firm: UUID, case_id: UUID, lock: bool = False) -> Case:
    query = select(Case).where(Case.firm_id == firm, Case.id == case_id)
    if lock:
        query = query.with_for_update(key_share=True).execution_options(populate_existing=True)
    case = await session.scalar(query)
    if case is None:
        raise NotFound(actor)
    return case


__all__ = [
    "Case",
    "CasePerson",
    "Found",
    "Noted",
    "Portfolio",
    "add_note",
    "evidence",
    "evidence_of",
    "get",
    "move",
    "notes_of",
    "officer_name",
    "persons_of",
    "portfolio",
    "search",
]
