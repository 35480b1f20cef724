"""Reasons, states and outcomes of recalls."""

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Why somebody should come back."""

    HYGIENE = "hygiene"
    CHECKUP = "checkup"
    ORTHO_REVIEW = "ortho_review"
    IMPLANT_REVIEW = "implant_review"
    POST_OP = "post_op"
    TREATMENT_FOLLOWUP = "treatment_followup"
    OTHER = "other"


class Status(StrEnum):
    """Where a recall stands."""

    PENDING = "pending"
    NO_ANSWER = "contacted_no_answer"
    SCHEDULED = "contacted_scheduled"
    DECLINED = "contacted_declined"
    DONE = "done"
    CANCELLED = "cancelled"
    NEEDS_REVIEW = "needs_review"


class Outcome(StrEnum):
    """What came of an attempt."""

    NO_ANSWER = "no_answer"
    VOICEMAIL = "voicemail"
    SCHEDULED = "scheduled"
    DECLINED = "declined"
    WRONG_NUMBER = "wrong_number"


class Means(StrEnum):
    """How somebody was contacted."""

    PHONE = "phone"
    EMAIL = "email"
    SMS = "sms"
    WHATSAPP = "whatsapp"
    LETTER = "letter"


class Priority(StrEnum):
    """What comes first in the list."""

    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"


MONTHS: Mapping[Reason, int] = {
    Reason.HYGIENE: 6,
    Reason.CHECKUP: 12,
    Reason.ORTHO_REVIEW: 1,
    Reason.IMPLANT_REVIEW: 6,
    Reason.POST_OP: 1,
    Reason.TREATMENT_FOLLOWUP: 3,
    Reason.OTHER: 3,
}
"""When a recall is due if nobody says otherwise."""

TERMINAL = frozenset({Status.DECLINED, Status.DONE, Status.CANCELLED})
"""No attempts, no snoozing, no other end."""
ACTIVE = frozenset(Status) - TERMINAL
TO_CALL = frozenset({Status.PENDING, Status.NO_ANSWER, Status.NEEDS_REVIEW})
"""Somebody still has to reach the patient."""

AFTER: Mapping[Outcome, Status] = {
    Outcome.NO_ANSWER: Status.NO_ANSWER,
    Outcome.VOICEMAIL: Status.NO_ANSWER,
    Outcome.SCHEDULED: Status.SCHEDULED,
    Outcome.DECLINED: Status.DECLINED,
    Outcome.WRONG_NUMBER: Status.NEEDS_REVIEW,
}

REASONS: Mapping[Reason, Mapping[str, str]] = {
    Reason.HYGIENE: {"es": "Higiene", "en": "Cleaning"},
    Reason.CHECKUP: {"es": "Revisión anual", "en": "Yearly check-up"},
    Reason.ORTHO_REVIEW: {"es": "Control de ortodoncia", "en": "Orthodontic review"},
    Reason.IMPLANT_REVIEW: {"es": "Control de implante", "en": "Implant review"},
    Reason.POST_OP: {"es": "Control postoperatorio", "en": "Post-operative review"},
    Reason.TREATMENT_FOLLOWUP: {"es": "Seguimiento del tratamiento", "en": "Treatment follow-up"},
    Reason.OTHER: {"es": "Otro motivo", "en": "Other reason"},
}
STATUSES: Mapping[Status, Mapping[str, str]] = {
    Status.PENDING: {"es": "Pendiente", "en": "Pending"},
    Status.NO_ANSWER: {"es": "Sin respuesta", "en": "No answer"},
    Status.SCHEDULED: {"es": "Con cita", "en": "Booked"},
    Status.DECLINED: {"es": "No quiere", "en": "Declined"},
    Status.DONE: {"es": "Hecho", "en": "Done"},
    Status.CANCELLED: {"es": "Anulado", "en": "Cancelled"},
    Status.NEEDS_REVIEW: {"es": "Por revisar", "en": "Needs review"},
}
OUTCOMES: Mapping[Outcome, Mapping[str, str]] = {
    Outcome.NO_ANSWER: {"es": "No contesta", "en": "No answer"},
    Outcome.VOICEMAIL: {"es": "Buzón de voz", "en": "Voicemail"},
    Outcome.SCHEDULED: {"es": "Ha cogido cita", "en": "Booked"},
    Outcome.DECLINED: {"es": "No quiere venir", "en": "Declined"},
    Outcome.WRONG_NUMBER: {"es": "Número equivocado", "en": "Wrong number"},
}
CHANNELS: Mapping[Means, Mapping[str, str]] = {
    Means.PHONE: {"es": "Teléfono", "en": "Phone"},
    Means.EMAIL: {"es": "Correo", "en": "E-mail"},
    Means.SMS: {"es": "SMS", "en": "Text message"},
    Means.WHATSAPP: {"es": "WhatsApp", "en": "WhatsApp"},
    Means.LETTER: {"es": "Carta", "en": "Letter"},
}
PRIORITIES: Mapping[Priority, Mapping[str, str]] = {
    Priority.HIGH: {"es": "Alta", "en": "High"},
    Priority.NORMAL: {"es": "Normal", "en": "Normal"},
    Priority.LOW: {"es": "Baja", "en": "Low"},
}
