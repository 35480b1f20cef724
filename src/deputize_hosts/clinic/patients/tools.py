"""What the copilot may do with patients."""

from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import Field

from deputize import (
    Args,
    Context,
    Destination,
    Personal,
    Public,
    Result,
    Target,
    Text,
    Toolset,
    Trusted,
    Yields,
    tool,
)
from deputize_hosts.clinic.patients import service
from deputize_hosts.clinic.patients.service import Patient

INDEX = {"patient_words": {"es": "Actualiza el índice de búsqueda", "en": "Updates the search index"}}
"""Derived from the patient's row in the same transaction."""
TIMELINE = {"timeline_events": {"es": "Se anota en la línea de tiempo", "en": "Noted on the patient's timeline"}}


class SearchPatients(Args):
    query: Annotated[str, Field(min_length=1, max_length=120, description="Name, phone, e-mail or document")]
    page: Annotated[int, Field(ge=1, le=100)] = 1


class PatientHit(Result):
    id: Annotated[UUID, Yields("patient")]
    full_name: Annotated[str, Personal("NAME", of="id"), Trusted()]
    phone: Annotated[str | None, Personal("PHONE", of="id"), Trusted()]
    email: Annotated[str | None, Personal("EMAIL", of="id"), Trusted()]


class PatientHits(Result):
    many: ClassVar[str | None] = "items"
    items: list[PatientHit]
    total: int


class OnePatient(Args):
    patient: Annotated[UUID, Target("patient")]


class PatientCard(Result):
    id: Annotated[UUID, Yields("patient")]
    first_name: Annotated[str, Personal("NAME", of="id"), Trusted()]
    last_name: Annotated[str, Personal("NAME", of="id"), Trusted()]
    phone: Annotated[str | None, Personal("PHONE", of="id"), Trusted()]
    email: Annotated[str | None, Personal("EMAIL", of="id"), Trusted()]
    birth_date: Annotated[str | None, Personal("DATE", of="id"), Trusted()]
    national_id: Annotated[str | None, Personal("ID", of="id"), Trusted()]
    address: Annotated[str | None, Personal("ADDRESS", of="id"), Trusted()]
    status: Annotated[str, Public()]
    do_not_contact: bool


class CreatePatient(Args):
    first_name: Annotated[
        str, Field(min_length=1, max_length=200, description="The whole name if it is not known apart")
    ]
    last_name: Annotated[str, Field(max_length=120, description="Left out if the first name holds the whole name")] = ""
    phone: Annotated[str, Destination("phone"), Field(max_length=30)] = ""
    email: Annotated[str, Destination("email"), Field(max_length=254)] = ""


class UpdatePatient(Args):
    patient: Annotated[UUID, Target("patient")]
    phone: Annotated[str | None, Destination("phone"), Field(max_length=30)] = None
    email: Annotated[str | None, Destination("email"), Field(max_length=254)] = None
    address: Annotated[str | None, Text(), Field(max_length=240)] = None
    do_not_contact: bool | None = None


class Saved(Result):
    id: Annotated[UUID, Yields("patient")]
    full_name: Annotated[str, Personal("NAME", of="id"), Trusted()]


@tool(
    permissions=["patients.read"],
    effect="read",
    title={"es": "Buscar pacientes", "en": "Search patients"},
    say={
        "es": [
            "busca a María López",
            "pacientes que se llamen María",
            "¿quién tiene el teléfono 600 123 456?",
            "encuentra al paciente García",
        ],
        "en": ["find María López", "patients called María", "who has the phone 600 123 456?", "look up patient García"],
    },
)
async def search_patients(ctx: Context, args: SearchPatients) -> PatientHits:
    """Find active patients. Every word must match name, phone, e-mail or document; accents and case do not matter."""
    found = await service.search(ctx.session, ctx.actor, args.query, page=args.page, size=10)
    items = [PatientHit(id=p.id, full_name=p.full_name, phone=p.phone, email=p.email) for p in found.items]
    return PatientHits(items=items, total=found.total)


@tool(
    permissions=["patients.read"],
    effect="read",
    title={"es": "Ver la ficha del paciente", "en": "See the patient's card"},
    say={
        "es": ["enséñame la ficha de María López", "¿qué teléfono tiene María López?", "datos de este paciente"],
        "en": ["show me María López's card", "what is María López's phone?", "this patient's details"],
    },
)
async def get_patient(ctx: Context, args: OnePatient) -> PatientCard:
    """One patient's contact data and status."""
    return _card(await service.get(ctx.session, ctx.actor, args.patient))


@tool(
    permissions=["patients.write"],
    effect="write",
    title={"es": "Crear paciente", "en": "Create patient"},
    say={
        "es": ["crea la paciente Ana Pérez Soto con teléfono 600 111 222", "da de alta a Luis Gil, luis@example.com"],
        "en": ["create patient Ana Pérez, phone 600 111 222", "add a new patient called Luis Gil"],
    },
    no_target="A new patient does not exist yet, so there is no object to name.",
    hidden={**INDEX, **TIMELINE},
)
async def create_patient(ctx: Context, args: CreatePatient) -> Saved:
    """Register a new patient with name and contact data. Search first, so that nobody is registered twice."""
    first, last = (args.first_name, args.last_name) if args.last_name else service.parted(args.first_name)
    data = service.PatientData(first, last, phone=args.phone, email=args.email)
    made = await service.create(ctx.session, ctx.actor, data)
    return Saved(id=made.id, full_name=made.full_name)


@tool(
    permissions=["patients.write"],
    effect="write",
    title={"es": "Cambiar datos de contacto", "en": "Change contact data"},
    say={
        "es": [
            "cambia el teléfono de María López a 600 333 444",
            "el correo nuevo de María López es maria@example.com",
            "el móvil de María López ahora es el 600 333 444",
            "no contactar más con este paciente",
        ],
        "en": ["change María López's phone to 600 333 444", "set this patient's e-mail to maria@example.com"],
    },
    hidden=INDEX,
)
async def update_patient(ctx: Context, args: UpdatePatient) -> Saved:
    """Change a patient's phone, e-mail, address or wish not to be contacted. Left out means unchanged, "" clears."""
    changed = await service.update_contact(
        ctx.session,
        ctx.actor,
        args.patient,
        phone=args.phone,
        email=args.email,
        address=args.address,
        do_not_contact=args.do_not_contact,
    )
    return Saved(id=changed.id, full_name=changed.full_name)


def _card(patient: Patient) -> PatientCard:
    return PatientCard(
        id=patient.id,
        first_name=patient.first_name,
        last_name=patient.last_name,
        phone=patient.phone,
        email=patient.email,
        birth_date=patient.birth_date.isoformat() if patient.birth_date else None,
        national_id=patient.national_id,
        address=patient.address,
        status=patient.status,
        do_not_contact=patient.do_not_contact,
    )


TOOLS = Toolset("patients", [search_patients, get_patient, create_patient, update_patient])
