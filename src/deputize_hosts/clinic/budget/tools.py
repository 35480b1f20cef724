"""What the copilot may do with quotes."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from deputize import Args, Context, Personal, Public, Result, Target, Toolset, Trusted, Yields, tool
from deputize_hosts.clinic.budget import service
from deputize_hosts.clinic.budget.service import Quote, decimal_of

TIMELINE = {"timeline_events": {"es": "Se anota en la línea de tiempo", "en": "Noted on the patient's timeline"}}


class ListQuotes(Args):
    patient: Annotated[UUID | None, Target("patient")] = None
    status: Literal["draft", "sent", "accepted", "rejected", "expired", "cancelled"] | None = None
    page: Annotated[int, Field(ge=1, le=50)] = 1


class QuoteRow(Result):
    id: Annotated[UUID, Yields("budget")]
    number: Annotated[str, Public(), Trusted()]
    patient_id: Annotated[UUID, Yields("patient")]
    patient_name: Annotated[str, Personal("NAME", of="patient_id"), Trusted()]
    status: Annotated[str, Public()]
    valid_until: date
    total: Decimal
    currency: Annotated[str, Public()]


class QuoteList(Result):
    many: ClassVar[str | None] = "items"
    items: list[QuoteRow]
    total: int


class OneQuote(Args):
    budget: Annotated[UUID, Target("budget")]


class QuoteLine(Result):
    description: Annotated[str, Public(), Trusted()]
    quantity: int
    unit_price: Decimal
    discount: Decimal
    total: Decimal


class QuoteCard(QuoteRow):
    many: ClassVar[str | None] = "lines"
    net: Decimal
    vat: Decimal
    lines: list[QuoteLine]
    allowed_statuses: Annotated[list[str], Public()]


@tool(
    permissions=["budget.read"],
    effect="read",
    title={"es": "Ver los presupuestos", "en": "List quotes"},
    say={
        "es": ["¿qué presupuestos tiene María López?", "presupuestos enviados", "presupuestos de este paciente"],
        "en": ["which quotes has María López?", "list the sent quotes", "this patient's quotes"],
    },
)
async def list_budgets(ctx: Context, args: ListQuotes) -> QuoteList:
    """Quotes, the newest first, ten a page; of one patient or in one status if given."""
    found = await service.search(
        ctx.session, ctx.actor, status=args.status or "", patient_id=args.patient, page=args.page, size=10
    )
    return QuoteList(items=[QuoteRow(**_row(one)) for one in found.items], total=found.total)


@tool(
    permissions=["budget.read"],
    effect="read",
    title={"es": "Ver un presupuesto", "en": "See a quote"},
    say={
        "es": ["enséñame este presupuesto", "detalle del presupuesto", "¿qué líneas tiene el presupuesto?"],
        "en": ["show me this quote", "quote details", "what is in the quote?"],
    },
)
async def get_budget(ctx: Context, args: OneQuote) -> QuoteCard:
    """One quote with its lines and totals, and the statuses it may move to."""
    return _card(await service.get(ctx.session, ctx.actor, args.budget))


@tool(
    permissions=["budget.write"],
    effect="destructive",
    egress=True,
    title={"es": "Enviar un presupuesto por correo", "en": "E-mail a quote"},
    say={
        "es": ["envía este presupuesto", "manda el presupuesto a María López por correo", "envía el presupuesto"],
        "en": ["send this quote", "e-mail the quote to María López", "send the quote by e-mail"],
    },
    hidden=TIMELINE,
)
async def send_budget(ctx: Context, args: OneQuote) -> QuoteCard:
    """E-mail a draft quote to its patient's own address and mark it as sent. This cannot be undone."""
    sent = await service.send(ctx.session, ctx.actor, args.budget, now=ctx.now)
    return _card(await service.get(ctx.session, ctx.actor, sent.id))


def _row(one: Quote) -> dict[str, Any]:
    budget = one.budget
    return {
        "id": budget.id,
        "number": budget.code,
        "patient_id": one.patient.id,
        "patient_name": one.patient.full_name,
        "status": budget.status,
        "valid_until": budget.valid_until,
        "total": decimal_of(budget.total),
        "currency": budget.currency,
    }


def _card(one: Quote) -> QuoteCard:
    lines = [
        QuoteLine(
            description=line.description,
            quantity=line.quantity,
            unit_price=decimal_of(line.unit_price),
            discount=decimal_of(line.discount),
            total=decimal_of(line.total),
        )
        for line in one.items
    ]
    return QuoteCard(
        **_row(one),
        net=decimal_of(one.budget.net),
        vat=decimal_of(one.budget.vat),
        lines=lines,
        allowed_statuses=[move.value for move in service.MOVES[service.Status(one.budget.status)]],
    )


TOOLS = Toolset("budget", [list_budgets, get_budget, send_budget])
