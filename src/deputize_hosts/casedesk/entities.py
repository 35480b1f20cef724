"""How the case desk's rows are named, hidden and trusted wherever the copilot shows them."""

from deputize import Entity
from deputize_hosts.casedesk.auth.models import User
from deputize_hosts.casedesk.cases.models import Case, CaseNote, CasePerson, Evidence
from deputize_hosts.casedesk.conflicts.models import Discrepancy, DiscrepancyResolution
from deputize_hosts.casedesk.feedback.models import FindingFeedback
from deputize_hosts.casedesk.memory.models import Memory

COMMON = {
    "firm_id": {"en": "Firm", "es": "Entidad"},
    "case_id": {"en": "Case", "es": "Caso"},
    "author_id": {"en": "Author", "es": "Autoría"},
    "officer_id": {"en": "Officer", "es": "Responsable"},
    "discrepancy_id": {"en": "Discrepancy", "es": "Discrepancia"},
    "via": {"en": "By way of", "es": "Por medio de"},
    "at": {"en": "When", "es": "Cuándo"},
    "status": {"en": "Status", "es": "Estado"},
}

CASE = Entity(
    "case",
    Case,
    tenant="firm_id",
    label=lambda row: f"{row.company_name} ({row.reference})",
    read="cases.read",
    url="/cases/{id}",
    changed="updated_at",
    trusted=frozenset({"company_name", "reference", "registration_number"}),
    volatile=frozenset({"created_at", "updated_at"}),
    title={"en": "Case", "es": "Caso"},
    captions={
        **COMMON,
        "company_name": {"en": "Company", "es": "Empresa"},
        "updated_at": {"en": "Last change", "es": "Último cambio"},
    },
)

PERSON = Entity(
    "person",
    CasePerson,
    tenant="firm_id",
    label=lambda row: str(row.name),
    read="cases.read",
    changed="updated_at",
    personal={"name": "NAME", "birth_date": "DATE"},
    volatile=frozenset({"created_at", "updated_at"}),
    title={"en": "Person", "es": "Persona"},
    captions={**COMMON, "name": {"en": "Name", "es": "Nombre"}},
)

EVIDENCE = Entity(
    "evidence",
    Evidence,
    tenant="firm_id",
    label=lambda row: f"{row.source}",
    read="evidence.read",
    title={"en": "Evidence", "es": "Prueba"},
    captions=COMMON,
)

DISCREPANCY = Entity(
    "discrepancy",
    Discrepancy,
    tenant="firm_id",
    label=lambda row: f"{row.field} ({row.severity})",
    read="discrepancies.read",
    version="revision",
    volatile=frozenset({"found_at"}),
    title={"en": "Discrepancy", "es": "Discrepancia"},
    captions={
        **COMMON,
        "decided_via": {"en": "Decided by way of", "es": "Decidida por medio de"},
        "revision": {"en": "Revision", "es": "Revisión"},
    },
)

RESOLUTION = Entity(
    "resolution",
    DiscrepancyResolution,
    tenant="firm_id",
    label=lambda row: str(row.type),
    read="discrepancies.read",
    volatile=frozenset({"id", "at"}),
    title={"en": "Decision", "es": "Decisión"},
    captions={
        **COMMON,
        "type": {"en": "Decision", "es": "Decisión"},
        "rationale": {"en": "Reason", "es": "Motivo"},
    },
)

NOTE = Entity(
    "case_note",
    CaseNote,
    tenant="firm_id",
    label=lambda row: f"{row.at:%Y-%m-%d}",
    read="cases.read",
    volatile=frozenset({"id", "at"}),
    title={"en": "Case note", "es": "Nota del caso"},
    captions={**COMMON, "body": {"en": "Text", "es": "Texto"}},
)

MEMORY = Entity(
    "memory",
    Memory,
    tenant="firm_id",
    label=lambda row: f"{row.at:%Y-%m-%d}",
    read="memory.read",
    volatile=frozenset({"id", "at"}),
    title={"en": "Remembered fact", "es": "Dato recordado"},
    captions={**COMMON, "fact": {"en": "Fact", "es": "Dato"}},
)

FEEDBACK = Entity(
    "finding_feedback",
    FindingFeedback,
    tenant="firm_id",
    label=lambda row: str(row.opinion),
    read="discrepancies.read",
    volatile=frozenset({"id", "at"}),
    title={"en": "Feedback", "es": "Opinión"},
    captions={
        **COMMON,
        "opinion": {"en": "Opinion", "es": "Opinión"},
        "comment": {"en": "Comment", "es": "Comentario"},
    },
)

OFFICER = Entity(
    "officer",
    User,
    tenant="firm_id",
    label=lambda row: str(row.name),
    read="cases.read",
    trusted=frozenset({"name"}),
    volatile=frozenset({"created_at", "updated_at"}),
    title={"en": "Officer", "es": "Responsable"},
    captions={"name": {"en": "Name", "es": "Nombre"}},
)

ENTITIES = (CASE, PERSON, EVIDENCE, DISCREPANCY, RESOLUTION, NOTE, MEMORY, FEEDBACK, OFFICER)
"""None of them can be read with a portal permission, so that no customer's screen can name one."""
