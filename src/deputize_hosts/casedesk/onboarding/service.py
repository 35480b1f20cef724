"""Opening a case, asking for documents, and the checklist of what is still missing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.casedesk.caller import Caller, require
from deputize_hosts.casedesk.cases import service as cases
from deputize_hosts.casedesk.cases.models import Case, CaseStatus
from deputize_hosts.casedesk.errors import DuplicateCase, InvalidValue, NotFound
from deputize_hosts.casedesk.onboarding.models import DOCUMENTS, DocumentRequest
from deputize_hosts.casedesk.trail.service import PAGE, Changed, Via, record

READ = "onboarding.read"
WRITE = "onboarding.write"


@dataclass(frozen=True, slots=True)
class Checklist:
    """What was asked for, and the kinds of document that nobody has asked for yet."""

    case: Case
    requests: tuple[DocumentRequest, ...]
    not_asked: tuple[str, ...]

    @property
    def missing(self) -> tuple[DocumentRequest, ...]:
        """Asked for and not there."""
        return tuple(one for one in self.requests if one.received_at is None)


async def checklist(session: AsyncSession, actor: Caller, case_id: UUID) -> Checklist:
    """The state of a case's documents. Raises NotFound."""
    firm = require(actor, READ)
    case = await cases.get(session, actor, case_id)
    rows = await _requests(session, firm, case.id)
    asked = {row.document for row in rows}
    return Checklist(case, tuple(rows), tuple(kind for kind in DOCUMENTS if kind not in asked))


async def waiting(session: AsyncSession, actor: Caller) -> tuple[Checklist, ...]:
    """The checklists of all open cases, the newest first."""
    firm = require(actor, READ, "cases.read")
    query = select(Case).where(Case.firm_id == firm, Case.status == CaseStatus.OPEN).order_by(Case.reference.desc())
    found = (await session.scalars(query)).all()
    return tuple([await checklist(session, actor, case.id) for case in found])


async def open_case(
    session: AsyncSession, actor: Caller, *, company: str, registration: str, country: str, now: datetime
) -> Case:
    """A new open case with the usual three documents asked for. Raises InvalidValue, DuplicateCase."""
    firm = require(actor, WRITE)
    name, number, land = " ".join(company.split()), "".join(registration.split()).upper(), country.strip().upper()
    if not 2 <= len(name) <= 160:
        raise InvalidValue(actor, "company", "2 to 160 characters are needed", "hacen falta de 2 a 160 caracteres")
    if not re.fullmatch(r"[A-Z0-9./-]{3,40}", number):
        raise InvalidValue(actor, "registration", "is not a registration number", "no es un número de registro")
    if not re.fullmatch(r"[A-Z]{2}", land):
        raise InvalidValue(actor, "country", "is a two-letter code", "es un código de dos letras")
    same = select(Case.id).where(Case.firm_id == firm, Case.country == land, Case.registration_number == number)
    if await session.scalar(same) is not None:
        raise DuplicateCase(actor)
    newest = await session.scalar(
        select(func.max(Case.reference)).where(Case.firm_id == firm, Case.reference.like(f"KYB-{now.year}-%"))
    )
    serial = int(newest.rpartition("-")[2]) + 1 if newest else 1
    case = Case(
        id=uuid4(),
        firm_id=firm,
        reference=f"KYB-{now.year}-{serial:04d}",
        company_name=name,
        registration_number=number,
        country=land,
        officer_id=UUID(actor.id),
    )
    session.add(case)
    await session.flush()
    session.add_all(
        DocumentRequest(firm_id=firm, case_id=case.id, document=kind, requested_at=now) for kind in DOCUMENTS[:3]
    )
    fields = ("company_name", "registration_number", "country")
    await record(session, actor, Changed("case_opened", "case", case.id, case.id, fields), Via(PAGE))
    return case


async def request_document(
    session: AsyncSession, actor: Caller, case_id: UUID, document: str, now: datetime
) -> DocumentRequest:
    """Ask for one more kind of document. Raises NotFound, InvalidValue."""
    firm = require(actor, WRITE)
    state = await checklist(session, actor, case_id)
    if document not in state.not_asked:
        raise InvalidValue(actor, "document", "is not known or asked for already", "no se conoce o ya se ha pedido")
    asked = DocumentRequest(id=uuid4(), firm_id=firm, case_id=case_id, document=document, requested_at=now)
    session.add(asked)
    await session.flush()
    facts = {"document": document}
    changed = Changed("document_requested", "document_request", asked.id, case_id, ("document",), facts)
    await record(session, actor, changed, Via(PAGE))
    return asked


async def receive_document(
    session: AsyncSession, actor: Caller, case_id: UUID, request_id: UUID, now: datetime
) -> DocumentRequest:
    """Tick a document off. Raises NotFound."""
    firm = require(actor, WRITE)
    query = select(DocumentRequest).where(
        DocumentRequest.firm_id == firm, DocumentRequest.case_id == case_id, DocumentRequest.id == request_id
    )
    found = await session.scalar(query.with_for_update())
    if found is None:
        raise NotFound(actor)
    found.received_at = found.received_at or now
    await session.flush()
    facts = {"document": found.document}
    changed = Changed("document_received", "document_request", found.id, case_id, ("received_at",), facts)
    await record(session, actor, changed, Via(PAGE))
    return found


async def _requests(session: AsyncSession, firm: UUID, case_id: UUID) -> Sequence[DocumentRequest]:
    query = select(DocumentRequest).where(DocumentRequest.firm_id == firm, DocumentRequest.case_id == case_id)
    return (await session.scalars(query.order_by(DocumentRequest.requested_at, DocumentRequest.document))).all()
