"""Kinds of treatment: how long they usually take, who does them, and the words people use for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from deputize_hosts.clinic.auth.models import Role
from deputize_hosts.clinic.patients.fields import fold


class Treatment(StrEnum):
    """What an appointment is for."""

    CHECKUP = "checkup"
    FIRST_VISIT = "first_visit"
    HYGIENE = "hygiene"
    FILLING = "filling"
    ENDODONTICS = "endodontics"
    EXTRACTION = "extraction"
    CROWN = "crown"
    IMPLANT = "implant"
    ORTHODONTICS = "orthodontics"
    WHITENING = "whitening"
    EMERGENCY = "emergency"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Kind:
    """`minutes` is the usual length, `roles` who usually does it (first choice first), `words` other names."""

    minutes: int
    name: Mapping[str, str]
    roles: tuple[Role, ...]
    words: tuple[str, ...] = ()


_DENTIST = (Role.DENTIST,)
_HYGIENE = (Role.HYGIENIST, Role.DENTIST)

KINDS: Mapping[Treatment, Kind] = {
    Treatment.CHECKUP: Kind(30, {"es": "Revisión", "en": "Check-up"}, _DENTIST, ("control", "check up", "checkup")),
    Treatment.FIRST_VISIT: Kind(45, {"es": "Primera visita", "en": "First visit"}, _DENTIST, ("visita", "consulta")),
    Treatment.HYGIENE: Kind(
        45, {"es": "Higiene", "en": "Cleaning"}, _HYGIENE, ("limpieza", "hygiene", "profilaxis", "tartrectomía")
    ),
    Treatment.FILLING: Kind(45, {"es": "Empaste", "en": "Filling"}, _DENTIST, ("obturación", "caries", "cavity")),
    Treatment.ENDODONTICS: Kind(90, {"es": "Endodoncia", "en": "Root canal"}, _DENTIST, ("endodontics", "nervio")),
    Treatment.EXTRACTION: Kind(30, {"es": "Extracción", "en": "Extraction"}, _DENTIST, ("muela", "exodoncia")),
    Treatment.CROWN: Kind(60, {"es": "Corona", "en": "Crown"}, _DENTIST, ("funda",)),
    Treatment.IMPLANT: Kind(90, {"es": "Implante", "en": "Implant"}, _DENTIST),
    Treatment.ORTHODONTICS: Kind(30, {"es": "Ortodoncia", "en": "Orthodontics"}, _DENTIST, ("brackets", "braces")),
    Treatment.WHITENING: Kind(60, {"es": "Blanqueamiento", "en": "Whitening"}, _HYGIENE),
    Treatment.EMERGENCY: Kind(30, {"es": "Urgencia", "en": "Emergency"}, _DENTIST, ("dolor", "urgent", "pain")),
    Treatment.OTHER: Kind(30, {"es": "Otro", "en": "Other"}, (Role.DENTIST, Role.HYGIENIST)),
}


def _plain(text: str) -> str:
    return " ".join(fold(text).replace("-", " ").replace("_", " ").split())


_BY_WORD: Mapping[str, Treatment] = {
    _plain(word): treatment
    for treatment, kind in KINDS.items()
    for word in (treatment.value, *kind.name.values(), *kind.words)
}


def treatment_of(text: str) -> Treatment | None:
    """The treatment that people mean by a word in Spanish or English, whatever accents and case; None if unknown."""
    return _BY_WORD.get(_plain(text))


VOCABULARY = "; ".join(
    f"{treatment.value}: {', '.join((*kind.name.values(), *kind.words))}" for treatment, kind in KINDS.items()
)
"""The values with the words people use, for a schema's description."""
