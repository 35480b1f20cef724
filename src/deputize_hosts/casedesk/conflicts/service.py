"""Discrepancies: reading them, raising them, and the two ways of deciding: the Conflicts panel and the copilot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.casedesk.auth.models import User
from deputize_hosts.casedesk.auth.service import named_officer
from deputize_hosts.casedesk.caller import Caller, require
from deputize_hosts.casedesk.cases.models import Case, CaseStatus
from deputize_hosts.casedesk.conflicts.fields import called
from deputize_hosts.casedesk.conflicts.models import (
    SCRUTINY,
    Discrepancy,
    DiscrepancyResolution,
    DiscrepancyStatus,
    Resolution,
)
from deputize_hosts.casedesk.errors import (
    AlreadyDecided,
    CaseDeskError,
    ConflictsPanelOnly,
    InvalidValue,
    NotConfirmed,
    NotFound,
)
from deputize_hosts.casedesk.gate import service as gate
from deputize_hosts.casedesk.trail.service import PANEL, Changed, Via, by_copilot, record

READ = "discrepancies.read"
RESOLVE = "discrepancies.resolve"
CLEAR = "conflicts.clear"
SEVERITIES = ("low", "medium", "high", "critical")
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Examined:
    """What the gate is asked about: a case's discrepancies, as locked or read now."""

    discrepancies: Sequence[Discrepancy]


def panel_of(discrepancy: Discrepancy) -> str:
    """Where an officer decides about it."""
    return f"/cases/{discrepancy.case_id}/conflicts#d-{discrepancy.id}"


def name_of(actor: Caller, discrepancy: Discrepancy) -> str:
    """What the field in question is called in the caller's language."""
    return called(discrepancy.field, actor.locale)


def feeds_gate(discrepancy: Discrepancy) -> bool:
    """The gate's own word, asked anew each time."""
    return gate.is_ubo_identity_discrepancy(discrepancy)


def open_to_copilot(discrepancy: Discrepancy) -> tuple[str, ...]:
    """What the copilot may decide about it: scrutiny can always be added, and only that where the gate is fed."""
    if feeds_gate(discrepancy) or discrepancy.status == DiscrepancyStatus.RESOLVED:
        return (Resolution.ESCALATED.value,)
    return tuple(kind.value for kind in Resolution)


async def of_case(session: AsyncSession, actor: Caller, case_id: UUID) -> Sequence[Discrepancy]:
    """A case's discrepancies, the oldest first. Raises NotFound."""
    firm = require(actor, READ)
    if await session.scalar(select(Case.id).where(Case.firm_id == firm, Case.id == case_id)) is None:
        raise NotFound(actor)
    query = select(Discrepancy).where(Discrepancy.firm_id == firm, Discrepancy.case_id == case_id)
    return (await session.scalars(query.order_by(Discrepancy.found_at, Discrepancy.id))).all()


async def get(session: AsyncSession, actor: Caller, discrepancy_id: UUID) -> Discrepancy:
    """One discrepancy of the firm. Raises NotFound, also for another firm's."""
    return await _one(session, actor, require(actor, READ), discrepancy_id)


async def resolutions_of(session: AsyncSession, actor: Caller, case_id: UUID) -> Sequence[DiscrepancyResolution]:
    """Every decision in the case, the oldest first."""
    firm = require(actor, READ)
    query = select(DiscrepancyResolution).where(
        DiscrepancyResolution.firm_id == firm, DiscrepancyResolution.case_id == case_id
    )
    return (await session.scalars(query.order_by(DiscrepancyResolution.at, DiscrepancyResolution.id))).all()


async def officers_of(
    session: AsyncSession, actor: Caller, decisions: Sequence[DiscrepancyResolution]
) -> dict[UUID, str]:
    """The names of those who decided."""
    firm = require(actor, READ)
    wanted = {one.officer_id for one in decisions}
    rows = await session.execute(select(User.id, User.name).where(User.firm_id == firm, User.id.in_(wanted)))
    return {own: name for own, name in rows}


async def verdict(session: AsyncSession, actor: Caller, case_id: UUID) -> gate.Verdict:
    """What the gate says about the case now."""
    return gate.evaluate(Examined(await of_case(session, actor, case_id)))


async def refusal_to_copilot(
    session: AsyncSession, actor: Caller, discrepancy_id: UUID, resolution: str
) -> CaseDeskError | None:
    """Why the copilot may not decide this, or None: the guard's question, answered by the gate's own predicate."""
    try:
        await named_officer(session, actor)
        found = await get(session, actor, discrepancy_id)
        _allowed_to_copilot(actor, found, resolution)
    except CaseDeskError as error:
        return error
    return None


async def resolve_by_copilot(
    session: AsyncSession, actor: Caller, discrepancy_id: UUID, resolution: str, rationale: str, *, call: str = ""
) -> Discrepancy:
    """A decision that somebody asked the copilot for. Never clears what feeds the gate, guard or no guard.

    Raises NotFound, NoNamedOfficer, ConflictsPanelOnly, AlreadyDecided, InvalidValue.
    """
    firm = require(actor, RESOLVE)
    kind = _kind(actor, resolution)
    found = await _one(session, actor, firm, discrepancy_id, lock=True)
    _allowed_to_copilot(actor, found, kind)
    return await _decide(session, actor, found, kind, rationale, by_copilot("resolve_discrepancy", call))


