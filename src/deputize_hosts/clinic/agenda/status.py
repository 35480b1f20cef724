"""The states of an appointment and the one table of legal moves."""

from collections.abc import Mapping
from enum import StrEnum


class Status(StrEnum):
    """Where an appointment stands."""

    SCHEDULED = "scheduled"
    CONFIRMED = "confirmed"
    CHECKED_IN = "checked_in"
    IN_TREATMENT = "in_treatment"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    NO_SHOW = "no_show"


S = Status
MOVES: Mapping[Status, tuple[Status, ...]] = {
    S.SCHEDULED: (S.CONFIRMED, S.CHECKED_IN, S.CANCELLED, S.NO_SHOW),
    S.CONFIRMED: (S.CHECKED_IN, S.CANCELLED, S.NO_SHOW),
    S.CHECKED_IN: (S.IN_TREATMENT, S.CANCELLED),
    S.IN_TREATMENT: (S.COMPLETED, S.CANCELLED),
    S.COMPLETED: (),
    S.CANCELLED: (),
    S.NO_SHOW: (),
}

FREES_TIME = frozenset({S.CANCELLED, S.NO_SHOW})
"""In these states an appointment claims neither its professional nor its cabinet."""

MOVABLE = frozenset({S.SCHEDULED, S.CONFIRMED})
"""Only what has not begun can be rescheduled."""

NAMES: Mapping[Status, Mapping[str, str]] = {
    S.SCHEDULED: {"es": "Programada", "en": "Scheduled"},
    S.CONFIRMED: {"es": "Confirmada", "en": "Confirmed"},
    S.CHECKED_IN: {"es": "En sala de espera", "en": "Checked in"},
    S.IN_TREATMENT: {"es": "En tratamiento", "en": "In treatment"},
    S.COMPLETED: {"es": "Terminada", "en": "Completed"},
    S.CANCELLED: {"es": "Anulada", "en": "Cancelled"},
    S.NO_SHOW: {"es": "No se presentó", "en": "No-show"},
}

CELLS: Mapping[str, Mapping[str, str]] = {
    "appointment_cells": {"es": "Ocupa o libera su hueco del calendario", "en": "Takes or frees its calendar time"},
    "timeline_events": {"es": "Se anota en la línea de tiempo", "en": "Noted on the patient's timeline"},
}
HIDDEN: Mapping[str, Mapping[str, str]] = {
    **CELLS,
    "appointment_status_changes": {"es": "Queda en el historial de la cita", "en": "Goes into its history"},
}
"""What else a change of an appointment writes, and why nobody needs to look at it."""
