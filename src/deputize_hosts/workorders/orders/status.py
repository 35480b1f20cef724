"""What an order can be, which moves are legal, and what people call it."""

from collections.abc import Mapping
from enum import StrEnum


class Status(StrEnum):
    """Where an order stands."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    CANCELLED = "cancelled"


class Priority(StrEnum):
    """How pressing an order is, lowest first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    URGENT = "urgent"


MOVES: Mapping[Status, tuple[Status, ...]] = {
    Status.PENDING: (Status.IN_PROGRESS, Status.CANCELLED),
    Status.IN_PROGRESS: (Status.DONE, Status.PENDING, Status.CANCELLED),
    Status.DONE: (),
    Status.CANCELLED: (),
}
OPEN = (Status.PENDING, Status.IN_PROGRESS)
"""Orders that somebody still has to do something about."""

STATUS_NAMES: Mapping[Status, Mapping[str, str]] = {
    Status.PENDING: {"en": "Pending", "es": "Pendiente"},
    Status.IN_PROGRESS: {"en": "In progress", "es": "En curso"},
    Status.DONE: {"en": "Done", "es": "Hecha"},
    Status.CANCELLED: {"en": "Cancelled", "es": "Cancelada"},
}
PRIORITY_NAMES: Mapping[Priority, Mapping[str, str]] = {
    Priority.LOW: {"en": "Low", "es": "Baja"},
    Priority.MEDIUM: {"en": "Medium", "es": "Media"},
    Priority.HIGH: {"en": "High", "es": "Alta"},
    Priority.URGENT: {"en": "Urgent", "es": "Urgente"},
}


def said_moves(status: Status, language: str) -> str:
    """The legal next states, in words; a dash where there is none."""
    return ", ".join(STATUS_NAMES[move][language].lower() for move in MOVES[status]) or "–"
