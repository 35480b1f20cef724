"""The desk's errors: each has a code, words in English and Spanish, and what would be legal instead."""

from collections.abc import Mapping
from typing import ClassVar

from deputize_hosts.kit.errors import HostError, Speaks


class DeskError(HostError):
    """Root of what the desk refuses.

    `alternatives` is plain JSON data without personal values: allowed moves, the version as it is now.
    """

    code: ClassVar[str] = "desk_error"


class NotFound(DeskError):
    """There is no such row for this person; another's row and another organisation's row answer the same."""

    code, status = "not_found", 404
    words: ClassVar[Mapping[str, str]] = {"en": "There is no such record here.", "es": "No existe aquí ese registro."}


class NotAllowed(DeskError):
    """The grants do not cover it, or the system asked for what only people may do."""

    code, status = "not_allowed", 403
    words: ClassVar[Mapping[str, str]] = {
        "en": "You may not do this ({permission}).",
        "es": "No tiene permiso para esto ({permission}).",
    }


class InvalidValue(DeskError):
    """A value is not acceptable; `field` names it, the value itself is not repeated."""

    code, status = "invalid_value", 422
    words: ClassVar[Mapping[str, str]] = {"en": "{field}: {reason_en}", "es": "{field}: {reason_es}"}

    def __init__(self, asker: Speaks, field: str, en: str, es: str) -> None:
        self.field = field
        super().__init__(asker, field=field, reason_en=en, reason_es=es)


class StaleVersion(DeskError):
    """Somebody changed the order since it was read; alternatives name the version as it is now."""

    code, status = "stale_version", 409
    words: ClassVar[Mapping[str, str]] = {
        "en": "Order {number} was changed by somebody else in the meantime. Look at it again, then decide.",
        "es": "Alguien ha cambiado la orden {number} entretanto. Vuelva a mirarla y decida.",
    }


class IllegalMove(DeskError):
    """The status table does not hold this move; alternatives list the allowed ones."""

    code, status = "illegal_transition", 409
    words: ClassVar[Mapping[str, str]] = {
        "en": "An order that is “{before_en}” cannot become “{after_en}”. Allowed: {allowed_en}.",
        "es": "Una orden «{before_es}» no puede pasar a «{after_es}». Permitido: {allowed_es}.",
    }


class OrderClosed(DeskError):
    """Done and cancelled orders are a record: nothing about them is triaged any more."""

    code, status = "order_closed", 409
    words: ClassVar[Mapping[str, str]] = {
        "en": "Order {number} is closed.",
        "es": "La orden {number} está cerrada.",
    }


class AlreadyDecided(DeskError):
    """The suggestion was accepted, applied or dismissed before."""

    code, status = "already_decided", 409
    words: ClassVar[Mapping[str, str]] = {
        "en": "This suggestion has already been dealt with.",
        "es": "Esta sugerencia ya se ha resuelto.",
    }
