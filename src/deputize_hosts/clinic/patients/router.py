"""Pages of patients: the list with search, the card, and its forms."""

from collections.abc import Mapping
from datetime import date
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.clock import today
from deputize_hosts.clinic.errors import ClinicError, InvalidValue
from deputize_hosts.clinic.pages.access import Form, Now, Signed, reading, writing
from deputize_hosts.clinic.pages.render import language_of, show, told_error
from deputize_hosts.clinic.pages.words import WORDS
from deputize_hosts.clinic.patients import service
from deputize_hosts.clinic.patients.models import IdKind, PatientStatus
from deputize_hosts.clinic.patients.service import Patient, PatientData
from deputize_hosts.clinic.patients.whole import whole_person
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/patients")
SIZE = 20


def _ok(member: Member, key: str) -> str:
    return WORDS.say(language_of(member), key)


@router.get("")
async def list_page(request: Request, member: Signed, q: str = "", page: int = 1, archived: bool = False) -> Response:
    """Search and list."""
    number = max(page, 1)
    async with reading(request) as session:
        found = await service.search(session, member, q, page=number, size=SIZE, archived=archived)
    pages = max(1, -(-found.total // SIZE))
    return show(
        request, member, "patients.html", "patients", found=found, q=q, page=number, pages=pages, archived=archived
    )


@router.get("/new")
async def new_page(request: Request, member: Signed) -> Response:
    """An empty card to fill in."""
    return _form(request, member, {}, None)


@router.post("/new")
async def create(request: Request, member: Signed, form: Form) -> Response:
    """Register a patient."""
    try:
        data = _data(member, form)
        async with writing(request) as session:
            made = await service.create(session, member, data)
    except ClinicError as error:
        return _form(request, member, form, None, error)
    return go(request, f"/patients/{made.id}", ok=_ok(member, "patient.saved"))


@router.get("/{patient_id}")
async def card_page(request: Request, member: Signed, patient_id: UUID, now: Now) -> Response:
    """Everything about a person, each part only for whoever may see it."""
    async with reading(request) as session:
        patient = await service.get(session, member, patient_id)
        parts = await whole_person(session, member, patient_id)
    return show(
        request,
        member,
        "patient.html",
        "patient",
        entities=[("patient", patient_id)],
        patient=patient,
        person=parts,
        on=today(member, now),
    )


@router.get("/{patient_id}/edit")
async def edit_page(request: Request, member: Signed, patient_id: UUID) -> Response:
    """The card as a form."""
    async with reading(request) as session:
        patient = await service.get(session, member, patient_id)
    return _form(request, member, _values(patient), patient)


@router.post("/{patient_id}/edit")
async def edit(request: Request, member: Signed, patient_id: UUID, form: Form) -> Response:
    """Save the card."""
    try:
        data = _data(member, form)
        async with writing(request) as session:
            await service.update(session, member, patient_id, data)
    except ClinicError as error:
        async with reading(request) as session:
            patient = await service.get(session, member, patient_id)
        return _form(request, member, form, patient, error)
    return go(request, f"/patients/{patient_id}", ok=_ok(member, "patient.saved"))


@router.post("/{patient_id}/archive")
async def archive(request: Request, member: Signed, patient_id: UUID, form: Form) -> Response:
    """Hide from search and booking."""
    async with writing(request) as session:
        await service.set_status(session, member, patient_id, PatientStatus.ARCHIVED)
    return go(request, f"/patients/{patient_id}", ok=_ok(member, "patient.archived.done"))


@router.post("/{patient_id}/restore")
async def restore(request: Request, member: Signed, patient_id: UUID, form: Form) -> Response:
    """Make active again."""
    async with writing(request) as session:
        await service.set_status(session, member, patient_id, PatientStatus.ACTIVE)
    return go(request, f"/patients/{patient_id}", ok=_ok(member, "patient.restored.done"))


FIELDS = (
    "first_name",
    "last_name",
    "phone",
    "email",
    "birth_date",
    "national_id_kind",
    "national_id",
    "address",
    "notes",
    "do_not_contact",
)


def _values(patient: Patient) -> dict[str, str]:
    values = {name: str(getattr(patient, name) or "") for name in FIELDS}
    return {**values, "do_not_contact": "1" if patient.do_not_contact else ""}


def _data(member: Member, form: Mapping[str, str]) -> PatientData:
    """The form as the service wants it. Raises InvalidValue for a date that is none."""
    born = form.get("birth_date", "")
    try:
        birth_date = date.fromisoformat(born) if born else None
    except ValueError:
        raise InvalidValue(member, "birth_date", "no es una fecha", "is not a date") from None
    texts = {name: form.get(name, "") for name in FIELDS if name not in {"birth_date", "do_not_contact"}}
    return PatientData(**texts, birth_date=birth_date, do_not_contact=bool(form.get("do_not_contact")))


def _form(
    request: Request,
    member: Member,
    given: Mapping[str, str],
    patient: Patient | None,
    error: ClinicError | None = None,
) -> Response:
    return show(
        request,
        member,
        "patient_form.html",
        "patient_form",
        entities=[("patient", patient.id)] if patient else [],
        status=error.status if error else 200,
        patient=patient,
        given={name: given.get(name, "") for name in FIELDS},
        kinds=["", *(kind.value for kind in IdKind)],
        error=told_error(error),
        wrong=error.field if isinstance(error, InvalidValue) else "",
    )
