"""What money may go to: open invoices and accepted quotes of the same clinic and patient; and taking it off again."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.billing import status as invoicing
from deputize_hosts.clinic.billing.models import Invoice
from deputize_hosts.clinic.budget import status as quoting
from deputize_hosts.clinic.budget.models import Budget
from deputize_hosts.clinic.caller import Caller
from deputize_hosts.clinic.documents import INVOICE, QUOTE, said
from deputize_hosts.clinic.errors import NotFound
from deputize_hosts.clinic.money import decimal_of
from deputize_hosts.clinic.money_errors import NotPayable
from deputize_hosts.clinic.payments.balances import paid_of_invoices
from deputize_hosts.clinic.payments.models import Allocation


async def lock_invoices(session: AsyncSession, invoices: Sequence[UUID]) -> Mapping[UUID, Invoice]:
    """These invoices as they are now, locked in one order."""
    query = select(Invoice).where(Invoice.id.in_(invoices)).order_by(Invoice.id)
    rows = await session.scalars(query.with_for_update().execution_options(populate_existing=True))
    return {row.id: row for row in rows}


async def payable_invoices(
    session: AsyncSession, actor: Caller, clinic: UUID, patient_id: UUID, invoices: Sequence[UUID]
) -> Mapping[UUID, Invoice]:
    """The patient's open invoices of these ids, locked. Raises NotFound, NotPayable."""
    found = await lock_invoices(session, invoices)
    for own in invoices:
        invoice = found.get(own)
        if invoice is None or invoice.clinic_id != clinic or invoice.patient_id != patient_id:
            raise NotFound(actor, what=said(actor, "factura", "invoice"))
        status = invoicing.Status(invoice.status)
        if status not in invoicing.OPEN:
            names = invoicing.NAMES[status]
            raise NotPayable(
                actor,
                alternatives={"open_invoices": await open_invoices(session, clinic, patient_id)},
                what_es=INVOICE["es"],
                what_en=INVOICE["en"],
                status_es=names["es"],
                status_en=names["en"],
            )
    return found


async def open_invoices(session: AsyncSession, clinic: UUID, patient_id: UUID) -> list[dict[str, str]]:
    """The patient's invoices that still owe something: id, number, balance."""
    query = select(Invoice).where(
        Invoice.clinic_id == clinic,
        Invoice.patient_id == patient_id,
        Invoice.status.in_([status.value for status in invoicing.OPEN]),
    )
    rows = list(await session.scalars(query.order_by(Invoice.due_on, Invoice.number)))
    paid = await paid_of_invoices(session, [row.id for row in rows])
    return [
        {"id": str(row.id), "number": row.code, "balance": str(decimal_of(row.total - paid[row.id]))} for row in rows
    ]


async def check_budgets(
    session: AsyncSession, actor: Caller, clinic: UUID, patient_id: UUID | None, budgets: Sequence[UUID]
) -> Mapping[UUID, int]:
    """Totals of these accepted quotes, locked; of any patient where None is given. Raises NotFound, NotPayable."""
    query = select(Budget).where(Budget.id.in_(budgets), Budget.clinic_id == clinic).order_by(Budget.id)
    rows = await session.scalars(query.with_for_update().execution_options(populate_existing=True))
    found = {row.id: row for row in rows}
    for own in budgets:
        budget = found.get(own)
        if budget is None or (patient_id is not None and budget.patient_id != patient_id):
            raise NotFound(actor, what=said(actor, "presupuesto", "quote"))
        status = quoting.Status(budget.status)
        if status is not quoting.Status.ACCEPTED:
            names = quoting.NAMES[status]
            raise NotPayable(
                actor, what_es=QUOTE["es"], what_en=QUOTE["en"], status_es=names["es"], status_en=names["en"]
            )
    return {own: row.total for own, row in found.items()}


async def settle(session: AsyncSession, invoices: Iterable[Invoice]) -> None:
    """Give each standing invoice the state that its allocations say. The caller holds their locks."""
    rows = [row for row in invoices if invoicing.Status(row.status) in invoicing.STANDING]
    paid = await paid_of_invoices(session, [row.id for row in rows])
    for row in rows:
        row.status = invoicing.settled(row.total, paid[row.id]).value
    await session.flush()


async def release(session: AsyncSession, document: Invoice | Budget) -> None:
    """The money of a cancelled invoice or quote stands on account again. The caller holds the document's lock."""
    own = Allocation.invoice_id if isinstance(document, Invoice) else Allocation.budget_id
    for one in await session.scalars(select(Allocation).where(own == document.id)):
        one.invoice_id = one.budget_id = None
    await session.flush()
