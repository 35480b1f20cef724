"""Figures of billing and of the agenda over a period; nothing here is stored."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.models import Appointment
from deputize_hosts.clinic.agenda.status import FREES_TIME, Status
from deputize_hosts.clinic.auth.models import Membership
from deputize_hosts.clinic.billing.models import Invoice
from deputize_hosts.clinic.billing.status import STANDING
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.clock import day_bounds
from deputize_hosts.clinic.documents import clinic_of
from deputize_hosts.clinic.money import decimal_of
from deputize_hosts.clinic.patients.models import Patient
from deputize_hosts.clinic.periods import check_period, currency_of, period

BILLING, SCHEDULING = "reports.billing.read", "reports.scheduling.read"


@dataclass(frozen=True, slots=True)
class Billed:
    """Invoices issued in a period, in minor units; cancelled ones are not in it. `months` are (year, month)."""

    first: date
    last: date
    currency: str
    invoices: int
    net: int
    vat: int
    total: int
    months: Mapping[tuple[int, int], int]
    professionals: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Scheduled:
    """Appointments that start in a period: by status, by professional, by treatment, and minutes in the chair."""

    first: date
    last: date
    appointments: int
    statuses: Mapping[str, int]
    professionals: Mapping[str, int]
    treatments: Mapping[str, int]
    minutes: int

    @property
    def missed_bp(self) -> int:
        """No-shows among visits that should have taken place, in basis points."""
        due = self.statuses.get(Status.COMPLETED, 0) + self.statuses.get(Status.NO_SHOW, 0)
        return self.statuses.get(Status.NO_SHOW, 0) * 10_000 // due if due else 0


@dataclass(frozen=True, slots=True)
class TopPatient:
    """A patient with what was invoiced to them in the period, in minor units."""

    patient: Patient
    invoices: int
    total: int


def month_range(first: date, last: date) -> list[tuple[int, int]]:
    """Every (year, month) that the period touches."""
    span = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    return [(number // 12, number % 12 + 1) for number in span]


async def billing(session: AsyncSession, actor: Caller, first: date, last: date) -> Billed:
    """What was invoiced, with every month of the period even if nothing was. Raises InvalidValue."""
    clinic = require(actor, BILLING)
    check_period(actor, first, last)
    rows = list(await session.scalars(select(Invoice).where(*_issued(clinic, first, last))))
    people = await session.scalars(select(Membership).where(Membership.clinic_id == clinic))
    names = {person.id: person.name for person in people}
    months = dict.fromkeys(month_range(first, last), 0)
    shares: Counter[str] = Counter()
    for row in rows:
        assert row.issued_on is not None  # the query asks for it
        months[row.issued_on.year, row.issued_on.month] += row.total
        shares[names.get(row.professional_id, "") if row.professional_id else ""] += row.total
    return Billed(
        first,
        last,
        (await clinic_of(session, clinic)).currency,
        len(rows),
        sum(row.net for row in rows),
        sum(row.vat for row in rows),
        sum(row.total for row in rows),
        months,
        dict(shares.most_common()),
    )


def _issued(clinic: UUID, first: date, last: date) -> tuple[ColumnElement[bool], ...]:
    return (
        Invoice.clinic_id == clinic,
        Invoice.status.in_([status.value for status in STANDING]),
        Invoice.issued_on >= first,
        Invoice.issued_on <= last,
    )


async def top_patients(
    session: AsyncSession, actor: Caller, first: date, last: date, limit: int = 10
) -> tuple[TopPatient, ...]:
    """Who was invoiced most in the period, the largest first. Raises InvalidValue."""
    clinic = require(actor, BILLING)
    check_period(actor, first, last)
    amount = func.sum(Invoice.total)
    rows = await session.execute(
        select(Patient, func.count(), amount)
        .join(Invoice, Invoice.patient_id == Patient.id)
        .where(*_issued(clinic, first, last))
        .group_by(Patient.id)
        .order_by(amount.desc(), Patient.last_name, Patient.id)
        .limit(limit)
    )
    return tuple(TopPatient(patient, count, int(total)) for patient, count, total in rows)


async def scheduling(session: AsyncSession, actor: Caller, first: date, last: date) -> Scheduled:
    """How the agenda was used. Raises InvalidValue."""
    clinic = require(actor, SCHEDULING)
    check_period(actor, first, last)
    start, end = day_bounds(actor, first)[0], day_bounds(actor, last)[1]
    rows = (
        await session.execute(
            select(
                Appointment.status,
                Appointment.treatment,
                Membership.name,
                Appointment.starts_at,
                Appointment.ends_at,
            )
            .join(Membership, Membership.id == Appointment.professional_id)
            .where(Appointment.clinic_id == clinic, Appointment.starts_at >= start, Appointment.starts_at < end)
        )
    ).all()
    kept = [row for row in rows if Status(row.status) not in FREES_TIME]
    return Scheduled(
        first,
        last,
        len(rows),
        dict(Counter(row.status for row in rows).most_common()),
        dict(Counter(row.name for row in kept).most_common()),
        dict(Counter(row.treatment for row in kept).most_common()),
        sum(int((row.ends_at - row.starts_at).total_seconds()) // 60 for row in kept),
    )


__all__ = [
    "Billed",
    "Scheduled",
    "TopPatient",
    "billing",
    "check_period",
    "currency_of",
    "decimal_of",
    "month_range",
    "period",
    "scheduling",
    "top_patients",
]
