"""How the clinic's rows are named, hidden and trusted wherever the copilot shows them: people and the agenda."""

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from deputize import Entity
from deputize_hosts.clinic.agenda.models import Appointment, Cabinet
from deputize_hosts.clinic.agenda.status import NAMES
from deputize_hosts.clinic.agenda.treatments import KINDS
from deputize_hosts.clinic.auth.models import Membership
from deputize_hosts.clinic.money_entities import ALLOCATION, BUDGET, CATALOG_ITEM, INVOICE, PAYMENT
from deputize_hosts.clinic.patients.models import Patient
from deputize_hosts.clinic.recalls.entity import RECALL

STAMPS = frozenset({"created_at", "updated_at"})
STAMP_CAPTIONS = {
    "created_at": {"es": "Creado", "en": "Created"},
    "updated_at": {"es": "Último cambio", "en": "Last change"},
    "clinic_id": {"es": "Clínica", "en": "Clinic"},
}


def _appointment_label(row: Appointment) -> str:
    """Whose and when, in clinic time; the relations are loaded with the row."""
    local = row.starts_at.astimezone(ZoneInfo(row.clinic.time_zone))
    return f"{row.patient.full_name}, {local:%d/%m %H:%M}"


STATUS_WORDS: Mapping[str, Mapping[str, str]] = {f"status={status.value}": name for status, name in NAMES.items()}
TREATMENT_WORDS: Mapping[str, Mapping[str, str]] = {f"treatment={one.value}": kind.name for one, kind in KINDS.items()}

PATIENT = Entity(
    "patient",
    Patient,
    tenant="clinic_id",
    label=lambda row: f"{row.first_name} {row.last_name}",
    read="patients.read",
    url="/patients/{id}",
    changed="updated_at",
    personal={
        "first_name": "NAME",
        "last_name": "NAME",
        "phone": "PHONE",
        "email": "EMAIL",
        "birth_date": "DATE",
        "national_id": "ID",
        "address": "ADDRESS",
    },
    trusted=frozenset({"first_name", "last_name", "phone", "email", "birth_date", "national_id", "address"}),
    volatile=STAMPS,
    title={"es": "Paciente", "en": "Patient"},
    captions={
        **STAMP_CAPTIONS,
        "first_name": {"es": "Nombre", "en": "First name"},
        "last_name": {"es": "Apellidos", "en": "Last name"},
        "phone": {"es": "Teléfono", "en": "Phone"},
        "email": {"es": "Correo", "en": "E-mail"},
        "birth_date": {"es": "Fecha de nacimiento", "en": "Birth date"},
        "national_id_kind": {"es": "Tipo de documento", "en": "Kind of document"},
        "national_id": {"es": "Documento", "en": "Document"},
        "address": {"es": "Dirección", "en": "Address"},
        "notes": {"es": "Notas", "en": "Notes"},
        "status": {"es": "Estado", "en": "Status"},
        "status=active": {"es": "Activo", "en": "Active"},
        "status=archived": {"es": "Archivado", "en": "Archived"},
        "do_not_contact": {"es": "No contactar", "en": "Do not contact"},
    },
)

APPOINTMENT = Entity(
    "appointment",
    Appointment,
    tenant="clinic_id",
    label=_appointment_label,
    read="agenda.appointments.read",
    url="/appointments/{id}",
    changed="updated_at",
    volatile=STAMPS,
    context=("patient_id", "starts_at", "professional_id", "treatment"),
    title={"es": "Cita", "en": "Appointment"},
    captions={
        **STAMP_CAPTIONS,
        **STATUS_WORDS,
        **TREATMENT_WORDS,
        "patient_id": {"es": "Paciente", "en": "Patient"},
        "professional_id": {"es": "Profesional", "en": "Professional"},
        "cabinet_id": {"es": "Gabinete", "en": "Cabinet"},
        "starts_at": {"es": "Empieza", "en": "Starts"},
        "ends_at": {"es": "Termina", "en": "Ends"},
        "treatment": {"es": "Tratamiento", "en": "Treatment"},
        "note": {"es": "Nota", "en": "Note"},
        "status": {"es": "Estado", "en": "Status"},
    },
)

PROFESSIONAL = Entity(
    "professional",
    Membership,
    tenant="clinic_id",
    label=lambda row: str(row.name),
    read="agenda.appointments.read",
    changed="updated_at",
    trusted=frozenset({"name"}),
    volatile=STAMPS,
    title={"es": "Profesional", "en": "Professional"},
    captions={**STAMP_CAPTIONS, "name": {"es": "Nombre", "en": "Name"}, "role": {"es": "Función", "en": "Role"}},
)

CABINET = Entity(
    "cabinet",
    Cabinet,
    tenant="clinic_id",
    label=lambda row: str(row.name),
    read="agenda.cabinets.read",
    trusted=frozenset({"name"}),
    title={"es": "Gabinete", "en": "Cabinet"},
    captions={
        "clinic_id": STAMP_CAPTIONS["clinic_id"],
        "name": {"es": "Nombre", "en": "Name"},
        "active": {"es": "En uso", "en": "In use"},
    },
)

ENTITIES = (
    PATIENT,
    APPOINTMENT,
    PROFESSIONAL,
    CABINET,
    RECALL,
    CATALOG_ITEM,
    BUDGET,
    INVOICE,
    PAYMENT,
    ALLOCATION,
)
