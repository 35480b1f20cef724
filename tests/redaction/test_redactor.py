"""RED-2 to RED-6, RED-8: what goes out holds no value that was found, and what is not personal stays readable."""

import socket
from typing import Any

import pytest

from deputize.core.errors import DetectionFailed
from deputize.redaction.known import Directory, DirectoryRow
from deputize.redaction.redactor import Redactor
from deputize.redaction.restore import restore_text
from deputize.redaction.spans import GUESS, Span
from deputize.redaction.vault import Vault

ROWS = [
    DirectoryRow("patient", "p-17", (("NAME", "Ana"), ("NAME", "Ruiz"), ("PHONE", "612345678"), ("ID", "12345678Z"))),
    DirectoryRow("patient", "p-18", (("NAME", "María Pérez"),)),
    DirectoryRow("patient", "p-19", (("NAME", "María García"),)),
]


def redactor(**changes: Any) -> Redactor:
    parts: dict[str, Any] = {"directory": Directory.build(ROWS), "person_kinds": frozenset({"patient"})} | changes
    return Redactor(Vault(b"0123456789abcdef", kinds=("patient",)), **parts)


def hidden(text: str, **changes: Any) -> list[str]:
    return [text[span.start : span.end] for span in redactor(**changes).spans(text)]


def test_a_known_person_has_one_token_in_text_and_by_id() -> None:
    """RED-3"""
    one = redactor()
    text = one.text("Mueve la cita de ana ruiz al lunes, móvil +34 612 34 56 78, ficha p-17")
    token = one.vault.token_of("patient:p-17")
    assert token is not None
    assert text.count(token) == 2
    assert "612" not in text
    assert text.startswith("Mueve la cita de PATIENT_")


def test_national_numbers_of_a_person_are_not_the_person() -> None:
    one = redactor()
    text = one.text("DNI 12345678-Z")
    assert text.startswith("DNI ID_")
    assert restore_text(one.vault, text) == "DNI 12345678-Z"


def test_an_ambiguous_name_is_nobodys() -> None:
    """C10"""
    assert redactor().text("María llamó").startswith("PERSON_")


def test_a_longer_name_is_somebody_else() -> None:
    """A known first name before an unknown surname is another person, and is one value (B10)."""
    one = redactor()
    text = one.text("llama a Ana Corona")
    assert text.startswith("llama a PERSON_")
    assert " " not in text.removeprefix("llama a ")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("my name is Naga", ["Naga"]),
        ("Samuel L. Jackson called", ["Samuel L. Jackson"]),
        ("SOPHY SANTINO", ["SOPHY SANTINO"]),
        ("seen by O'Brien", ["O'Brien"]),
        ("see Carlos Santino, Jr.", ["Carlos Santino"]),
        ("Paciente: Hernández Rivera, Esperanza", ["Hernández Rivera, Esperanza"]),
        ("call Aria and Leo", ["Aria", "Leo"]),
        ("a@x.io, b@y.io; 612 34 56 79", ["a@x.io", "b@y.io", "612 34 56 79"]),
        ("x@a.io y@b.io z@c.io", ["x@a.io", "y@b.io", "z@c.io"]),
        ("alice@\u200bexample.com y bob＠test.org", ["alice@\u200bexample.com", "bob＠test.org"]),
        ("j\u200bane@x.io", ["j\u200bane@x.io"]),
        ("SSN ０７８-０５-１１２０", ["０７８-０５-１１２０"]),
        ("123\u00ad-45-6789", ["123\u00ad-45-6789"]),
        ("born on 3/3/2021", ["3/3/2021"]),
        ("nació el 3 de abril de 1984", ["3 de abril de 1984"]),
        ("ES91 2100 0418 4502 0005 1332", ["ES91 2100 0418 4502 0005 1332"]),
        ("4111 1111 1111 1111", ["4111 1111 1111 1111"]),
        ("NIE X1234567L", ["X1234567L"]),
        ("vive en Calle Mayor 5", ["Calle Mayor 5"]),
        ("at 490 Cooper Parkway, Suite 3", ["490 Cooper Parkway, Suite 3"]),
        ("from 10.20.30.40", ["10.20.30.40"]),
    ],
)
def test_found_by_form_or_words_around_it(text: str, values: list[str]) -> None:
    """C8, E1 to E14, G7, G10"""
    assert hidden(text, directory=None) == values


@pytest.mark.parametrize(
    "text",
    [
        "What does code D2740 mean?",
        "¿Qué significa el código 0120?",
        "letter 96c, 6033391, A1, INTRODUCTORY",
        "2024-01-02 07:16:59.605000 ERROR 404 in logging.getLogger('x')",
        "7.81.0-1ubuntu1.14",
        "id 1699999999 page 4010232137",
        "work order 48213, 9.500 EUR",
        "La corona está lista, pieza 26, falta luz",
        "Gabinete 2 el martes de marzo, Crown and Bridge on Monday",
        "3x2,5x1,2 cm",
        "May I move Friday's visit to April?",
        "analysis of the Ottomotor in Bottrop",
    ],
)
def test_what_is_not_personal_stays(text: str) -> None:
    """RED-5; D7, D8, D10, F1 to F7"""
    assert redactor().text(text) == text


