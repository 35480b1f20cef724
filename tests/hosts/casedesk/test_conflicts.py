"""The Conflicts panel: the one clearing path, and the case that can be approved only behind it."""

import json
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.store import audit_read
from deputize_hosts.casedesk.auth.service import Member
from deputize_hosts.casedesk.cases import service as cases
from deputize_hosts.casedesk.conflicts import service
from deputize_hosts.casedesk.errors import (
    AlreadyDecided,
    ConflictsPanelOnly,
    GateBlocked,
    IllegalMove,
    InvalidValue,
    NoNamedOfficer,
    NotAllowed,
    NotConfirmed,
    NotFound,
)
from deputize_hosts.casedesk.trail.models import SignalEvent
from tests.hosts.casedesk.people import (
    ADMIN,
    ANALYST,
    AUDITOR,
    CALDER,
    CUSTOMER,
    HALCYON,
    NORDWIND,
    NORDWIND_BIRTH,
    NORDWIND_PHONE,
    OLIVARES_NAME,
    finding,
    member,
    of,
)

WHY = "The passport was seen; the declaration has day and month swapped."


async def test_a_case_is_approved_only_once_the_panel_has_cleared_it(
    session: AsyncSession, mlro: Member, officer: Member
) -> None:
    with pytest.raises(GateBlocked) as shut:
        await cases.move(session, mlro, NORDWIND, "approved")
    assert shut.value.alternatives["blocking"] == [str(NORDWIND_BIRTH)]
    await service.clear(session, officer, NORDWIND_BIRTH, "corrected", WHY, confirmed=True)
    assert (await cases.move(session, mlro, NORDWIND, "approved")).status == "approved"


@pytest.mark.parametrize("kind", ["escalated", "reported"])
async def test_scrutiny_is_no_clearing(session: AsyncSession, mlro: Member, officer: Member, kind: str) -> None:
    await service.clear(session, officer, NORDWIND_BIRTH, kind, WHY, confirmed=True)
    with pytest.raises(GateBlocked):
        await cases.move(session, mlro, NORDWIND, "approved")


async def test_new_scrutiny_takes_an_approval_back(session: AsyncSession, officer: Member) -> None:
    """A finding that is raised again reopens the case: nothing stays approved behind a shut gate."""
    await service.clear(session, officer, finding(HALCYON, "ubo.ownership"), "escalated", WHY, confirmed=True)
    assert (await cases.get(session, officer, HALCYON)).status == "in_review"


async def test_the_panel_wants_confirmation_reason_kind_and_name(session: AsyncSession, officer: Member) -> None:
    with pytest.raises(NotConfirmed):
        await service.clear(session, officer, NORDWIND_BIRTH, "corrected", WHY, confirmed=False)
    for why in ("", "  \n", "x" * 2001):
        with pytest.raises(InvalidValue, match="rationale"):
            await service.clear(session, officer, NORDWIND_BIRTH, "corrected", why, confirmed=True)
    for kind in ("", "approved", "Corrected"):
        with pytest.raises(InvalidValue, match="resolution"):
            await service.clear(session, officer, NORDWIND_BIRTH, kind, WHY, confirmed=True)
    await session.execute(text("UPDATE users SET name = '' WHERE email = 'officer@harbour.example'"))
    with pytest.raises(NoNamedOfficer):
        await service.clear(session, officer, NORDWIND_BIRTH, "corrected", WHY, confirmed=True)
    assert (await of(session, NORDWIND_BIRTH)).status == "open"


@pytest.mark.parametrize("who", [ANALYST, AUDITOR, CUSTOMER])
async def test_others_clear_nothing(session: AsyncSession, who: str) -> None:
    actor = await member(session, who)
    with pytest.raises(NotAllowed):
        await service.clear(session, actor, NORDWIND_BIRTH, "corrected", WHY, confirmed=True)
    with pytest.raises(NotAllowed):
        await service.resolve_by_copilot(session, actor, NORDWIND_PHONE, "corrected", WHY)


async def test_another_firms_discrepancy_is_not_there(session: AsyncSession, officer: Member, other: Member) -> None:
    for discrepancy, actor in ((OLIVARES_NAME, officer), (NORDWIND_BIRTH, other)):
        with pytest.raises(NotFound):
            await service.get(session, actor, discrepancy)
        with pytest.raises(NotFound):
            await service.clear(session, actor, discrepancy, "corrected", WHY, confirmed=True)
        with pytest.raises(NotFound):
            await service.resolve_by_copilot(session, actor, discrepancy, "escalated", WHY)