async def clear(
    session: AsyncSession, actor: Caller, discrepancy_id: UUID, resolution: str, rationale: str, *, confirmed: bool
) -> Discrepancy:
    """The Conflicts panel: the one way in which anything that feeds the gate is closed.

    Raises NotConfirmed without the explicit confirmation, NoNamedOfficer, NotFound, AlreadyDecided, InvalidValue.
    """
    firm = require(actor, CLEAR)
    kind = _kind(actor, resolution)
    if not confirmed:
        raise NotConfirmed(actor)
    found = await _one(session, actor, firm, discrepancy_id, lock=True)
    if found.status == DiscrepancyStatus.RESOLVED and gate.is_closed(found) and kind not in SCRUTINY:
        raise AlreadyDecided(actor, alternatives={"allowed": [Resolution.ESCALATED.value]})
    return await _decide(session, actor, found, kind, rationale, Via(PANEL, "conflicts_panel"))


async def regrade(session: AsyncSession, actor: Caller, discrepancy_id: UUID, severity: str) -> Discrepancy:
    """Raise or lower how much it matters. Nothing is lowered out of the gate: that would clear it.

    Raises NotFound, InvalidValue, ConflictsPanelOnly.
    """
    firm = require(actor, CLEAR)
    if severity not in SEVERITIES:
        raise InvalidValue(actor, "severity", "is not known", "no se conoce")
    found = await _one(session, actor, firm, discrepancy_id, lock=True)
    fed, before = feeds_gate(found), found.severity
    found.severity = severity
    if fed and not feeds_gate(found) and not gate.is_closed(found):
        found.severity = before
        raise ConflictsPanelOnly(actor, panel=panel_of(found))
    found.revision += 1
    facts = {"before": before, "after": severity}
    await record(session, actor, _changed("discrepancy_regraded", found, ("severity",), facts), Via(PANEL))
    return found


def _allowed_to_copilot(actor: Caller, found: Discrepancy, resolution: str) -> None:
    if resolution == Resolution.ESCALATED:
        return
    if feeds_gate(found):
        panel = panel_of(found)
        allowed = {"allowed": [Resolution.ESCALATED.value], "panel": panel}
        raise ConflictsPanelOnly(actor, panel=panel, alternatives=allowed)
    if found.status == DiscrepancyStatus.RESOLVED:
        raise AlreadyDecided(actor, alternatives={"allowed": [Resolution.ESCALATED.value]})


def _kind(actor: Caller, resolution: str) -> Resolution:
    try:
        return Resolution(resolution)
    except ValueError:
        allowed = {"allowed": [kind.value for kind in Resolution]}
        raise InvalidValue(actor, "resolution", "is not known", "no se conoce", alternatives=allowed) from None


async def _one(
    session: AsyncSession, actor: Caller, firm: UUID, discrepancy_id: UUID, lock: bool = False
) -> Discrepancy:
    query = select(Discrepancy).where(Discrepancy.firm_id == firm, Discrepancy.id == discrepancy_id)
    if lock:
        query = query.with_for_update()
    found = await session.scalar(query.execution_options(populate_existing=True))
    if found is None:
        raise NotFound(actor)
    return found


async def _decide(
    session: AsyncSession, actor: Caller, found: Discrepancy, kind: Resolution, rationale: str, via: Via
) -> Discrepancy:
    """Append the decision, move the discrepancy, reopen an approved case under new scrutiny, record it all."""
    why = rationale.strip()
    if not why or len(why) > LONGEST:
        raise InvalidValue(actor, "rationale", "a reason of 1 to 2,000 characters is needed", "hace falta un motivo")
    officer = await named_officer(session, actor)
    made = DiscrepancyResolution(
        id=uuid4(),
        firm_id=found.firm_id,
        case_id=found.case_id,
        discrepancy_id=found.id,
        type=kind.value,
        rationale=why,
        officer_id=officer.id,
        via=via.way,
    )
    session.add(made)
    found.status = kind.value if kind in SCRUTINY else DiscrepancyStatus.RESOLVED.value
    found.decided_via = via.way
    found.revision += 1
    facts = {"resolution": kind.value, "resolution_id": str(made.id), "feeds_gate": feeds_gate(found)}
    if kind in SCRUTINY and feeds_gate(found):
        await _reopen(session, found)
    await session.flush()
    await record(session, actor, _changed("discrepancy_decided", found, ("status",), facts), via)
    return found


async def _reopen(session: AsyncSession, found: Discrepancy) -> None:
    """An approved case under new scrutiny goes back to review: the gate holds for it again."""
    case = await session.scalar(select(Case).where(Case.id == found.case_id, Case.firm_id == found.firm_id))
    if case is not None and case.status == CaseStatus.APPROVED:
        case.status = CaseStatus.IN_REVIEW


def _changed(kind: str, found: Discrepancy, fields: tuple[str, ...], facts: Mapping[str, Any]) -> Changed:
    return Changed(kind, "discrepancy", found.id, found.case_id, (found.field, *fields), facts)


__all__ = [
    "Discrepancy",
    "DiscrepancyResolution",
    "Examined",
    "Resolution",
    "clear",
    "feeds_gate",
    "get",
    "of_case",
    "officers_of",
    "open_to_copilot",
    "panel_of",
    "refusal_to_copilot",
    "regrade",
    "resolutions_of",
    "resolve_by_copilot",
    "verdict",
]
