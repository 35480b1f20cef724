"""The clinic's errors: each has a code, words in Spanish and English, and what would be legal instead."""

from collections.abc import Mapping
from typing import Any, ClassVar

from deputize_hosts.kit.errors import HostError, Speaks


class ClinicError(HostError):
    """Root of what the clinic refuses.

    `alternatives` is plain JSON data without personal values: allowed moves, the conflicting slot, free
    slots near it.
    """

    code: ClassVar[str] = "clinic_error"
    first: ClassVar[str] = "es"


class NotFound(ClinicError):
    """There is no such row in this clinic; another clinic's row answers the same."""

    code, status = "not_found", 404
    words: ClassVar[Mapping[str, str]] = {
        "es": "No existe en esta clínica: {what}.",
        "en": "There is no such thing in this clinic: {what}.",
    }


class NotAllowed(ClinicError):
    """The grants do not cover it."""

    code, status = "not_allowed", 403
    words: ClassVar[Mapping[str, str]] = {
        "es": "No tiene permiso para esto ({permission}).",
        "en": "You may not do this ({permission}).",
    }


class InvalidValue(ClinicError):
    """A value is not acceptable; `field` names it, the value itself is not repeated."""

    code, status = "invalid_value", 422
    words: ClassVar[Mapping[str, str]] = {"es": "{field}: {reason_es}", "en": "{field}: {reason_en}"}

    def __init__(
        self, asker: Speaks, field: str, es: str, en: str, *, alternatives: Mapping[str, Any] | None = None
    ) -> None:
        self.field = field
        super().__init__(asker, alternatives=alternatives, field=field, reason_es=es, reason_en=en)


class DuplicatePatient(ClinicError):
    """The national id belongs to another patient of the clinic."""

    code = "duplicate_patient"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Ya hay un paciente con ese documento de identidad.",
        "en": "There is already a patient with that identity document.",
    }


class PatientArchived(ClinicError):
    """Nothing is booked for an archived patient."""

    code = "patient_archived"
    words: ClassVar[Mapping[str, str]] = {
        "es": "El paciente está archivado; reactívelo antes de darle cita.",
        "en": "The patient is archived; restore them before booking.",
    }


class NotAProfessional(ClinicError):
    """The member does not treat patients."""

    code = "not_a_professional"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Esa persona no atiende pacientes en esta clínica.",
        "en": "That person does not treat patients in this clinic.",
    }


class CabinetInactive(ClinicError):
    """The cabinet is out of use."""

    code = "cabinet_inactive"
    words: ClassVar[Mapping[str, str]] = {
        "es": "El gabinete {cabinet} está fuera de servicio.",
        "en": "Cabinet {cabinet} is out of use.",
    }


class CabinetBusy(ClinicError):
    """Appointments to come need the cabinet."""

    code = "cabinet_busy"
    words: ClassVar[Mapping[str, str]] = {
        "es": "{cabinet} tiene {count} citas pendientes; cámbielas de gabinete antes.",
        "en": "{cabinet} has {count} appointments to come; move them to another cabinet first.",
    }


class DuplicateCabinet(ClinicError):
    """The clinic has a cabinet of that name."""

    code = "duplicate_cabinet"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Ya hay un gabinete que se llama {cabinet}.",
        "en": "There is already a cabinet called {cabinet}.",
    }


class CabinetNeeded(ClinicError):
    """Treatment starts in a cabinet."""

    code = "cabinet_needed"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Para empezar el tratamiento hace falta un gabinete.",
        "en": "Treatment needs a cabinet to start.",
    }


class SlotTaken(ClinicError):
    """The professional or the cabinet has another appointment then; alternatives name it and free slots."""

    code = "slot_taken"
    words: ClassVar[Mapping[str, str]] = {
        "es": "{who} ya tiene una cita de {start} a {end}.",
        "en": "{who} already has an appointment from {start} to {end}.",
    }


class NobodyFree(ClinicError):
    """No professional is free at that time; alternatives name the nearest free slots."""

    code = "nobody_free"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Ningún profesional está libre de {start} a {end}.",
        "en": "No professional is free from {start} to {end}.",
    }


class InThePast(ClinicError):
    """The time is over; alternatives name the next free slots."""

    code = "in_the_past"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Esa hora ya ha pasado ({when}).",
        "en": "That time has passed ({when}).",
    }


class IllegalMove(ClinicError):
    """The status table does not hold this move; alternatives list the allowed ones."""

    code = "illegal_transition"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Una cita «{before_es}» no puede pasar a «{after_es}». Permitido: {allowed_es}.",
        "en": "An appointment that is “{before_en}” cannot become “{after_en}”. Allowed: {allowed_en}.",
    }


class NotMovable(ClinicError):
    """Only appointments that have not begun can be rescheduled."""

    code = "not_movable"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Una cita «{status_es}» ya no se puede mover.",
        "en": "An appointment that is “{status_en}” can no longer be moved.",
    }


class OverrideOverlaps(ClinicError):
    """Two exceptions of one calendar would cover the same day; alternatives name the other one."""

    code = "override_overlaps"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Ya hay una excepción del {first} al {last}.",
        "en": "There is already an exception from {first} to {last}.",
    }