def test_words_of_the_house_stay_readable() -> None:
    """RED-5: staff, cabinets, catalogue."""
    one = redactor(public=["Dra. Marta Pérez", "Gabinete Luna", "Corona Eva"])
    text = "La Dra. Marta Pérez en el Gabinete Luna: Corona Eva"
    assert one.text(text) == text
    assert one.is_clean(text)
    assert "PATIENT_" in one.text("María Pérez con la Dra. Marta Pérez")


@pytest.mark.parametrize("forged", ["PATIENT_kovabi", "patient_kovabi", "PERSON\\_kovabi"])
@pytest.mark.parametrize("source", ["user", "tool"])
def test_token_shaped_input_is_escaped(forged: str, source: Any) -> None:
    """H1, G13, RED-7"""
    one = redactor()
    text = one.text(f"borra {forged} ya", source)
    assert forged not in text
    assert "kovabi" in text
    assert one.text(text, source) == text


def test_a_guessed_token_of_this_conversation_is_not_restored() -> None:
    """H1: a user or a tool's result that spells an issued token gets nothing for it."""
    one = redactor()
    token = one.vault.token_for("NAME", "Eva Sanz")
    for spelling in (token, token.lower(), token.replace("_", " "), token.replace("_", "-")):
        assert "Eva" not in restore_text(one.vault, one.text(f"soy {spelling}", "tool"))


def test_the_house_may_speak_of_tokens() -> None:
    """B11: redacting twice changes nothing."""
    one = redactor()
    once = one.text("ana ruiz, 612345678, eva@x.io, my name is Naga")
    assert one.text(once, "house") == once
    assert one.is_clean(once)


def test_house_text_is_not_guessed_at_but_known_values_go() -> None:
    one = redactor()
    assert one.text("Say for example: book Peter Smith", "house") == "Say for example: book Peter Smith"
    assert "Ruiz" not in one.text("The screen shows Ana Ruiz, eva@x.io", "house")


def test_a_value_learnt_later_makes_an_old_text_unclean() -> None:
    """RED-8"""
    one = redactor(directory=None)
    text = one.text("el código de Zyxw")
    assert one.is_clean(text)
    one.vault.token_for("NAME", "Zyxw Vut", "patient:9")
    assert not one.is_clean(text)
    assert one.is_clean(one.text(text, "house"))


class Failing:
    def find(self, text: str, language: str) -> list[Span]:
        raise RuntimeError("canary " + text)


def test_a_detector_that_raises_withholds_the_text() -> None:
    """RED-6; the error names nothing."""
    with pytest.raises(DetectionFailed) as caught:
        redactor(detectors=[Failing()]).text("Ana Ruiz")
    assert "Ana" not in str(caught.value)
    assert "canary" not in repr(caught.value.__cause__)
    assert caught.value.__suppress_context__


class Noting:
    def __init__(self, *spans: Span, multilingual: bool = False) -> None:
        self.spans, self.asked = list(spans), list[str]()
        self.multilingual = multilingual

    def find(self, text: str, language: str) -> list[Span]:
        self.asked.append(language)
        return list(self.spans)


def test_detectors_are_asked_for_each_language_on_free_text_only() -> None:
    each, once = Noting(), Noting(multilingual=True)
    one = redactor(detectors=[each, once])
    one.text("hola")
    one.text("a prompt of ours", "house")
    assert each.asked == ["en", "es"]
    assert once.asked == ["en"]


def test_overlapping_finds_leave_nothing_in_clear() -> None:
    """E14: part of a word, part of a name."""
    text = "dice Qwerty-Uiop's que"
    one = redactor(detectors=[Noting(Span(7, 10, "PERSON", None, GUESS))])
    assert "Qwerty" not in one.text(text)
    assert "'s que" in one.text(text)


def test_blank_text_is_left_alone() -> None:
    assert redactor().text(" \n") == " \n"
    assert redactor().text("") == ""


def test_nothing_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """G5: no socket is opened."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    redactor().text("eva@x.io, Peter Smith, 612345678, Calle Mayor 5")


def test_two_tenants_do_not_cross() -> None:
    """G5 (field): vaults share nothing."""
    first, second = redactor(), redactor()
    first.text("soy Peter Smith")
    assert second.vault.new_entries() == []


def test_a_value_learnt_in_a_text_is_hidden_in_all_of_it() -> None:
    """RED-2: the cue stands beside one mention only."""
    one = redactor(directory=None)
    text = one.text("naga pide hora. My name is Naga")
    assert "naga" not in text.lower()
