"""What the copilot may ask about invoices: the invoices themselves, never the payments."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from deputize import Args, Context, Personal, Public, Result, Target, Toolset, Trusted, Yields, tool
from deputize_hosts.clinic.billing import service
from deputize_hosts.clinic.billing.service import Bill, decimal_of, today


class ListInvoices(Args):
    patient: Annotated[UUID | None, Target("patient")] = None
    status: Literal["draft", "issued", "partial", "paid", "cancelled", "voided"] | None = None
    overdue: Annotated[bool, Field(description="Only open ones whose due date has passed: vencidas, impagadas")] = False
    page: Annotated[int, Field(ge=1, le=50)] = 1


class InvoiceRow(Result):
    id: Annotated[UUID, Yields("invoice")]
    number: Annotated[str, Public(), Trusted()]
    patient_id: Annotated[UUID, Yields("patient")]
    patient_name: Annotated[str, Personal("NAME", of="patient_id"), Trusted()]
    status: Annotated[str, Public()]
    issued_on: date | None
    due_on: date | None
    total: Decimal
    currency: Annotated[str, Public()]


class InvoiceList(Result):
    many: ClassVar[str | None] = "items"
    items: list[InvoiceRow]
    total: int


class OneInvoice(Args):
    invoice: Annotated[UUID, Target("invoice")]


class InvoiceLine(Result):
    description: Annotated[str, Public(), Trusted()]
    quantity: int
    unit_price: Decimal
    total: Decimal


class InvoiceCard(InvoiceRow):
    many: ClassVar[str | None] = "lines"
    net: Decimal
    vat: Decimal
    lines: list[InvoiceLine]


@tool(
    permissions=["billing.read"],
    effect="read",
    title={"es": "Ver las facturas", "en": "List invoices"},
    say={
        "es": ["¿qué facturas tiene María López?", "facturas vencidas", "facturas sin pagar", "¿qué debe María López?"],
        "en": ["which invoices has María López?", "overdue invoices", "unpaid invoices", "what does María López owe?"],
    },
)
async def list_invoices(ctx: Context, args: ListInvoices) -> InvoiceList:
    """Invoices, drafts first, then the newest, ten a page; of one patient, in one status, or only overdue ones."""
    found = await service.search(
        ctx.session,
        ctx.actor,
        status=args.status or "",
        patient_id=args.patient,
        overdue_on=today(ctx.actor, ctx.now) if args.overdue else None,
        page=args.page,
        size=10,
    )
    return InvoiceList(items=[InvoiceRow(**_row(one)) for one in found.items], total=found.total)


@tool(
    permissions=["billing.read"],
    effect="read",
    title={"es": "Ver una factura", "en": "See an invoice"},
    say={
        "es": ["enséñame esta factura", "detalle de la factura", "¿qué líneas tiene la factura?"],
        "en": ["show me this invoice", "invoice details", "what is on the invoice?"],
    },
)
async def get_invoice(ctx: Context, args: OneInvoice) -> InvoiceCard:
    """One invoice with its lines and totals; payments are not part of it."""
    one = await service.get(ctx.session, ctx.actor, args.invoice)
    lines = [
        InvoiceLine(
            description=line.description,
            quantity=line.quantity,
            unit_price=decimal_of(line.unit_price),
            total=decimal_of(line.total),
        )
        for line in one.items
    ]
    return InvoiceCard(**_row(one), net=decimal_of(one.invoice.net), vat=decimal_of(one.invoice.vat), lines=lines)


def _row(one: Bill) -> dict[str, Any]:
    invoice = one.invoice
    return {
        "id": invoice.id,
        "number": invoice.code,
        "patient_id": one.patient.id,
        "patient_name": one.patient.full_name,
        "status": invoice.status,
        "issued_on": invoice.issued_on,
        "due_on": invoice.due_on,
        "total": decimal_of(invoice.total),
        "currency": invoice.currency,
    }


TOOLS = Toolset("billing", [list_invoices, get_invoice])
