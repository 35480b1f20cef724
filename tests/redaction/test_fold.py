"""RED-4: the folded shadow finds what accents, invisible characters and look-alikes hide, and leads back."""

import unicodedata

import pytest

from deputize.redaction.fold import fold, folded, lower


@pytest.mark.parametrize(
    ("text", "shadow"),
    [
        ("plain", "plain"),
        ("Begoña Núñez", "Begona Nunez"),
        (unicodedata.normalize("NFD", "Begoña Núñez"), "Begona Nunez"),
        ("alice@\u200bexample.com", "alice@example.com"),
        ("bob＠test.org", "bob@test.org"),
        ("０７８-０５", "078-05"),
        ("123\u00ad-45", "123-45"),
        ("Р\u0430ul", "Paul"),
        ("Straße", "Strasse"),
        ("a\u00a0b\u2013c", "a b-c"),
        ("٣", "3"),
    ],
)
def test_shadow(text: str, shadow: str) -> None:
    assert fold(text).shadow == shadow


def test_offsets_lead_back_and_take_hanging_marks_along() -> None:
    """A value in decomposed form is covered whole (E11)."""
    text = unicodedata.normalize("NFD", "Sra. Núñez, hola")
    shadow = fold(text)
    at = shadow.shadow.index("Nunez")
    start, end = shadow.span(at, at + 5)
    assert unicodedata.normalize("NFC", text[start:end]) == "Núñez"


def test_a_ligature_is_never_cut() -> None:
    shadow = fold("Groß ja")
    start, end = shadow.span(0, 4)
    assert shadow.text[start:end] == "Groß"


def test_tight_spans_leave_what_was_dropped_behind() -> None:
    shadow = fold("ab\u200b c")
    assert shadow.tight(0, 2) == (0, 2)
    assert shadow.span(0, 2) == (0, 3)
    assert shadow.tight(1, 1) == (1, 1)
    assert shadow.span(1, 1) == (1, 1)


def test_lower_case_keeps_the_length() -> None:
    assert lower("\u0130A") == "\u0130a"
    assert folded("ÑANDÚ") == "nandu"
