"""Making, sending and deciding quotes, with every rule that holds for them."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize import queue
from deputize_hosts.clinic.budget.letter import letter
from deputize_hosts.clinic.budget.models import Budget, BudgetItem
from deputize_hosts.clinic.budget.reading import Quote, Quotes, get, lines_of, search
from deputize_hosts.clinic.budget.status import MOVES, NAMES, Status
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.clock import today
from deputize_hosts.clinic.documents import (
    QUOTE,
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
from deputize_hosts.clinic.money_errors import (
    ContactRefused,
    EmailMissing,
    NoLines,
    NotADraft,
    StillValid,
    ValidityOver,
)
from deputize_hosts.clinic.numbering import next_number
from deputize_hosts.clinic.patient_timeline.service import Area, record
from deputize_hosts.clinic.payments.payable import release

WRITE = "budget.write"
SERIES = "P"
VALID_DAYS = 30


async def create(
    session: AsyncSession,
    actor: Caller,
    patient_id: UUID,
    *,
    now: datetime,
    professional_id: UUID | None = None,
    days: int = VALID_DAYS,
) -> Budget:
    """An empty draft with the year's next number, valid from today. Raises NotFound, PatientArchived."""
    clinic = require(actor, WRITE)
    patient = await patient_of(session, actor, clinic, patient_id)
    await check_professional(session, actor, clinic, professional_id)
    if not 1 <= days <= 365:
        raise InvalidValue(actor, "days", "entre 1 y 365", "between 1 and 365")
    on = today(actor, now)
    budget = Budget(
        clinic_id=clinic,
        patient_id=patient.id,
        professional_id=professional_id,
        year=on.year,
        number=await next_number(session, clinic, SERIES, on.year),
        version=1,
        status=Status.DRAFT.value,
        currency=(await clinic_of(session, clinic)).currency,
        valid_from=on,
        valid_until=on + timedelta(days=days),
        net=0,
        vat=0,
        total=0,
    )
    session.add(budget)
    await session.flush()
    record(session, clinic, patient.id, Area.BUDGET, "budget_created", budget.id, budget.code)
    await session.flush()
    return budget


async def add_line(session: AsyncSession, actor: Caller, budget_id: UUID, new: NewLine) -> BudgetItem:
    """One more line of a draft. Raises NotFound, NotADraft, ItemInactive, InvalidValue."""
    clinic = require(actor, WRITE)
    budget = await _draft(session, actor, clinic, budget_id)
    lines = await lines_of(session, budget.id)
    last = max((line.position for line in lines), default=0)
    language = "en" if (await clinic_of(session, clinic)).locale.startswith("en") else "es"
    line = BudgetItem(clinic_id=clinic, budget_id=budget.id, position=last + 1)
    await fill_line(session, actor, clinic, line, new, language)
    session.add(line)
    add_up(budget, [*lines, line])
    await session.flush()
    return line


async def remove_line(session: AsyncSession, actor: Caller, budget_id: UUID, line_id: UUID) -> None:
    """Take a line out of a draft. Raises NotFound, NotADraft."""
    clinic = require(actor, WRITE)
    budget = await _draft(session, actor, clinic, budget_id)
    lines = await lines_of(session, budget.id)
    gone = next((line for line in lines if line.id == line_id), None)
    if gone is None:
        raise NotFound(actor, what=said(actor, "línea", "line"))
    await session.delete(gone)
    add_up(budget, [line for line in lines if line is not gone])
    await session.flush()


async def send(session: AsyncSession, actor: Caller, budget_id: UUID, *, now: datetime) -> Budget:
    """Mark as sent and queue the e-mail to the patient's own address, once for each version.

    Raises NotFound, IllegalStep, NoLines, EmailMissing, ContactRefused, PatientArchived, ValidityOver.
    """
    clinic = require(actor, WRITE)
    budget = await _locked(session, actor, clinic, budget_id)
    _check_move(actor, budget, Status.SENT)
    lines = await lines_of(session, budget.id)
    patient = await patient_of(session, actor, clinic, budget.patient_id)
    if not lines:
        raise NoLines(actor)
    if patient.do_not_contact:
        raise ContactRefused(actor)
    if not patient.email:
        raise EmailMissing(actor)
    _still_valid(actor, budget, now)
    budget.status, budget.sent_at = Status.SENT.value, now
    payload = letter(await clinic_of(session, clinic), patient, budget, lines)
    queue(session, "email", payload, key=f"quote:{budget.id}:{budget.version}", tenant=str(clinic))
    record(session, clinic, patient.id, Area.BUDGET, "budget_sent", budget.id, budget.code)
    await session.flush()
    return budget


