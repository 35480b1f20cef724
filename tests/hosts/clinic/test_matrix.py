"""Authority: every tool × every role × own or other clinic against a table written by hand (TOOL-3, TOOL-5)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize import Actor, Context, Tool
from deputize_hosts.clinic.agenda.models import Appointment, Cabinet
from deputize_hosts.clinic.auth.grants import GRANTS
from deputize_hosts.clinic.auth.models import Role
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.billing.models import Invoice
from deputize_hosts.clinic.budget.models import Budget, BudgetItem
from deputize_hosts.clinic.catalog.models import CatalogItem
from deputize_hosts.clinic.errors import ClinicError, NotAllowed, NotFound
from deputize_hosts.clinic.main import TOOLSETS
from deputize_hosts.clinic.recalls.models import Recall
from deputize_hosts.clinic.seed.clinics import seed_id
from tests.databases import SqliteFiles
from tests.hosts.clinic.people import NOW, TOMORROW, maria, member

MATRIX = """
tool                       admin dentist hygienist assistant receptionist
search_patients            x     x       x         x         x
get_patient                x     x       x         x         x
create_patient             x     x       -         x         x
update_patient             x     x       -         x         x
get_day_overview           x     x       x         x         x
get_appointment            x     x       x         x         x
list_professionals         x     x       x         x         x
list_cabinets              x     x       x         x         x
book_appointment           x     x       x         x         x
reschedule_appointment     x     x       x         x         x
update_appointment_status  x     x       x         x         x
cancel_appointment         x     x       x         x         x
get_availability           x     x       x         x         x
find_free_slots            x     x       x         x         x
payments_summary           x     x       -         -         -
collections_by_method      x     x       -         -         -
patient_payment_history    x     x       x         x         x
record_payment             x     x       -         x         x
billing_report             x     x       -         -         x
top_clients_by_billing     x     x       -         -         x
scheduling_report          x     x       x         x         x
get_patient_timeline       x     x       x         x         x
list_catalog_items         x     x       x         x         x
get_catalog_item           x     x       x         x         x
list_due_recalls           x     x       x         x         x
get_recall                 x     x       x         x         x
create_recall              x     x       x         x         x
log_contact_attempt        x     x       x         x         x
snooze_recall              x     x       x         x         x
complete_recall            x     x       x         x         x
list_budgets               x     x       x         x         x
get_budget                 x     x       x         x         x
send_budget                x     x       -         x         x
list_invoices              x     x       x         x         x
get_invoice                x     x       x         x         x
"""
HEADER, *ROWS = [line.split() for line in MATRIX.strip().splitlines()]
MAY: Mapping[str, Mapping[str, bool]] = {
    row[0]: dict(zip(HEADER[1:], (mark == "x" for mark in row[1:]), strict=True)) for row in ROWS
}
TOOLS: Mapping[str, Tool] = {tool.name: tool for toolset in TOOLSETS for tool in toolset.tools}
EFFECTS = {
    "write": "create_patient update_patient book_appointment reschedule_appointment update_appointment_status "
    "record_payment create_recall log_contact_attempt snooze_recall complete_recall",
    "destructive": "cancel_appointment send_budget",
}


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """Permissions ask nothing of the database."""
    return sqlite_files


@dataclass(frozen=True, slots=True)
class Ids:
    """One record of each kind in one clinic."""

    patient: str
    appointment: str
    cabinet: str
    professional: str
    recall: str
    budget: str
    invoice: str
    item: str


async def ids_of(session: AsyncSession, actor: Member) -> Ids:
    """Records that each tool can succeed on; the other clinic gets a quote of its own first."""
    clinic = await session.get_one(
        CatalogItem, seed_id("alameda" if "Alameda" in actor.clinic else "teide", "item", "COR")
    )
    own, patient = clinic.clinic_id, await maria(session, actor)

    async def one(kind: type[Any], *wanted: Any) -> str:
        row = await session.scalar(select(kind).where(kind.clinic_id == own, *wanted).limit(1))
        assert row is not None, kind
        return str(row.id)

    quote = Budget(clinic_id=own, patient_id=patient.id, year=2000, number=1, version=1, status="draft", currency="EUR")
    quote.valid_from, quote.valid_until, quote.net, quote.vat, quote.total = NOW.date(), TOMORROW, 39000, 0, 39000
    session.add(quote)
    await session.flush()
    line = BudgetItem(clinic_id=own, budget_id=quote.id, position=1, description="Corona", unit_price=39000, quantity=1)
    line.discount_bp = line.vat_bp = line.discount = line.vat = 0
    line.net = line.total = 39000
    session.add(line)
    await session.flush()
    return Ids(
        patient=str(patient.id),
        appointment=await one(Appointment, Appointment.status == "scheduled", Appointment.starts_at > NOW),
        cabinet=await one(Cabinet),
        professional=str(
            (await session.scalars(select(Appointment.professional_id).where(Appointment.clinic_id == own))).first()
        ),
        recall=await one(Recall, Recall.status == "pending"),
        budget=str(quote.id),
        invoice=await one(Invoice, Invoice.number.is_not(None)),
        item=str(clinic.id),
    )


def calls(ids: Ids) -> dict[str, dict[str, Any]]:
    """Arguments with which each tool succeeds."""
    one, quote = {"recall": ids.recall}, {"budget": ids.budget}
    visit, who = {"appointment": ids.appointment}, {"patient": ids.patient}
    return {
        "search_patients": {"query": "maria"},
        "get_patient": who,
        "create_patient": {"first_name": "Eva", "last_name": "Sol"},
        "update_patient": {**who, "phone": "600 111 222"},
        "get_day_overview": {"patient": ids.patient},
        "get_appointment": visit,
        "list_professionals": {},
        "list_cabinets": {},
        "book_appointment": {**who, "start": f"{TOMORROW}T10:00"},
        "reschedule_appointment": {**visit, "start": "2026-06-02T12:00"},
        "update_appointment_status": {**visit, "status": "confirmed"},
        "cancel_appointment": visit,
        "get_availability": {"professional": ids.professional},
        "find_free_slots": {"professional": ids.professional},
        "payments_summary": {},
        "collections_by_method": {},
        "patient_payment_history": who,
        "record_payment": {**who, "amount": "50", "method": "cash"},
        "billing_report": {},
        "top_clients_by_billing": {},
        "scheduling_report": {},
        "get_patient_timeline": who,
        "list_catalog_items": {},
        "get_catalog_item": {"item": ids.item},
        "list_due_recalls": {},
        "get_recall": one,
        "create_recall": {**who, "reason": "hygiene"},
        "log_contact_attempt": {**one, "outcome": "no_answer"},
        "snooze_recall": {**one, "months": 2},
        "complete_recall": one,
        "list_budgets": who,
        "get_budget": quote,
        "send_budget": quote,
        "list_invoices": who,
        "get_invoice": {"invoice": ids.invoice},
    }


async def call(session: AsyncSession, who: Member, name: str, args: dict[str, Any]) -> dict[str, Any]:
    """As the door does: validated arguments, plain data back, then everything undone."""
    tool = TOOLS[name]
    actor = Actor(who.id, who.tenant, role=who.role, grants=who.grants, locale=who.locale, time_zone=who.time_zone)
    nested = await session.begin_nested()
    try:
        result = await tool.handler(Context(session, actor, NOW), tool.args.model_validate_json(json.dumps(args)))
        plain: dict[str, Any] = result.model_dump(mode="json")
        return plain
    finally:
        await nested.rollback()
        session.expire_all()


def test_the_table_names_every_tool_and_its_effect() -> None:
    assert set(TOOLS) == set(MAY)
    assert len(TOOLS) == 35
    for name, tool in TOOLS.items():
        assert tool.effect == next((e for e, names in EFFECTS.items() if name in names.split()), "read"), name
        assert tool.egress == (name == "send_budget"), name


@pytest.mark.parametrize("role", HEADER[1:])
async def test_each_role_may_what_the_table_says_and_succeeds(session: AsyncSession, role: str) -> None:
    """The permission is asked by the service itself, so that a tool cannot forget it."""
    who = await member(session, f"{role}@demo.clinic")
    asked = calls(await ids_of(session, await member(session, "admin@demo.clinic")))
    for name in MAY:
        if MAY[name][role]:
            assert await call(session, who, name, asked[name]) != {}, name
        else:
            with pytest.raises(NotAllowed):
                await call(session, who, name, asked[name])


TAKES_NOBODY = {"search_patients", "create_patient", "list_professionals", "list_cabinets", "payments_summary"} | {
    *("collections_by_method", "billing_report", "top_clients_by_billing", "scheduling_report"),
    *("list_catalog_items", "list_due_recalls"),
}
NARROWS = {"get_day_overview", "find_free_slots", "get_availability", "list_budgets", "list_invoices"}
"""Reads that a foreign id only narrows to nothing."""


async def test_another_clinics_ids_answer_as_unknown_ones(session: AsyncSession) -> None:
    """For every tool that takes an id, and every role of the other clinic that may call it at all."""
    foreign = calls(await ids_of(session, await member(session, "admin@demo.clinic")))
    stranger = await member(session, "admin@teide.clinic")
    for role in Role:
        who = replace(stranger, role=role.value, grants=GRANTS[role])
        for name in sorted(set(MAY) - TAKES_NOBODY):
            if not MAY[name][who.role]:
                continue
            if name in NARROWS:
                try:
                    answer = await call(session, who, name, foreign[name])
                except NotFound:
                    continue
                lists = [value for value in answer.values() if isinstance(value, list)]
                assert lists
                assert name == "get_availability" or not any(lists), name
                continue
            with pytest.raises(NotFound) as refused:
                await call(session, who, name, foreign[name])
            assert refused.value.alternatives == {}, name


async def test_a_list_holds_the_own_clinic_only(session: AsyncSession) -> None:
    here, there = await member(session, "admin@demo.clinic"), await member(session, "admin@teide.clinic")
    for name in sorted(TAKES_NOBODY - {"create_patient"}):
        args: dict[str, Any] = {"query": "a"} if name == "search_patients" else {}
        one, other = [json.dumps(await call(session, who, name, args)) for who in (here, there)]
        found = [set(_ids(json.loads(text))) for text in (one, other)]
        assert not found[0] & found[1], name


def _ids(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [v for k, v in value.items() if k == "id" or k.endswith("_id")] + [
            found for v in value.values() for found in _ids(v)
        ]
    return [found for item in value for found in _ids(item)] if isinstance(value, list) else []


async def test_a_receptionist_s_payments_summary_is_refused(session: AsyncSession) -> None:
    """TOOL-3: the tool is neither offered to nor executed for whoever lacks `payments.reports.read`."""
    desk = await member(session, "receptionist@demo.clinic")
    assert not desk.may("payments.reports.read")
    with pytest.raises(ClinicError) as refused:
        await call(session, desk, "payments_summary", {})
    assert refused.value.code == "not_allowed"


async def test_invoices_tell_nothing_of_payments_and_payments_nothing_of_invoices(session: AsyncSession) -> None:
    """No result widens its tool's permission."""
    admin = await member(session, "admin@demo.clinic")
    asked = calls(await ids_of(session, admin))
    invoice = await call(session, admin, "get_invoice", asked["get_invoice"])
    assert not {"paid", "balance", "payments"} & set(invoice)
    history = await call(session, admin, "patient_payment_history", asked["patient_payment_history"])
    assert not any("invoice" in key or "balance" in key for item in history["items"] for key in item)
