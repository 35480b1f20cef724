"""The states of a quote and the one table of legal moves."""

from collections.abc import Mapping
from enum import StrEnum


class Status(StrEnum):
    """Where a quote stands."""

    DRAFT = "draft"
    SENT = "sent"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


S = Status
MOVES: Mapping[Status, tuple[Status, ...]] = {
    S.DRAFT: (S.SENT, S.ACCEPTED, S.REJECTED, S.CANCELLED),
    S.SENT: (S.ACCEPTED, S.REJECTED, S.EXPIRED, S.CANCELLED),
    S.ACCEPTED: (S.CANCELLED,),
    S.REJECTED: (),
    S.EXPIRED: (),
    S.CANCELLED: (),
}

NAMES: Mapping[Status, Mapping[str, str]] = {
    S.DRAFT: {"es": "Borrador", "en": "Draft"},
    S.SENT: {"es": "Enviado", "en": "Sent"},
    S.ACCEPTED: {"es": "Aceptado", "en": "Accepted"},
    S.REJECTED: {"es": "Rechazado", "en": "Rejected"},
    S.EXPIRED: {"es": "Caducado", "en": "Expired"},
    S.CANCELLED: {"es": "Anulado", "en": "Cancelled"},
}
