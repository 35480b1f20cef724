"""What must always be true of a clinic's money, read from its rows alone."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.billing.models import Invoice, InvoiceItem
from deputize_hosts.clinic.billing.status import STANDING, settled
from deputize_hosts.clinic.billing.status import Status as Billed
from deputize_hosts.clinic.budget.models import Budget, BudgetItem
from deputize_hosts.clinic.budget.status import Status as Quoted
from deputize_hosts.clinic.lines import PricedLine
from deputize_hosts.clinic.money import Line
from deputize_hosts.clinic.payments.models import Allocation, Payment, Refund, RefundShare


async def faults(session: AsyncSession) -> list[str]:
    """Everything that does not add up; empty where all is well."""
    return [*await _documents(session), *await _numbers(session), *await _money(session)]


async def _documents(session: AsyncSession) -> list[str]:
    quotes: list[Budget | Invoice] = [*await session.scalars(select(Budget))]
    quoted: list[tuple[UUID, PricedLine]] = [(x.budget_id, x) for x in await session.scalars(select(BudgetItem))]
    invoices: list[Budget | Invoice] = [*await session.scalars(select(Invoice))]
    billed: list[tuple[UUID, PricedLine]] = [(x.invoice_id, x) for x in await session.scalars(select(InvoiceItem))]
    return [fault for rows, lines in ((quotes, quoted), (invoices, billed)) for fault in _sums(rows, lines)]


def _sums(rows: Sequence[Budget | Invoice], lines: Sequence[tuple[UUID, PricedLine]]) -> Iterator[str]:
    own: dict[UUID, list[PricedLine]] = defaultdict(list)
    for document, line in lines:
        own[document].append(line)
        told = Line(line.unit_price, line.quantity, line.discount_bp, line.vat_bp)
        if (line.discount, line.net, line.vat, line.total) != (told.discount, told.net, told.vat, told.total):
            yield f"a line of {document}: amounts do not follow from price and quantity"
    for row in rows:
        if (row.net, row.vat) != (sum(x.net for x in own[row.id]), sum(x.vat for x in own[row.id])):
            yield f"document {row.id}: totals are not the sums of the lines"
        if row.total != row.net + row.vat:
            yield f"document {row.id}: the total is not net and VAT"


async def _numbers(session: AsyncSession) -> list[str]:
    found: list[str] = []
    given: dict[tuple[UUID, str | None], list[int]] = defaultdict(list)
    quoted: dict[tuple[UUID, int], set[int]] = defaultdict(set)
    for row in await session.scalars(select(Invoice)):
        if (row.number is None) != (row.status in {Billed.DRAFT, Billed.VOIDED}):
            found.append(f"invoice {row.id}: a number belongs to what was issued, and only to that")
        if row.number is not None:
            given[row.clinic_id, row.series].append(row.number)
    for quote in await session.scalars(select(Budget)):
        quoted[quote.clinic_id, quote.year].add(quote.number)
    for series, numbers in given.items():
        if sorted(numbers) != list(range(1, len(numbers) + 1)):
            found.append(f"series {series}: numbers are not gapless")
    for year, used in quoted.items():
        if sorted(used) != list(range(1, len(used) + 1)):
            found.append(f"quotes {year}: numbers are not gapless")
    return found


async def _money(session: AsyncSession) -> list[str]:
    payments = {row.id: row for row in await session.scalars(select(Payment))}
    invoices = {row.id: row for row in await session.scalars(select(Invoice))}
    budgets = {row.id: row for row in await session.scalars(select(Budget))}
    allocations = {row.id: row for row in await session.scalars(select(Allocation))}
    found: list[str] = []
    whole: dict[UUID, int] = defaultdict(int)
    shares: dict[UUID, int] = defaultdict(int)
    left = {own: row.amount for own, row in allocations.items()}
    for row in allocations.values():
        whole[row.payment_id] += row.amount
        purpose: Budget | Invoice | None = invoices.get(row.invoice_id) if row.invoice_id else None
        purpose = budgets.get(row.budget_id) if row.budget_id else purpose
        payment = payments[row.payment_id]
        if (row.invoice_id or row.budget_id) and (
            purpose is None or (purpose.clinic_id, purpose.patient_id) != (payment.clinic_id, payment.patient_id)
        ):
            found.append(f"allocation {row.id}: for somebody else")
    refunds = {row.id: row for row in await session.scalars(select(Refund))}
    for share in await session.scalars(select(RefundShare)):
        shares[share.refund_id] += share.amount
        left[share.allocation_id] -= share.amount
        if allocations[share.allocation_id].payment_id != refunds[share.refund_id].payment_id:
            found.append(f"refund share {share.id}: out of another payment")
    found += [f"payment {own}: allocations do not sum to it" for own, p in payments.items() if whole[own] != p.amount]
    found += [f"refund {own}: shares do not sum to it" for own, r in refunds.items() if shares[own] != r.amount]
    found += [f"allocation {own}: more was given back than there was" for own, rest in left.items() if rest < 0]
    for own, invoice in invoices.items():
        paid = sum(left[a.id] for a in allocations.values() if a.invoice_id == own)
        if not 0 <= paid <= invoice.total or (paid and Billed(invoice.status) not in STANDING):
            found.append(f"invoice {own}: paid {paid} of {invoice.total} while {invoice.status}")
        if Billed(invoice.status) in STANDING and invoice.status != settled(invoice.total, paid):
            found.append(f"invoice {own}: {invoice.status} with {paid} of {invoice.total} paid")
    for own, quote in budgets.items():
        advance = sum(left[a.id] for a in allocations.values() if a.budget_id == own)
        if advance > quote.total or (advance and quote.status != Quoted.ACCEPTED):
            found.append(f"quote {own}: {advance} paid in advance of {quote.total} while {quote.status}")
    return found
