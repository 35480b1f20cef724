"""The case desk's errors: each has a code, words in English and Spanish, and what would be legal instead."""

from collections.abc import Mapping
from typing import Any, ClassVar

from deputize_hosts.kit.errors import HostError, Speaks


class CaseDeskError(HostError):
    """Root of what the case desk refuses.

    `alternatives` is plain JSON data without personal values: allowed resolutions, the panel's address.
    """

    code: ClassVar[str] = "casedesk_error"


class NotFound(CaseDeskError):
    """There is no such row here; another firm's or another customer's row answers the same."""

    code, status = "not_found", 404
    words: ClassVar[Mapping[str, str]] = {"en": "There is no such record here.", "es": "No existe aquí ese registro."}


class NotAllowed(CaseDeskError):
    """The grants do not cover it."""

    code, status = "not_allowed", 403
    words: ClassVar[Mapping[str, str]] = {
        "en": "You may not do this ({permission}).",
        "es": "No tiene permiso para esto ({permission}).",
    }


class InvalidValue(CaseDeskError):
    """A value is not acceptable; `field` names it, the value itself is not repeated."""

    code, status = "invalid_value", 422
    words: ClassVar[Mapping[str, str]] = {"en": "{field}: {reason_en}", "es": "{field}: {reason_es}"}

    def __init__(
        self, asker: Speaks, field: str, en: str, es: str, *, alternatives: Mapping[str, Any] | None = None
    ) -> None:
        self.field = field
        super().__init__(asker, alternatives=alternatives, field=field, reason_en=en, reason_es=es)


class NoNamedOfficer(CaseDeskError):
    """What may move an approval gate is a named officer's, never an anonymous caller's (ADR-0116, 2)."""

    code, status = "no_named_officer", 403
    words: ClassVar[Mapping[str, str]] = {
        "en": "Only a named officer of this firm can do this; nobody is named here.",
        "es": "Solo puede hacerlo una persona responsable con nombre de esta entidad; aquí no consta ninguna.",
    }


class ConflictsPanelOnly(CaseDeskError):
    """The discrepancy feeds the approval gate: the assistant may only escalate it (ADR-0116, 1)."""

    code, status = "conflicts_panel_only", 403
    words: ClassVar[Mapping[str, str]] = {
        "en": "This discrepancy feeds the approval gate. The assistant can only escalate it; an officer decides it in "
        "the Conflicts panel: {panel}",
        "es": "Esta discrepancia alimenta la puerta de aprobación. El asistente solo puede escalarla; la decide una "
        "persona responsable en el panel de conflictos: {panel}",
    }


class NotConfirmed(CaseDeskError):
    """The Conflicts panel clears nothing without the explicit confirmation."""

    code, status = "not_confirmed", 422
    words: ClassVar[Mapping[str, str]] = {
        "en": "Confirm explicitly that you have checked the evidence.",
        "es": "Confirme expresamente que ha comprobado las pruebas.",
    }


class AlreadyDecided(CaseDeskError):
    """A closed discrepancy can only be escalated again."""

    code = "already_decided"
    words: ClassVar[Mapping[str, str]] = {
        "en": "This discrepancy is closed; it can only be escalated again.",
        "es": "Esta discrepancia está cerrada; solo se puede volver a escalar.",
    }


class GateBlocked(CaseDeskError):
    """The approval gate is shut; `alternatives` names what blocks it."""

    code = "gate_blocked"
    words: ClassVar[Mapping[str, str]] = {
        "en": "The approval gate is shut: {count} open findings on identity or ownership.",
        "es": "La puerta de aprobación está cerrada: {count} hallazgos pendientes de identidad o titularidad.",
    }


class IllegalMove(CaseDeskError):
    """The case's status does not allow this; `alternatives` lists what it allows."""

    code = "illegal_transition"
    words: ClassVar[Mapping[str, str]] = {
        "en": "A case that is “{before}” cannot become “{after}”.",
        "es": "Un caso «{before}» no puede pasar a «{after}».",
    }


class SuppressesFinding(CaseDeskError):
    """A remembered fact must never silence a finding (ADR-0102)."""

    code, status = "suppresses_finding", 422
    words: ClassVar[Mapping[str, str]] = {
        "en": "The memory keeps nothing about findings or their outcome. Write a note in the case instead.",
        "es": "La memoria no guarda nada sobre hallazgos ni su resultado. Escribe una nota en el caso.",
    }


class DuplicateCase(CaseDeskError):
    """The firm has a case for this registration already."""

    code = "duplicate_case"
    words: ClassVar[Mapping[str, str]] = {
        "en": "There is already a case for this registration number.",
        "es": "Ya hay un caso para este número de registro.",
    }
