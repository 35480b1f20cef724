"""How recalls are named and worded on the copilot's cards."""

from typing import Any

from deputize import Entity
from deputize_hosts.clinic.recalls.models import Recall
from deputize_hosts.clinic.recalls.status import PRIORITIES, REASONS, STATUSES, Reason

_ES = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
_EN = "January February March April May June July August September October November December"
_MONTHS = {"es": _ES.split(), "en": _EN.split()}


def month_words(value: Any, row: Any, language: str) -> str:
    """`julio de 2026` for the first day of a month as ISO text."""
    year, month = str(value)[:4], _MONTHS[language][int(str(value)[5:7]) - 1]
    return f"{month} de {year}" if language == "es" else f"{month} {year}"


def _label(row: Recall) -> str:
    """Whose and what for; the patient is loaded with the row."""
    return f"{row.patient.full_name}, {REASONS[Reason(row.reason)]['es'].lower()}"


RECALL = Entity(
    "recall",
    Recall,
    tenant="clinic_id",
    label=_label,
    read="recalls.read",
    url="/recalls/{id}",
    changed="updated_at",
    volatile=frozenset({"created_at", "updated_at"}),
    context=("patient_id", "reason", "due_month"),
    words={"due_month": month_words},
    title={"es": "Recordatorio", "en": "Recall"},
    captions={
        **{f"reason={one.value}": words for one, words in REASONS.items()},
        **{f"status={one.value}": words for one, words in STATUSES.items()},
        **{f"priority={one.value}": words for one, words in PRIORITIES.items()},
        "patient_id": {"es": "Paciente", "en": "Patient"},
        "reason": {"es": "Motivo", "en": "Reason"},
        "due_month": {"es": "Para", "en": "Due"},
        "priority": {"es": "Prioridad", "en": "Priority"},
        "status": {"es": "Estado", "en": "Status"},
        "note": {"es": "Nota", "en": "Note"},
        "created_at": {"es": "Creado", "en": "Created"},
        "updated_at": {"es": "Último cambio", "en": "Last change"},
    },
)
