"""Which words of a sentence name somebody: placeholders, capitals, words that nobody declared, in either language."""

from datetime import datetime

import pytest

from deputize.providers.offline.intent import sentences_of
from deputize.providers.offline.speech import language_of, parse
from deputize.providers.offline.words import fold, stem, words
from tests.providers.offline.clinic_desk import ClinicDesk

VOCABULARY = sentences_of([t.schema() for t in ClinicDesk().tools()]).vocabulary
NOW = datetime(2026, 11, 30, 10, 0)


def best(text: str, language: str) -> str:
    names = parse(text, NOW, language, VOCABULARY).names
    return min(names, key=lambda n: (n.rank, n.start)).text if names else ""


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("es", "agenda revisión a María de la Cruz Gómez mañana", "María de la Cruz Gómez"),
        ("es", "cancela la cita de felicia horacio ibanez bustos de mañana", "felicia horacio ibanez bustos"),
        ("es", "dale cita a juan perez el lunes", "juan perez"),
        ("es", "CANCELA LA CITA DE JUAN PÉREZ DE MAÑANA", "JUAN PÉREZ"),
        ("es", "ficha de PATIENT_kovabi", "PATIENT_kovabi"),
        ("es", "agenda endodoncia a rosa mañana", "rosa"),
        ("en", "cancel carey lafontaine tomorrow please", "carey lafontaine"),
        ("en", "book ana garcia a cleaning", "ana garcia"),
        ("en", "show me kathryn's record", "kathryn"),
        ("en", "Move PATIENT_kovabi's cleaning to Thursday", "PATIENT_kovabi"),
        ("en", "who is coming tomorrow?", ""),
        ("es", "¿qué huecos hay el jueves?", ""),
    ],
)
def test_the_name_in_a_sentence(language: str, text: str, name: str) -> None:
    assert best(text, language) == name


def test_a_title_says_that_somebody_of_the_house_is_meant() -> None:
    names = parse("agenda a Juan Pérez mañana con la Dra. Ruiz", NOW, "es", VOCABULARY).names
    assert [(n.text, n.mark) for n in names] == [("Juan Pérez", "to"), ("Ruiz", "title")]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("cancela la cita de mañana", "es"),
        ("cancel the appointment", "en"),
        ("book María López tomorrow", "en"),
        ("¿y el viernes?", "es"),
        ("ok", "xx"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert language_of(text, "xx") == language


def test_folding_keeps_every_offset() -> None:
    text = "Índice de MAÑANA: İstanbul ß ﬁ"
    assert len(fold(text)) == len(text)
    assert all(text[w.start : w.end] == w.text for w in words(text))


@pytest.mark.parametrize(
    ("one", "other"), [("citas", "cita"), ("revisiones", "revision"), ("slots", "slot"), ("pacientes", "paciente"),
                       ("check-up", "checkup"), ("facturas", "factura")]
)  # fmt: skip
def test_stems_join_the_forms_of_a_word(one: str, other: str) -> None:
    assert stem(one) == stem(other)
