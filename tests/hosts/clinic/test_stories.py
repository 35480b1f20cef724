"""The demonstration data tells stories, and its books add up."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda import service as agenda
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.billing import service as billing
from deputize_hosts.clinic.budget import service as budget
from deputize_hosts.clinic.patient_timeline import service as timeline
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.clinic.payments import reading
from deputize_hosts.clinic.payments.models import Payment
from deputize_hosts.clinic.recalls import service as recalls
from tests.hosts.clinic.ledger import faults
from tests.hosts.clinic.people import NOW, TODAY, maria

pytestmark = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)


async def named(session: AsyncSession, actor: Member, name: str) -> patients.Patient:
    found = await patients.search(session, actor, name)
    assert found.total == 1, name
    return found.items[0]


async def test_the_seeded_books_add_up(session: AsyncSession) -> None:
    assert await faults(session) == []
    assert (await session.scalar(select(func.count()).select_from(Payment)) or 0) > 40


async def test_an_unpaid_invoice(session: AsyncSession, admin: Member) -> None:
    debtor = await named(session, admin, "Ramón Castillo Gil")
    late = await billing.search(session, admin, patient_id=debtor.id, overdue_on=TODAY)
    assert [one.invoice.status for one in late.items] == ["partial"]
    assert (await reading.ledger(session, admin, debtor.id)).balance == late.items[0].balance == 25500
    assert (TODAY - late.items[0].invoice.due_on).days == 45  # type: ignore[operator]  # issued, so it has one


async def test_an_overdue_recall(session: AsyncSession, desk: Member) -> None:
    listed = await recalls.due(session, desk, TODAY)
    first = listed.items[0]
    assert first.patient.full_name == "Consuelo Vidal Peña"
    assert len((await recalls.get(session, desk, first.recall.id)).attempts) == 2


async def test_a_late_canceller(session: AsyncSession, desk: Member) -> None:
    patient = await named(session, desk, "Sergio Navarro Cano")
    visits = await agenda.of_patient(session, desk, patient.id)
    assert [visit.appointment.status for visit in visits] == ["cancelled"] * 3
    for visit in visits:
        *_, last = await agenda.history(session, desk, visit.appointment.id)
        assert visit.appointment.starts_at - last.at == timedelta(hours=1)
        assert last.reason


async def test_two_marias_and_the_other_clinic_s_one(session: AsyncSession, desk: Member, other: Member) -> None:
    assert (await patients.search(session, desk, "María García")).total >= 2
    assert (await patients.search(session, other, "Sergio Navarro Cano")).total == 0
    assert (await maria(session, other)).id != (await maria(session, desk)).id


async def test_maria_has_a_deposit_a_quote_to_send_and_a_history(session: AsyncSession, desk: Member) -> None:
    own = (await maria(session, desk)).id
    account = await reading.ledger(session, desk, own)
    assert (account.on_budgets, account.balance) == (15000, 0)
    states = [one.budget.status for one in (await budget.search(session, desk, patient_id=own)).items]
    assert sorted(states) == ["accepted", "draft"]
    told = await timeline.of_patient(session, desk, own, size=50)
    assert {event.category for event in told.items} >= {"appointment", "budget", "invoice", "payment"}
    assert [event.at for event in told.items] == sorted((event.at for event in told.items), reverse=True)
    draft = next(
        one for one in (await budget.search(session, desk, patient_id=own)).items if one.budget.status == "draft"
    )
    accepted = await budget.set_status(session, desk, draft.budget.id, budget.Status.ACCEPTED, now=NOW)
    assert accepted.status == "accepted"
