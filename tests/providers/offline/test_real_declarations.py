"""PROV-2: over the reference host's own declarations every declared sentence, and many others, reach their tool."""

from datetime import datetime
from importlib import import_module
from pathlib import Path

import pytest

import deputize_hosts.clinic
from deputize.core.provider import ToolSchema
from deputize.policy.declared import schema_of
from deputize.providers.offline.intent import choose, sentences_of
from deputize.providers.offline.speech import language_of, parse

FOLDER = Path(str(deputize_hosts.clinic.__file__)).parent
MODULES = sorted(path.parent.name for path in FOLDER.glob("*/tools.py"))
SCHEMAS: list[ToolSchema] = [
    schema_of(tool).schema
    for name in MODULES
    for tool in import_module(f"deputize_hosts.clinic.{name}.tools").TOOLS.tools
]
NAMES = {schema.name for schema in SCHEMAS}
NOW = datetime(2026, 11, 30, 10, 0)


def chosen(text: str) -> str:
    offered = sentences_of(SCHEMAS)
    choice = choose(parse(text, NOW, language_of(text, "es"), offered.vocabulary), offered)
    return choice.tool.name if choice else ""


def test_nearly_every_declared_sentence_reaches_its_own_tool() -> None:
    said = [(s.name, sentence) for s in SCHEMAS for group in s.examples.values() for sentence in group]
    missed = [(name, sentence, chosen(sentence)) for name, sentence in said if chosen(sentence) != name]
    assert len(missed) <= len(said) * 0.05, missed


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("pacientes que se llamen María", "search_patients"),
        ("who is coming tomorrow?", "get_day_overview"),
        ("agenda revisión a María López mañana a las 10", "book_appointment"),
        ("book Ana García a check-up on Monday at 9:30", "book_appointment"),
        ("Juan Pérez necesita una cita el lunes a las 11", "book_appointment"),
        ("cancela la cita de Juan Pérez de mañana", "cancel_appointment"),
        ("call off Ana's appointment tomorrow", "cancel_appointment"),
        ("mueve la cita de Ana del martes al jueves a las 15:00", "reschedule_appointment"),
        ("push Felipe's appointment from tomorrow to Friday at noon", "reschedule_appointment"),
        ("Juan Pérez no se ha presentado hoy", "update_appointment_status"),
        ("free slots on Friday afternoon", "find_free_slots"),
        ("¿qué huecos hay el jueves?", "find_free_slots"),
        ("any openings next Tuesday?", "find_free_slots"),
        ("abre la ficha de Juan Pérez", "get_patient"),
        ("register a new patient, Tom Baker, 600 444 555", "create_patient"),
        ("el móvil de Juan Pérez ahora es el 600 999 888", "update_patient"),
        ("borra todos los pacientes", ""),
        ("who won the football match?", ""),
    ],
)
def test_sentences_nobody_declared_reach_their_tool(text: str, tool: str) -> None:
    assert chosen(text) == tool