async def set_status(session: AsyncSession, actor: Caller, budget_id: UUID, after: Status, *, now: datetime) -> Budget:
    """Accept, reject, cancel (what was paid in advance stands on account), or let expire. To send use `send`.

    Raises NotFound, IllegalStep, NoLines and ValidityOver on accepting, StillValid on expiring too early.
    """
    clinic = require(actor, WRITE)
    budget = await _locked(session, actor, clinic, budget_id)
    _check_move(actor, budget, after)
    if after is Status.SENT:
        raise InvalidValue(actor, "status", "para enviar está «enviar»", "to send use “send”")
    if after is Status.ACCEPTED:
        if not await lines_of(session, budget.id):
            raise NoLines(actor)
        _still_valid(actor, budget, now)
    if after is Status.EXPIRED and today(actor, now) <= budget.valid_until:
        raise StillValid(actor, day=f"{budget.valid_until:%d/%m/%Y}")
    budget.status = after.value
    if after is Status.CANCELLED:
        await release(session, budget)
    record(session, clinic, budget.patient_id, Area.BUDGET, f"budget_{after.value}", budget.id, budget.code)
    await session.flush()
    return budget


async def revise(session: AsyncSession, actor: Caller, budget_id: UUID, *, now: datetime) -> Budget:
    """A new version with the same number and lines, as a draft; one that was sent is cancelled by it.

    Raises NotFound, and IllegalStep for a draft or an accepted quote.
    """
    clinic = require(actor, WRITE)
    old = await _locked(session, actor, clinic, budget_id)
    if Status(old.status) in (Status.DRAFT, Status.ACCEPTED):
        raise illegal_step(actor, QUOTE, NAMES, Status(old.status), Status.DRAFT, MOVES[Status(old.status)])
    if Status(old.status) is Status.SENT:
        await set_status(session, actor, old.id, Status.CANCELLED, now=now)
    await patient_of(session, actor, clinic, old.patient_id)
    same = (Budget.clinic_id == clinic, Budget.year == old.year, Budget.number == old.number)
    newest = await session.scalar(select(func.max(Budget.version)).where(*same)) or old.version
    on = today(actor, now)
    budget = Budget(
        clinic_id=clinic,
        patient_id=old.patient_id,
        professional_id=old.professional_id,
        year=old.year,
        number=old.number,
        version=newest + 1,
        status=Status.DRAFT.value,
        currency=old.currency,
        valid_from=on,
        valid_until=on + timedelta(days=VALID_DAYS),
    )
    session.add(budget)
    await session.flush()
    lines = []
    for line in await lines_of(session, old.id):
        lines.append(BudgetItem(clinic_id=clinic, budget_id=budget.id))
        copy_line(line, lines[-1])
    session.add_all(lines)
    add_up(budget, lines)
    record(session, clinic, budget.patient_id, Area.BUDGET, "budget_created", budget.id, budget.code)
    await session.flush()
    return budget


def _check_move(actor: Caller, budget: Budget, after: Status) -> None:
    before = Status(budget.status)
    if after not in MOVES[before]:
        raise illegal_step(actor, QUOTE, NAMES, before, after, MOVES[before])


def _still_valid(actor: Caller, budget: Budget, now: datetime) -> None:
    if today(actor, now) > budget.valid_until:
        raise ValidityOver(actor, day=f"{budget.valid_until:%d/%m/%Y}")


async def _locked(session: AsyncSession, actor: Caller, clinic: UUID, budget_id: UUID) -> Budget:
    query = select(Budget).where(Budget.id == budget_id, Budget.clinic_id == clinic)
    budget = await session.scalar(query.with_for_update().execution_options(populate_existing=True))
    if budget is None:
        raise NotFound(actor, what=said(actor, "presupuesto", "quote"))
    return budget


async def _draft(session: AsyncSession, actor: Caller, clinic: UUID, budget_id: UUID) -> Budget:
    budget = await _locked(session, actor, clinic, budget_id)
    if Status(budget.status) is not Status.DRAFT:
        raise NotADraft(actor)
    return budget


__all__ = [
    "MOVES",
    "Quote",
    "Quotes",
    "Status",
    "add_line",
    "create",
    "decimal_of",
    "get",
    "lines_of",
    "remove_line",
    "revise",
    "search",
    "send",
    "set_status",
]
