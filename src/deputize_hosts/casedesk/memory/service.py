"""Remembering facts and finding them again; the store itself refuses what would silence a finding."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.casedesk.caller import Caller, require
from deputize_hosts.casedesk.cases import service as cases
from deputize_hosts.casedesk.errors import CaseDeskError, InvalidValue, SuppressesFinding
from deputize_hosts.casedesk.memory.models import Memory
from deputize_hosts.casedesk.memory.suppression import suppresses
from deputize_hosts.casedesk.trail.service import PAGE, Changed, Via, by_copilot, record

READ = "memory.read"
WRITE = "memory.write"
LONGEST = 1000


async def search(
    session: AsyncSession, actor: Caller, query: str = "", *, case_id: UUID | None = None, limit: int = 50
) -> Sequence[Memory]:
    """Facts that hold every word, newest first."""
    firm = require(actor, READ)
    wanted: list[ColumnElement[bool]] = [Memory.firm_id == firm]
    if case_id is not None:
        wanted.append(Memory.case_id == case_id)
    wanted += [Memory.fact.icontains(word, autoescape=True) for word in query.split()]
    rows = await session.scalars(select(Memory).where(*wanted).order_by(Memory.at.desc(), Memory.id).limit(limit))
    return rows.all()


def refusal(actor: Caller, fact: str) -> CaseDeskError | None:
    """Why the store will not keep this, or None."""
    return SuppressesFinding(actor) if suppresses(fact) else None


async def remember(
    session: AsyncSession, actor: Caller, fact: str, case_id: UUID | None = None, *, call: str | None = None
) -> Memory:
    """Keep a fact; `call` says that the copilot was asked to. Raises SuppressesFinding, InvalidValue, NotFound."""
    firm = require(actor, WRITE)
    text = fact.strip()
    if not text or len(text) > LONGEST:
        raise InvalidValue(actor, "fact", "1 to 1,000 characters are needed", "hacen falta de 1 a 1.000 caracteres")
    no = refusal(actor, text)
    if no is not None:
        raise no
    if case_id is not None:
        await cases.get(session, actor, case_id)
    via = Via(PAGE) if call is None else by_copilot("remember_this", call)
    kept = Memory(id=uuid4(), firm_id=firm, case_id=case_id, author_id=UUID(actor.id), fact=text, via=via.way)
    session.add(kept)
    await session.flush()
    await record(session, actor, Changed("fact_remembered", "memory", kept.id, case_id, ("fact",)), via)
    return kept


__all__ = ["Memory", "refusal", "remember", "search"]
