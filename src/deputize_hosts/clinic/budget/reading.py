"""Looking at quotes: the list, one with its lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.budget.models import Budget, BudgetItem
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.documents import said
from deputize_hosts.clinic.errors import NotFound
from deputize_hosts.clinic.patients.models import Patient

READ = "budget.read"


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote with its patient, and its lines where they were asked for."""

    budget: Budget
    patient: Patient
    items: Sequence[BudgetItem] = ()


@dataclass(frozen=True, slots=True)
class Quotes:
    """One page of a list and how many there are in all."""

    items: tuple[Quote, ...]
    total: int


async def search(
    session: AsyncSession,
    actor: Caller,
    *,
    status: str = "",
    patient_id: UUID | None = None,
    page: int = 1,
    size: int = 20,
) -> Quotes:
    """Quotes, the newest first."""
    wanted = [Budget.clinic_id == require(actor, READ)]
    if status:
        wanted.append(Budget.status == status)
    if patient_id is not None:
        wanted.append(Budget.patient_id == patient_id)
    total = await session.scalar(select(func.count()).select_from(Budget).where(*wanted)) or 0
    rows = await session.execute(
        select(Budget, Patient)
        .join(Patient, Patient.id == Budget.patient_id)
        .where(*wanted)
        .order_by(Budget.year.desc(), Budget.number.desc(), Budget.version.desc(), Budget.id)
        .offset((page - 1) * size)
        .limit(size)
    )
    return Quotes(tuple(Quote(*row) for row in rows), total)


async def get(session: AsyncSession, actor: Caller, budget_id: UUID) -> Quote:
    """One quote with its lines. Raises NotFound, also for another clinic's."""
    clinic = require(actor, READ)
    query = select(Budget, Patient).join(Patient, Patient.id == Budget.patient_id)
    row = (await session.execute(query.where(Budget.id == budget_id, Budget.clinic_id == clinic))).one_or_none()
    if row is None:
        raise NotFound(actor, what=said(actor, "presupuesto", "quote"))
    return Quote(row[0], row[1], await lines_of(session, budget_id))


async def lines_of(session: AsyncSession, budget_id: UUID) -> tuple[BudgetItem, ...]:
    """The lines in order."""
    query = select(BudgetItem).where(BudgetItem.budget_id == budget_id).order_by(BudgetItem.position)
    return tuple(await session.scalars(query))
