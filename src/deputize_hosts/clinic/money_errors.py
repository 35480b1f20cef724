"""What quotes, invoices, payments and recalls refuse, with what would be legal instead."""

from collections.abc import Mapping
from typing import ClassVar

from deputize_hosts.clinic.errors import ClinicError


class IllegalStep(ClinicError):
    """The status table of the document does not hold this move; alternatives list the allowed ones."""

    code = "illegal_transition"
    words: ClassVar[Mapping[str, str]] = {
        "es": "{what_es} en estado «{before_es}» no puede pasar a «{after_es}». Permitido: {allowed_es}.",
        "en": "{what_en} that is “{before_en}” cannot become “{after_en}”. Allowed: {allowed_en}.",
    }


class NotADraft(ClinicError):
    """Lines change while the document is a draft, never afterwards."""

    code = "not_a_draft"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Solo se pueden cambiar las líneas de un borrador.",
        "en": "Only a draft's lines can be changed.",
    }


class NoLines(ClinicError):
    """An empty document is neither sent, accepted nor issued."""

    code = "no_lines"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Añada antes al menos una línea.",
        "en": "Add at least one line first.",
    }


class EmailMissing(ClinicError):
    """The quote goes to the patient's own address, and there is none."""

    code = "email_missing"
    words: ClassVar[Mapping[str, str]] = {
        "es": "El paciente no tiene correo; añádalo a su ficha antes de enviar.",
        "en": "The patient has no e-mail address; add it to their card before sending.",
    }


class ContactRefused(ClinicError):
    """The patient has asked not to be contacted."""

    code = "do_not_contact"
    words: ClassVar[Mapping[str, str]] = {
        "es": "El paciente ha pedido que no se le contacte.",
        "en": "The patient has asked not to be contacted.",
    }


class ValidityOver(ClinicError):
    """The quote's last day has passed; a new version can be made."""

    code = "validity_over"
    words: ClassVar[Mapping[str, str]] = {
        "es": "El presupuesto venció el {day}; haga una versión nueva.",
        "en": "The quote was valid until {day}; make a new version.",
    }


class StillValid(ClinicError):
    """A quote expires after its last day, not before."""

    code = "still_valid"
    words: ClassVar[Mapping[str, str]] = {
        "es": "El presupuesto es válido hasta el {day}; todavía no caduca.",
        "en": "The quote is valid until {day}; it does not expire yet.",
    }


class ItemInactive(ClinicError):
    """The catalogue item is no longer offered."""

    code = "item_inactive"
    words: ClassVar[Mapping[str, str]] = {
        "es": "{item} ya no se ofrece.",
        "en": "{item} is no longer offered.",
    }


class DuplicateCode(ClinicError):
    """The code belongs to another catalogue item."""

    code = "duplicate_code"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Ya hay un artículo con el código {item}.",
        "en": "There is already an item with code {item}.",
    }


class NotPayable(ClinicError):
    """Money goes to issued invoices and accepted quotes; alternatives list the patient's open invoices."""

    code = "not_payable"
    words: ClassVar[Mapping[str, str]] = {
        "es": "{what_es} en estado «{status_es}» no admite cobros.",
        "en": "{what_en} that is “{status_en}” takes no payments.",
    }


class TooMuch(ClinicError):
    """More than is still owed or still there; alternatives name the most that is possible."""

    code = "too_much"
    words: ClassVar[Mapping[str, str]] = {
        "es": "Como mucho {most_es}.",
        "en": "At most {most_en}.",
    }


class RecallOver(ClinicError):
    """A recall that has ended takes no attempts and does not move; alternatives offer a new one."""

    code = "recall_over"
    words: ClassVar[Mapping[str, str]] = {
        "es": "El recordatorio ya está «{status_es}»; cree otro si hace falta.",
        "en": "The recall is already “{status_en}”; create another one if needed.",
    }
