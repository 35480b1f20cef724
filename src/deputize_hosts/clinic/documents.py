"""What quotes and invoices ask of other rows: the patient, the professional, the catalogue, the currency."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeVar
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.auth.models import Clinic, Membership
from deputize_hosts.clinic.caller import Caller
from deputize_hosts.clinic.catalog.models import CatalogItem
from deputize_hosts.clinic.errors import NotAProfessional, NotFound, PatientArchived
from deputize_hosts.clinic.lines import NewLine, PricedLine, put_line
from deputize_hosts.clinic.money import Line
from deputize_hosts.clinic.money_errors import IllegalStep, ItemInactive
from deputize_hosts.clinic.patients.models import Patient, PatientStatus

S = TypeVar("S", bound=StrEnum)
Names = Mapping[str, str]
QUOTE: Names = {"es": "Un presupuesto", "en": "A quote"}
INVOICE: Names = {"es": "Una factura", "en": "An invoice"}


def said(actor: Caller, es: str, en: str) -> str:
    """The words in the caller's language."""
    return en if actor.locale.lower().startswith("en") else es


async def clinic_of(session: AsyncSession, clinic_id: UUID) -> Clinic:
    """The caller's clinic."""
    return (await session.scalars(select(Clinic).where(Clinic.id == clinic_id))).one()


async def patient_of(
    session: AsyncSession, actor: Caller, clinic: UUID, patient_id: UUID, *, archived: bool = False
) -> Patient:
    """A patient of the clinic, locked against changes meanwhile. Raises NotFound, PatientArchived."""
    query = select(Patient).where(Patient.id == patient_id, Patient.clinic_id == clinic)
    patient = await session.scalar(query.with_for_update(read=True).execution_options(populate_existing=True))
    if patient is None:
        raise NotFound(actor, what=said(actor, "paciente", "patient"))
    if patient.status == PatientStatus.ARCHIVED and not archived:
        raise PatientArchived(actor)
    return patient


async def check_professional(session: AsyncSession, actor: Caller, clinic: UUID, member_id: UUID | None) -> None:
    """Nobody, or one who treats patients here. Raises NotFound, NotAProfessional."""
    if member_id is None:
        return
    query = select(Membership).where(Membership.id == member_id, Membership.clinic_id == clinic)
    member = await session.scalar(query)
    if member is None:
        raise NotFound(actor, what=said(actor, "profesional", "professional"))
    if not member.is_professional:
        raise NotAProfessional(actor)


async def fill_line(
    session: AsyncSession, actor: Caller, clinic: UUID, row: PricedLine, new: NewLine, language: str
) -> None:
    """Price a line from the catalogue or from what was entered. Raises NotFound, ItemInactive, InvalidValue."""
    item: CatalogItem | None = None
    if new.item_id is not None:
        query = select(CatalogItem).where(CatalogItem.id == new.item_id, CatalogItem.clinic_id == clinic)
        item = await session.scalar(query)
        if item is None:
            raise NotFound(actor, what=said(actor, "artículo", "catalogue item"))
        if not item.active:
            raise ItemInactive(actor, item=item.name(language))
    price = new.unit_price if new.unit_price is not None else item.price if item else -1
    vat = new.vat_bp if new.vat_bp is not None else item.vat_bp if item else 0
    row.catalog_item_id = item.id if item else None
    words = new.description.strip() or (item.name(language) if item else "")
    put_line(row, actor, Line(price, new.quantity, new.discount_bp, vat), words)


def illegal_step(
    actor: Caller,
    what: Names,
    names: Mapping[S, Names],
    before: S,
    after: S,
    allowed: Sequence[S],
) -> IllegalStep:
    """The refusal of a move that the table does not hold, with those that it does."""
    said_in = {
        language: ", ".join(names[one][language] for one in allowed) or {"es": "nada", "en": "nothing"}[language]
        for language in ("es", "en")
    }
    return IllegalStep(
        actor,
        alternatives={"allowed": [one.value for one in allowed]},
        what_es=what["es"],
        what_en=what["en"],
        before_es=names[before]["es"],
        before_en=names[before]["en"],
        after_es=names[after]["es"],
        after_en=names[after]["en"],
        allowed_es=said_in["es"],
        allowed_en=said_in["en"],
    )
