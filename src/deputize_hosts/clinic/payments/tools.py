"""What the copilot may do with payments."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from deputize import Args, Context, Personal, Public, Result, Target, Text, Toolset, Trusted, Yields, tool
from deputize_hosts.clinic.payments import asking as service
from deputize_hosts.clinic.payments.asking import Method, Receipt, decimal_of

TIMELINE = {"timeline_events": {"es": "Se anota en la línea de tiempo", "en": "Noted on the patient's timeline"}}


class Period(Args):
    first: Annotated[date | None, Field(description="First clinic date; the month's first day if left out")] = None
    last: Annotated[date | None, Field(description="Last clinic date, included; today if left out")] = None


class Collected(Result):
    first: date
    last: date
    payments: int
    collected: Decimal
    refunded: Decimal
    net: Decimal
    on_invoices: Decimal
    on_quotes: Decimal
    on_account: Decimal
    currency: Annotated[str, Public()]


class ByMethod(Result):
    method: Annotated[str, Public()]
    payments: int
    amount: Decimal


class Methods(Result):
    many: ClassVar[str | None] = "items"
    items: list[ByMethod]
    total: Decimal
    currency: Annotated[str, Public()]


class History(Args):
    patient: Annotated[UUID, Target("patient")]
    page: Annotated[int, Field(ge=1, le=50)] = 1


class Paid(Result):
    id: Annotated[UUID, Yields("payment")]
    day: date
    amount: Decimal
    refunded: Decimal
    method: Annotated[str, Public()]
    currency: Annotated[str, Public()]


class PaidList(Result):
    many: ClassVar[str | None] = "items"
    patient_id: Annotated[UUID, Yields("patient")]
    items: list[Paid]
    total: int


class RecordPayment(Args):
    patient: Annotated[UUID, Target("patient")]
    amount: Annotated[Decimal, Field(gt=0, le=10_000_000, decimal_places=2, description="In the clinic's currency")]
    method: Annotated[
        Literal["cash", "card", "bank_transfer", "direct_debit", "insurance", "other"],
        Field(
            description="cash: efectivo, metálico; card: tarjeta; bank_transfer: transferencia; "
            "direct_debit: domiciliación; insurance: seguro; other: otro"
        ),
    ]
    invoice: Annotated[UUID | None, Target("invoice"), Field(description="Left out: on account")] = None
    day: Annotated[date | None, Field(description="Clinic date; today if left out")] = None
    reference: Annotated[str, Text(), Field(max_length=80)] = ""


class Recorded(Paid):
    patient_id: Annotated[UUID, Yields("patient")]
    patient_name: Annotated[str, Personal("NAME", of="patient_id"), Trusted()]
    on_account: Decimal


@tool(
    permissions=["payments.reports.read"],
    effect="read",
    title={"es": "Resumen de cobros", "en": "Summary of collections"},
    say={
        "es": ["resumen de cobros de este mes", "¿cuánto hemos cobrado hoy?", "¿cuánto hemos cobrado este mes?"],
        "en": ["summary of this month's collections", "how much did we collect today?", "payments summary"],
    },
)
async def payments_summary(ctx: Context, args: Period) -> Collected:
    """What was collected and refunded in a period, and what it is applied to; this month if no dates are given."""
    first, last = service.period(ctx.actor, ctx.now, args.first, args.last)
    found = await service.summary(ctx.session, ctx.actor, first, last)
    return Collected(
        first=first,
        last=last,
        payments=found.payments,
        collected=decimal_of(found.collected),
        refunded=decimal_of(found.refunded),
        net=decimal_of(found.net),
        on_invoices=decimal_of(found.on_invoices),
        on_quotes=decimal_of(found.on_budgets),
        on_account=decimal_of(found.on_account),
        currency=found.currency,
    )


@tool(
    permissions=["payments.reports.read"],
    effect="read",
    title={"es": "Cobros por forma de pago", "en": "Collections by method"},
    say={
        "es": ["cobros por forma de pago", "¿cuánto hemos cobrado en efectivo?", "cobros con tarjeta de este mes"],
        "en": ["collections by payment method", "how much was paid in cash?", "card payments this month"],
    },
)
async def collections_by_method(ctx: Context, args: Period) -> Methods:
    """Payments and amounts by method in a period; this month if no dates are given."""
    first, last = service.period(ctx.actor, ctx.now, args.first, args.last)
    found = await service.by_method(ctx.session, ctx.actor, first, last)
    items = [ByMethod(method=m.value, payments=count, amount=decimal_of(sum_)) for m, (count, sum_) in found.items()]
    whole = sum(amount for _, amount in found.values())
    return Methods(items=items, total=decimal_of(whole), currency=await service.currency_of(ctx.session, ctx.actor))


@tool(
    permissions=["payments.record.read"],
    effect="read",
    title={"es": "Ver los cobros de un paciente", "en": "See a patient's payments"},
    say={
        "es": ["¿qué ha pagado María López?", "cobros de este paciente", "historial de pagos de María López"],
        "en": ["what has María López paid?", "this patient's payments", "payment history of María López"],
    },
)
async def patient_payment_history(ctx: Context, args: History) -> PaidList:
    """What one patient has paid, the newest first, ten a page. Collections only; no invoices and no balance."""
    found = await service.of_patient(ctx.session, ctx.actor, args.patient, page=args.page)
    return PaidList(patient_id=args.patient, items=[Paid(**_paid(one)) for one in found.items], total=found.total)


@tool(
    permissions=["payments.record.write"],
    effect="write",
    title={"es": "Registrar un cobro", "en": "Record a payment"},
    say={
        "es": [
            "registra un cobro de 50 euros en efectivo de María López",
            "María López ha pagado 120,50 con tarjeta",
            "cobra 60 euros a este paciente con tarjeta",
        ],
        "en": ["record a payment of 50 euros in cash from María López", "María López paid 120.50 by card"],
    },
    hidden=TIMELINE,
)
async def record_payment(ctx: Context, args: RecordPayment) -> Recorded:
    """Record money received from a patient: for an invoice up to what is owed, the rest (or all) on account."""
    amount = service.minor_of(ctx.actor, "amount", args.amount)
    made = await service.pay_invoice(
        ctx.session,
        ctx.actor,
        args.patient,
        amount,
        Method(args.method),
        now=ctx.now,
        paid_on=args.day,
        reference=args.reference,
        invoice_id=args.invoice,
    )
    one = made.receipt
    return Recorded(
        **_paid(one),
        patient_id=one.patient.id,
        patient_name=one.patient.full_name,
        on_account=decimal_of(made.on_account),
    )


def _paid(one: Receipt) -> dict[str, Any]:
    return {
        "id": one.payment.id,
        "day": one.payment.paid_on,
        "amount": decimal_of(one.payment.amount),
        "refunded": decimal_of(one.refunded),
        "method": one.payment.method,
        "currency": one.payment.currency,
    }


TOOLS = Toolset("payments", [payments_summary, collections_by_method, patient_payment_history, record_payment])
