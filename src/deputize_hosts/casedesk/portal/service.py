"""What a customer may see: their own application and what they were asked to send. Every column is named here.

No function of this file loads a whole row: risk, screening, discrepancies, notes and memories stay out because
nothing here selects them (no tipping-off). Another customer's application answers exactly as one that never was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.casedesk.caller import Caller, require
from deputize_hosts.casedesk.cases.models import Case, CaseStatus
from deputize_hosts.casedesk.errors import NotFound
from deputize_hosts.casedesk.knowledge import service as knowledge
from deputize_hosts.casedesk.onboarding.models import DocumentRequest
from deputize_hosts.kit.errors import language_of

READ = "portal.case.read"
STAGES = {
    CaseStatus.OPEN.value: "received",
    CaseStatus.IN_REVIEW.value: "in_progress",
    CaseStatus.APPROVED.value: "completed",
    CaseStatus.REJECTED.value: "closed",
}
"""The words in which a customer hears of a status; why it is so is never among them."""


@dataclass(frozen=True, slots=True)
class Application:
    """A customer's own case as they know it."""

    id: UUID
    reference: str
    company: str
    stage: str


@dataclass(frozen=True, slots=True)
class Document:
    """Something that they were asked to send."""

    document: str
    requested_at: datetime
    received: bool


@dataclass(frozen=True, slots=True)
class Guidance:
    """A text for customers, in their language."""

    title: str
    body: str


async def applications(session: AsyncSession, actor: Caller) -> tuple[Application, ...]:
    """The customer's own applications."""
    firm = require(actor, READ)
    query = (
        select(Case.id, Case.reference, Case.company_name, Case.status)
        .where(Case.firm_id == firm, Case.customer_id == UUID(actor.id))
        .order_by(Case.reference)
    )
    rows = await session.execute(query)
    return tuple(Application(own, reference, company, STAGES[status]) for own, reference, company, status in rows)


async def application(session: AsyncSession, actor: Caller, reference: str = "") -> Application:
    """The one with this reference, or the only one. Raises NotFound, for another's too."""
    own = await applications(session, actor)
    wanted = reference.strip().upper()
    found = [one for one in own if not wanted or one.reference == wanted]
    if len(found) != 1:
        raise NotFound(actor)
    return found[0]


async def documents(session: AsyncSession, actor: Caller, reference: str = "") -> Sequence[Document]:
    """What was asked for in the customer's own application. Raises NotFound."""
    firm = require(actor, READ)
    own = await application(session, actor, reference)
    query = (
        select(DocumentRequest.document, DocumentRequest.requested_at, DocumentRequest.received_at)
        .where(DocumentRequest.firm_id == firm, DocumentRequest.case_id == own.id)
        .order_by(DocumentRequest.requested_at, DocumentRequest.document)
    )
    return [Document(kind, asked, came is not None) for kind, asked, came in await session.execute(query)]


def guidance(actor: Caller, query: str = "") -> tuple[Guidance, ...]:
    """The texts for customers that fit the words."""
    spoken = language_of(actor)
    return tuple(Guidance(one.title[spoken], one.body[spoken]) for one in knowledge.search(actor, "guide", query))
