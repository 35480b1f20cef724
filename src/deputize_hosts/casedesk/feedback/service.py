"""Saying what one thinks of a finding; the finding stays what it is."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.casedesk.caller import Caller, require
from deputize_hosts.casedesk.conflicts import service as conflicts
from deputize_hosts.casedesk.errors import InvalidValue
from deputize_hosts.casedesk.feedback.models import FindingFeedback, Opinion
from deputize_hosts.casedesk.trail.service import PAGE, Changed, Via, by_copilot, record

WRITE = "feedback.write"
LONGEST = 1000


async def submit(
    session: AsyncSession,
    actor: Caller,
    discrepancy_id: UUID,
    opinion: str,
    comment: str = "",
    *,
    call: str | None = None,
) -> FindingFeedback:
    """Keep an opinion; `call` says that the copilot was asked to. Raises NotFound, InvalidValue."""
    firm = require(actor, WRITE)
    found = await conflicts.get(session, actor, discrepancy_id)
    text = comment.strip()
    if opinion not in set(Opinion) or len(text) > LONGEST:
        raise InvalidValue(actor, "opinion", "is not known, or the comment is too long", "no se conoce")
    via = Via(PAGE) if call is None else by_copilot("submit_finding_feedback", call)
    kept = FindingFeedback(
        id=uuid4(),
        firm_id=firm,
        discrepancy_id=found.id,
        author_id=UUID(actor.id),
        opinion=opinion,
        comment=text,
        via=via.way,
    )
    session.add(kept)
    await session.flush()
    facts = {"opinion": opinion, "discrepancy": str(found.id)}
    changed = Changed("feedback_given", "finding_feedback", kept.id, found.case_id, ("opinion", "comment"), facts)
    await record(session, actor, changed, via)
    return kept


async def of_finding(session: AsyncSession, actor: Caller, discrepancy_id: UUID) -> Sequence[FindingFeedback]:
    """Every opinion on one discrepancy. Raises NotFound."""
    firm = require(actor, "discrepancies.read")
    await conflicts.get(session, actor, discrepancy_id)
    query = select(FindingFeedback).where(
        FindingFeedback.firm_id == firm, FindingFeedback.discrepancy_id == discrepancy_id
    )
    return (await session.scalars(query.order_by(FindingFeedback.at, FindingFeedback.id))).all()