async def test_the_service_itself_refuses_chat_without_any_guard(session: AsyncSession, mlro: Member) -> None:
    """TOOL-3: the invariant lives in the service, so that no tool can skip it."""
    for kind in ("accepted_source", "corrected", "false_positive", "reported"):
        with pytest.raises(ConflictsPanelOnly):
            await service.resolve_by_copilot(session, mlro, NORDWIND_BIRTH, kind, WHY)
    found = await service.resolve_by_copilot(session, mlro, NORDWIND_BIRTH, "escalated", WHY)
    assert (found.status, found.decided_via) == ("escalated", "copilot")


async def test_what_is_closed_is_only_raised_again(session: AsyncSession, officer: Member) -> None:
    closed = finding(CALDER, "ubo.name")
    with pytest.raises(AlreadyDecided):
        await service.clear(session, officer, closed, "corrected", WHY, confirmed=True)
    await service.resolve_by_copilot(session, officer, NORDWIND_PHONE, "corrected", WHY)
    with pytest.raises(AlreadyDecided):
        await service.resolve_by_copilot(session, officer, NORDWIND_PHONE, "false_positive", WHY)
    assert (await service.resolve_by_copilot(session, officer, NORDWIND_PHONE, "escalated", WHY)).status == "escalated"


async def test_severity_is_raised_freely_and_never_lowered_out_of_the_gate(
    session: AsyncSession, officer: Member
) -> None:
    await service.resolve_by_copilot(session, officer, NORDWIND_PHONE, "corrected", WHY)
    await service.regrade(session, officer, NORDWIND_PHONE, "critical")
    assert NORDWIND_PHONE in (await service.verdict(session, officer, NORDWIND)).blocking
    with pytest.raises(ConflictsPanelOnly):
        await service.regrade(session, officer, NORDWIND_PHONE, "low")
    assert (await of(session, NORDWIND_PHONE)).severity == "critical"
    with pytest.raises(InvalidValue):
        await service.regrade(session, officer, NORDWIND_PHONE, "fatal")


async def test_illegal_moves_are_refused(session: AsyncSession, mlro: Member, officer: Member) -> None:
    with pytest.raises(NotAllowed):
        await cases.move(session, officer, NORDWIND, "approved")
    for status in ("open ", "paid", "in_review"):
        with pytest.raises((IllegalMove, NotAllowed)):
            await cases.move(session, mlro, NORDWIND, status)


async def test_a_decision_is_in_the_chain_and_in_the_provenance(casedesk: AsyncEngine) -> None:
    """AUD-3: the panel's clearing is audited in the same transaction, joinable by the event's id."""
    async with AsyncSession(casedesk, expire_on_commit=False) as session, session.begin():
        admin = await member(session, ADMIN)
        await service.clear(session, admin, NORDWIND_BIRTH, "corrected", WHY, confirmed=True)
    async with casedesk.connect() as conn:
        (entry,), total = await audit_read.entries(conn, admin.tenant)
    assert (total, entry.kind, entry.actor) == (1, "officer_action", admin.id)
    assert entry.payload is not None
    said = entry.payload["details"]
    assert (said["via"], said["resolution"], entry.payload["subject"]) == (
        "conflicts_panel",
        "corrected",
        str(NORDWIND),
    )
    assert WHY not in json.dumps(entry.payload)
    async with AsyncSession(casedesk) as session:
        event = await session.get(SignalEvent, UUID(said["signal"]))
    assert event is not None
    assert (event.kind, event.via, event.actor_name) == ("discrepancy_decided", "conflicts_panel", "Sam Whitlock")


@pytest.mark.parametrize("table", ["signal_events", "discrepancy_resolutions"])
@pytest.mark.parametrize("deed", ["UPDATE {} SET via = 'nobody'", "DELETE FROM {}"])
async def test_what_is_appended_stays(casedesk: AsyncEngine, table: str, deed: str) -> None:
    """The database itself refuses: provenance cannot be suppressed afterwards."""
    async with casedesk.connect() as conn:
        with pytest.raises(DBAPIError, match="append-only"):
            await conn.execute(text(deed.format(table)))
