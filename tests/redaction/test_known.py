"""RED-4, known: the tenant's records are found whatever case, accents and order, and never inside words."""

import unicodedata

import pytest

from deputize.redaction.known import Directory, DirectoryRow

ANA = DirectoryRow("patient", "01935b3e-1111-7000-8000-0000000000aa", (("NAME", "Ana"), ("NAME", "Ruiz Gil")))
OTHERS = (
    DirectoryRow("patient", "2", (("NAME", "Begoña Núñez"), ("PHONE", "612 34 56 78"), ("EMAIL", "bego@x.io"))),
    DirectoryRow("patient", "3", (("NAME", "Otto Müller"), ("ID", "12345678-Z"), ("ADDRESS", "Calle Mayor 5"))),
    DirectoryRow("patient", "4", (("NAME", "Blanca Luz Corona"),)),
    DirectoryRow("patient", "5", (("NAME", "María Ruiz"),)),
)


@pytest.fixture
def directory() -> Directory:
    return Directory.build([ANA, *OTHERS])


def found(directory: Directory, text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(text[hit.start : hit.end], hit.kind, hit.owners) for hit in directory.find(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("cita de ANA RUIZ hoy", "ANA RUIZ"),
        ("cita de ana ruiz gil hoy", "ana ruiz gil"),
        ("Ruiz Gil, Ana", "Ruiz Gil, Ana"),
        ("Ana Ruiz's file", "Ana Ruiz"),
        ("ana_ruiz_xray.pdf", "ana_ruiz"),
        ("?name=Ana%20Ruiz&x=1", "Ana%20Ruiz"),
    ],
)
def test_names_in_any_case_order_and_joint(directory: Directory, text: str, value: str) -> None:
    """D11, E1, E5"""
    assert found(directory, text) == [(value, "NAME", ("patient:" + ANA.id,))]


@pytest.mark.parametrize("text", ["Begoña Núñez", "begona nunez", unicodedata.normalize("NFD", "Begoña Núñez")])
def test_accents_do_not_matter(directory: Directory, text: str) -> None:
    """E11"""
    assert found(directory, text) == [(text, "NAME", ("patient:2",))]


@pytest.mark.parametrize("text", ["an analysis of Ottomotor", "Bottrop", "banana", "mullerian"])
def test_never_inside_words(directory: Directory, text: str) -> None:
    """D7, D8"""
    assert found(directory, text) == []


def test_unicode_word_borders(directory: Directory) -> None:
    """D8: Müller is found although ü is no ASCII letter."""
    assert found(directory, "(Müller)") == [("Müller", "NAME", ("patient:3",))]


def test_a_name_that_two_people_bear_has_two_owners(directory: Directory) -> None:
    assert found(directory, "señora Ruiz")[0][2] == ("patient:" + ANA.id, "patient:5")


def test_phones_mails_numbers_and_other_values(directory: Directory) -> None:
    text = "0034 612345678, BEGO@x.io, 12.345.678 Z, calle mayor, 5; " + ANA.id
    assert [(kind, owners[0][-1]) for _, kind, owners in found(directory, text)] == [
        ("PHONE", "2"),
        ("EMAIL", "2"),
        ("ID", "3"),
        ("ADDRESS", "3"),
        ("ID", "a"),
    ]


@pytest.mark.parametrize(
    "text", ["la corona está lista", "falta luz", "pieza blanca", "CORONA de porcelana", "Corona hoy"]
)
def test_ordinary_words_that_are_somebodys_name_stay(directory: Directory, text: str) -> None:
    """RED-5"""
    assert found(directory, text) == []


def test_the_same_words_beside_a_name_are_that_name(directory: Directory) -> None:
    assert found(directory, "la cita de blanca corona") == [("blanca corona", "NAME", ("patient:4",))]


def test_a_repeated_word_belongs_to_nobody_twice(directory: Directory) -> None:
    assert [value for value, _, _ in found(directory, "Ana Ana")] == ["Ana", "Ana"]


def test_changed_rows_replace_and_removed_rows_go(directory: Directory) -> None:
    size = len(directory)
    directory.update([DirectoryRow("patient", ANA.id, (("NAME", "Eva Sanz"),))])
    assert found(directory, "Ana Ruiz Gil")[0][2] == ("patient:5",)
    assert found(directory, "eva sanz")[0][2] == ("patient:" + ANA.id,)
    for row in (ANA, *OTHERS):
        directory.remove("patient", row.id)
    directory.remove("patient", "never there")
    assert len(directory) == size - len(OTHERS) - 1
    everything = "Eva Sanz Begoña Núñez 612345678 bego@x.io Otto Müller 12345678Z calle mayor 5 María Ruiz " + ANA.id
    assert found(directory, everything) == []


def test_short_values_are_not_looked_for() -> None:
    """A floor `2` or an id `7` would be found everywhere."""
    directory = Directory.build([DirectoryRow("patient", "7", (("ADDRESS", "2"), ("NAME", "X")))])
    assert directory.find("7 pages, 2 cm, x") == []
