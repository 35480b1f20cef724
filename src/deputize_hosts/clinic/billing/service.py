"""Making, issuing and cancelling invoices, with every rule that holds for them."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.billing.models import Invoice, InvoiceItem
from deputize_hosts.clinic.billing.reading import Bill, Bills, get, lines_of, search
from deputize_hosts.clinic.billing.status import MOVES, NAMES, OPEN, Status, settled
from deputize_hosts.clinic.budget.models import Budget
from deputize_hosts.clinic.budget.reading import lines_of as quoted_lines
from deputize_hosts.clinic.budget.status import Status as QuoteStatus
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.clock import today
from deputize_hosts.clinic.documents import (
    INVOICE,
    check_professional,
    clinic_of,
    fill_line,
    illegal_step,
    patient_of,
    said,
)
from deputize_hosts.clinic.errors import InvalidValue, NotFound
from deputize_hosts.clinic.lines import NewLine, add_up, copy_line
from deputize_hosts.clinic.money import decimal_of
from deputize_hosts.clinic.money_errors import NoLines, NotADraft
from deputize_hosts.clinic.numbering import next_number
from deputize_hosts.clinic.patient_timeline.service import Area, record
from deputize_hosts.clinic.payments.payable import release

WRITE = "billing.write"
DUE_DAYS = 30


async def create(
    session: AsyncSession,
    actor: Caller,
    patient_id: UUID,
    *,
    professional_id: UUID | None = None,
    budget_id: UUID | None = None,
) -> Invoice:
    """A draft without number; from an accepted quote it takes lines, prices and professional.

    Raises NotFound, NotAProfessional, InvalidValue for a quote of somebody else or that is not accepted.
    """
    clinic = require(actor, WRITE)
    patient = await patient_of(session, actor, clinic, patient_id, archived=True)
    await check_professional(session, actor, clinic, professional_id)
    budget = await _accepted(session, actor, clinic, patient.id, budget_id) if budget_id else None
    invoice = Invoice(
        clinic_id=clinic,
        patient_id=patient.id,
        professional_id=professional_id or (budget.professional_id if budget else None),
        budget_id=budget_id,
        status=Status.DRAFT.value,
        currency=(await clinic_of(session, clinic)).currency,
        net=0,
        vat=0,
        total=0,
    )
    session.add(invoice)
    await session.flush()
    if budget is not None:
        lines = []
        for line in await quoted_lines(session, budget.id):
            lines.append(InvoiceItem(clinic_id=clinic, invoice_id=invoice.id))
            copy_line(line, lines[-1])
        session.add_all(lines)
        add_up(invoice, lines)
        await session.flush()
    return invoice


async def _accepted(session: AsyncSession, actor: Caller, clinic: UUID, patient: UUID, budget_id: UUID) -> Budget:
    budget = await session.scalar(select(Budget).where(Budget.id == budget_id, Budget.clinic_id == clinic))
    if budget is None or budget.patient_id != patient:
        raise NotFound(actor, what=said(actor, "presupuesto", "quote"))
    if QuoteStatus(budget.status) is not QuoteStatus.ACCEPTED:
        raise InvalidValue(actor, "budget", "no está aceptado", "is not accepted")
    return budget


async def add_line(session: AsyncSession, actor: Caller, invoice_id: UUID, new: NewLine) -> InvoiceItem:
    """One more line of a draft. Raises NotFound, NotADraft, ItemInactive, InvalidValue."""
    clinic = require(actor, WRITE)
    invoice = await _draft(session, actor, clinic, invoice_id)
    lines = await lines_of(session, invoice.id)
    last = max((line.position for line in lines), default=0)
    language = "en" if (await clinic_of(session, clinic)).locale.startswith("en") else "es"
    line = InvoiceItem(clinic_id=clinic, invoice_id=invoice.id, position=last + 1)
    await fill_line(session, actor, clinic, line, new, language)
    session.add(line)
    add_up(invoice, [*lines, line])
    await session.flush()
    return line


async def remove_line(session: AsyncSession, actor: Caller, invoice_id: UUID, line_id: UUID) -> None:
    """Take a line out of a draft. Raises NotFound, NotADraft."""
    clinic = require(actor, WRITE)
    invoice = await _draft(session, actor, clinic, invoice_id)
    lines = await lines_of(session, invoice.id)
    gone = next((line for line in lines if line.id == line_id), None)
    if gone is None:
        raise NotFound(actor, what=said(actor, "línea", "line"))
    await session.delete(gone)
    add_up(invoice, [line for line in lines if line is not gone])
    await session.flush()


async def issue(
    session: AsyncSession, actor: Caller, invoice_id: UUID, *, now: datetime, due_days: int = DUE_DAYS
) -> Invoice:
    """Give the series' next number and today's date; from now on nothing but its status changes.

    Raises NotFound, IllegalStep, NoLines, InvalidValue.
    """
    clinic = require(actor, WRITE)
    invoice = await _locked(session, actor, clinic, invoice_id)
    _check_move(actor, invoice, Status.ISSUED)
    if not await lines_of(session, invoice.id):
        raise NoLines(actor)
    if not 0 <= due_days <= 365:
        raise InvalidValue(actor, "due_days", "entre 0 y 365", "between 0 and 365")
    on = today(actor, now)
    number = await next_number(session, clinic, "F", on.year)
    invoice.series, invoice.number = f"F{on.year}", number
    invoice.issued_on, invoice.due_on = on, on + timedelta(days=due_days)
    invoice.status = settled(invoice.total, 0).value
    record(session, clinic, invoice.patient_id, Area.INVOICE, "invoice_issued", invoice.id, invoice.code)
    await session.flush()
    return invoice


async def void(session: AsyncSession, actor: Caller, invoice_id: UUID) -> Invoice:
    """Drop a draft; it never had a number. Raises NotFound, IllegalStep."""
    clinic = require(actor, WRITE)
    invoice = await _locked(session, actor, clinic, invoice_id)
    _check_move(actor, invoice, Status.VOIDED)
    invoice.status = Status.VOIDED.value
    await session.flush()
    return invoice


async def cancel(session: AsyncSession, actor: Caller, invoice_id: UUID) -> Invoice:
    """Cancel an issued invoice; its number stays used, its money stands on account. Raises NotFound, IllegalStep."""
    clinic = require(actor, WRITE)
    invoice = await _locked(session, actor, clinic, invoice_id)
    _check_move(actor, invoice, Status.CANCELLED)
    invoice.status = Status.CANCELLED.value
    await release(session, invoice)
    record(session, clinic, invoice.patient_id, Area.INVOICE, "invoice_cancelled", invoice.id, invoice.code)
    await session.flush()
    return invoice


def _check_move(actor: Caller, invoice: Invoice, after: Status) -> None:
    before = Status(invoice.status)
    if after not in MOVES[before]:
        by_hand = [move for move in MOVES[before] if move not in (Status.PARTIAL, Status.PAID)]
        raise illegal_step(actor, INVOICE, NAMES, before, after, by_hand)


async def _locked(session: AsyncSession, actor: Caller, clinic: UUID, invoice_id: UUID) -> Invoice:
    query = select(Invoice).where(Invoice.id == invoice_id, Invoice.clinic_id == clinic)
    invoice = await session.scalar(query.with_for_update().execution_options(populate_existing=True))
    if invoice is None:
        raise NotFound(actor, what=said(actor, "factura", "invoice"))
    return invoice


async def _draft(session: AsyncSession, actor: Caller, clinic: UUID, invoice_id: UUID) -> Invoice:
    invoice = await _locked(session, actor, clinic, invoice_id)
    if Status(invoice.status) is not Status.DRAFT:
        raise NotADraft(actor)
    return invoice


__all__ = [
    "MOVES",
    "OPEN",
    "Bill",
    "Bills",
    "Status",
    "add_line",
    "cancel",
    "create",
    "decimal_of",
    "get",
    "issue",
    "lines_of",
    "remove_line",
    "search",
    "today",
    "void",
]
