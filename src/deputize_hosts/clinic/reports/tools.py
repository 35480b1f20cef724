"""What the copilot may ask about billing and the use of the agenda."""

from datetime import date
from decimal import Decimal
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import Field

from deputize import Args, Context, Personal, Public, Result, Toolset, Trusted, Yields, tool
from deputize_hosts.clinic.reports import service
from deputize_hosts.clinic.reports.service import decimal_of


class Period(Args):
    first: Annotated[date | None, Field(description="First clinic date; the month's first day if left out")] = None
    last: Annotated[date | None, Field(description="Last clinic date, included; today if left out")] = None


class Month(Result):
    month: Annotated[str, Public()]
    total: Decimal


class Share(Result):
    name: Annotated[str, Public(), Trusted()]
    total: Decimal


class Billing(Result):
    many: ClassVar[str | None] = "months"
    first: date
    last: date
    invoices: int
    net: Decimal
    vat: Decimal
    total: Decimal
    currency: Annotated[str, Public()]
    months: list[Month]
    professionals: list[Share]


class Client(Result):
    patient_id: Annotated[UUID, Yields("patient")]
    patient_name: Annotated[str, Personal("NAME", of="patient_id"), Trusted()]
    invoices: int
    total: Decimal


class Clients(Result):
    many: ClassVar[str | None] = "items"
    items: list[Client]
    currency: Annotated[str, Public()]


class Count(Result):
    name: Annotated[str, Public(), Trusted()]
    appointments: int


class Scheduling(Result):
    many: ClassVar[str | None] = "by_professional"
    first: date
    last: date
    appointments: int
    hours_booked: Decimal
    missed_percent: Decimal
    by_status: dict[str, int]
    by_treatment: dict[str, int]
    by_professional: list[Count]


@tool(
    permissions=["reports.billing.read"],
    effect="read",
    title={"es": "Informe de facturación", "en": "Billing report"},
    say={
        "es": ["informe de facturación de este mes", "¿cuánto hemos facturado?", "facturación por profesional"],
        "en": ["billing report for this month", "how much did we invoice?", "billing by professional"],
    },
)
async def billing_report(ctx: Context, args: Period) -> Billing:
    """What was invoiced in a period: totals, by month, by professional; this month if no dates are given."""
    first, last = service.period(ctx.actor, ctx.now, args.first, args.last)
    found = await service.billing(ctx.session, ctx.actor, first, last)
    return Billing(
        first=first,
        last=last,
        invoices=found.invoices,
        net=decimal_of(found.net),
        vat=decimal_of(found.vat),
        total=decimal_of(found.total),
        currency=found.currency,
        months=[Month(month=f"{y}-{m:02d}", total=decimal_of(t)) for (y, m), t in found.months.items()],
        professionals=[Share(name=name, total=decimal_of(t)) for name, t in found.professionals.items()],
    )


@tool(
    permissions=["reports.billing.read"],
    effect="read",
    title={"es": "Pacientes con más facturación", "en": "Top patients by billing"},
    say={
        "es": ["¿qué pacientes han facturado más?", "mejores clientes de este año", "ranking de clientes"],
        "en": ["top clients by billing", "which patients were invoiced most?", "best clients this year"],
    },
)
async def top_clients_by_billing(ctx: Context, args: Period) -> Clients:
    """The ten patients who were invoiced most in a period; this month if no dates are given."""
    first, last = service.period(ctx.actor, ctx.now, args.first, args.last)
    found = await service.top_patients(ctx.session, ctx.actor, first, last)
    items = [
        Client(
            patient_id=one.patient.id,
            patient_name=one.patient.full_name,
            invoices=one.invoices,
            total=decimal_of(one.total),
        )
        for one in found
    ]
    return Clients(items=items, currency=await service.currency_of(ctx.session, ctx.actor))


@tool(
    permissions=["reports.scheduling.read"],
    effect="read",
    title={"es": "Informe de la agenda", "en": "Scheduling report"},
    say={
        "es": ["informe de la agenda de este mes", "¿cuántas ausencias hemos tenido?", "informe de citas"],
        "en": ["scheduling report for this month", "how many no-shows did we have?", "report of appointments"],
    },
)
async def scheduling_report(ctx: Context, args: Period) -> Scheduling:
    """How the agenda was used in a period: by status, treatment and professional, hours and no-shows."""
    first, last = service.period(ctx.actor, ctx.now, args.first, args.last)
    found = await service.scheduling(ctx.session, ctx.actor, first, last)
    return Scheduling(
        first=first,
        last=last,
        appointments=found.appointments,
        hours_booked=(Decimal(found.minutes) / 60).quantize(Decimal("0.1")),
        missed_percent=decimal_of(found.missed_bp),
        by_status=dict(found.statuses),
        by_treatment=dict(found.treatments),
        by_professional=[Count(name=name, appointments=count) for name, count in found.professionals.items()],
    )


TOOLS = Toolset("reports", [billing_report, top_clients_by_billing, scheduling_report])
