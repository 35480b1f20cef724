"""The one way to record a change: a SignalEvent in the caller's transaction and an entry of the chain beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize import Actor, note
from deputize_hosts.casedesk.auth.models import User
from deputize_hosts.casedesk.caller import Caller, require
from deputize_hosts.casedesk.errors import NotFound
from deputize_hosts.casedesk.trail.models import SignalEvent

COPILOT = "copilot"
PAGE = "page"
PANEL = "conflicts_panel"


@dataclass(frozen=True, slots=True)
class Via:
    """By which way a change comes: a page, the Conflicts panel, or the copilot with its tool and call."""

    way: str = PAGE
    tool: str = ""
    call: str = ""


@dataclass(frozen=True, slots=True)
class Changed:
    """What was changed: the record, its case if it has one, fields by name, and plain facts about it."""

    kind: str
    subject_kind: str
    subject_id: UUID
    case_id: UUID | None = None
    fields: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


def by_copilot(tool: str, call: str) -> Via:
    """The copilot's way."""
    return Via(COPILOT, tool, call)


async def record(session: AsyncSession, actor: Caller, changed: Changed, via: Via) -> SignalEvent:
    """Append the provenance of one change; every service that changes something ends with it.

    The entry of the chain is `copilot_action` under the copilot and `officer_action` otherwise, and names the
    SignalEvent by its id (ADR-0116, 3). Raises NotFound for an actor whom the firm does not know.
    """
    who = await session.scalar(select(User).where(User.id == UUID(actor.id), User.firm_id == UUID(actor.tenant)))
    if who is None:
        raise NotFound(actor)
    event = SignalEvent(
        id=uuid4(),
        firm_id=who.firm_id,
        case_id=changed.case_id,
        kind=changed.kind,
        subject_kind=changed.subject_kind,
        subject_id=changed.subject_id,
        actor_id=who.id,
        actor_name=who.name,
        via=via.way,
        call=via.call,
        details={"fields": list(changed.fields), **changed.facts},
    )
    session.add(event)
    await session.flush()
    details = {
        "tool": via.tool or changed.kind,
        "change": changed.kind,
        "fields": list(changed.fields),
        "officer": actor.id,
        "via": via.way,
        "signal": str(event.id),
        "record": f"{changed.subject_kind}:{changed.subject_id}",
        **({"call": via.call} if via.call else {}),
        **changed.facts,
    }
    kind = "copilot_action" if via.way == COPILOT else "officer_action"
    note(session, Actor(actor.id, actor.tenant), kind, subject=changed.case_id or changed.subject_id, details=details)
    return event


async def of_case(session: AsyncSession, actor: Caller, case_id: UUID, limit: int = 200) -> Sequence[SignalEvent]:
    """The case's provenance, newest first."""
    firm = require(actor, "cases.read")
    query = select(SignalEvent).where(SignalEvent.firm_id == firm, SignalEvent.case_id == case_id)
    return (await session.scalars(query.order_by(SignalEvent.at.desc(), SignalEvent.id).limit(limit))).all()
