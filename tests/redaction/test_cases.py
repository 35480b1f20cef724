"""Cases from the field and their siblings, by kind: names, forms, structures and escapes in both languages."""

import unicodedata
from typing import Any

import pytest

from deputize.redaction.known import Directory, DirectoryRow
from deputize.redaction.redactor import Redactor
from deputize.redaction.restore import restore_text
from deputize.redaction.vault import Vault

NAMES = {
    "rosa": "Rosa María de la Fuente Ortiz",
    "angel": "Ángel Marco Pardo",
    "mark": "Mark O'Brien",
    "will": "Will May",
    "sol": "Sol Delgado Rey",
    "maria": "María José Sánchez-Cano",
    "jean": "Jean-Luc Dupont-Moretti",
    "nuria": "Núria Bañón i Ferrer",
    "berg": "Ludwig van der Berg",
    "ana": "Ana Ruiz",
    "inigo": "Íñigo Muñoz",
    "soren": "Søren Kjær",
}
DIRECTORY = Directory.build(DirectoryRow("patient", f"id-{key}", (("NAME", name),)) for key, name in NAMES.items())


def redactor(**changes: Any) -> Redactor:
    parts: dict[str, Any] = {"directory": DIRECTORY, "person_kinds": frozenset({"patient"})} | changes
    return Redactor(Vault(b"0123456789abcdef", kinds=("patient",)), **parts)


def hidden(text: str, **changes: Any) -> list[str]:
    return [text[span.start : span.end] for span in redactor(**changes).spans(text)]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("cita de rosa de la fuente mañana", "rosa"),
        ("ROSA FUENTE", "rosa"),
        ("rosa maría ortiz", "rosa"),
        ("Rosa llamó ayer", "rosa"),
        ("llama a rosa", "rosa"),
        ("Ángel dijo que sí", "angel"),
        ("habla con Sol", "sol"),
        ("obrien called", "mark"),
        ("MARK O’BRIEN", "mark"),
        ("O'Brien, Mark", "mark"),
        ("Mark said hi", "mark"),
        ("Will called", "will"),
        ("sanchez cano", "maria"),
        ("Sánchez-Cano, María José", "maria"),
        ("Dupont-Moretti's teeth", "jean"),
        ("jean luc dupont", "jean"),
        ("nuria banon", "nuria"),
        ("Bañón i Ferrer", "nuria"),
        ("vanderberg", "berg"),
        ("Berg's visit", "berg"),
        ("los Ruiz", "ana"),
        ("A. Ruiz", "ana"),
        ("ana.ruiz", "ana"),
        ("@ana_ruiz", "ana"),
        ("ANA\tRUIZ", "ana"),
        ("Ana\nRuiz", "ana"),
        ("A\u200bna Ru\u00adiz", "ana"),
        ("Аnа Ruiz", "ana"),
        ("Ａｎａ Ruiz", "ana"),
        ("inigo munoz", "inigo"),
        (unicodedata.normalize("NFD", "Íñigo Muñoz"), "inigo"),
        ("SOREN KJAER", "soren"),
    ],
)
def test_a_person_of_the_directory_is_found_however_written(text: str, key: str) -> None:
    """D7, D8, D11, E1, E5, E11; RED-4"""
    one = redactor()
    out = one.text(text)
    token = one.vault.token_of(f"patient:id-{key}")
    assert token is not None
    assert token in out
    left = unicodedata.normalize("NFKD", out.replace(token, "")).lower()
    assert not any(word in left for word in ("ruiz", "brien", "cano", "moretti", "banon", "mun", "ortiz", "kj"))


@pytest.mark.parametrize(
    "text",
    [
        "pon una rosa en la mesa",
        "hace sol",
        "el ángel de la guarda",
        "Mark it done",
        "Will you call?",
        "May I come?",
        "I hope so",
        "la fuente del patio",
        "the iceberg",
        "ruizmo",
        "banana",
    ],
)
def test_words_that_are_somebodys_name_stay_without_evidence(text: str) -> None:
    """RED-5, D7"""
    assert redactor().text(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("6 2 2 3 3 4 4 5 5", "6 2 2 3 3 4 4 5 5"),
        ("tel:+34622334455", "+34622334455"),
        ("(+34) 622 33 44 55", "+34) 622 33 44 55"),
        ("six two two three three four four five five", "six two two three three four four five five"),
        ("seis, dos, dos, tres, tres, cuatro, cuatro", "seis, dos, dos, tres, tres, cuatro, cuatro"),
        ("+44 20 7946 0958", "+44 20 7946 0958"),
        ("call 415.555.2671", "415.555.2671"),
        ("es91-2100-0418-4502-0005-1332", "es91-2100-0418-4502-0005-1332"),
        ("DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
        ("12.345.678-Z", "12.345.678-Z"),
        ("NIE X-1234567-L", "X-1234567-L"),
        ("NUSS 28 12345678 40", "28 12345678 40"),
        ("pasaporte AAA123456", "AAA123456"),
        ("DOB 03/04/84", "03/04/84"),
        ("F. Nac.: 3 abr 1984", "3 abr 1984"),
        ("age 41, b. 3 Apr 1984", "3 Apr 1984"),
        ("her birthday is 3 April", "3 April"),
        ("nacida el 3 de abril", "3 de abril"),
        ("tarjeta 4111-1111-1111-1111", "4111-1111-1111-1111"),
        ("first.last+tag@sub.mail.example.org", "first.last+tag@sub.mail.example.org"),
        ("josé@correo.es", "josé@correo.es"),
        ("jose (at) example (dot) com", "jose (at) example (dot) com"),
        ("zoe [arroba] correo.es", "zoe [arroba] correo.es"),
        ('"weird name"@x.io', '"weird name"@x.io'),
        ("ｚｏｅ@example．com", "ｚｏｅ@example．com"),
        ("user@münchen.de", "user@münchen.de"),
        ("zoe%40mail.example.co.uk", "zoe%40mail.example.co.uk"),
        ("2001:db8::ff00:42:8329", "2001:db8::ff00:42:8329"),
        ("C/ Mayor, 5, 2ºB, 28013 Madrid", "C/ Mayor, 5, 2ºB, 28013"),
        ("en la calle Luna número 12", "calle Luna número 12"),
        ("Pº de la Castellana 100", "Pº de la Castellana 100"),
        ("Paseo del Prado s/n", "Paseo del Prado s/n"),
        ("Avda. de América 33 1º izq", "Avda. de América 33 1º izq"),
        ("221B Baker St., London", "221B Baker St."),
        ("1600 Pennsylvania Ave NW, Washington", "1600 Pennsylvania Ave NW"),
        ("55 West 25th Street", "55 West 25th Street"),
    ],
)
def test_found_by_its_form(text: str, value: str) -> None:
    """E4, E8, E10, G10; RED-4, detected"""
    assert hidden(text, directory=None) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "07:16:59 and 10:20:30:40",
        "std::vector<int>",
        "step one two three",
        "look at example (at the door)",
        "s/n in the form",
        "C:\\new\\table & 100% of it",
        "100%25 &amp; more &unknown; \\u0041",
    ],
)
def test_look_alikes_stay(text: str) -> None:
    """RED-5, F1 to F7"""
    assert redactor().text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "| Name | Phone |\n|---|---|\n| Ana Ruiz | 622334455 |",
        'name,phone\n"Ruiz, Ana",622 33 44 55',
        '{"name": "Ana Ruiz", "phone": "622334455"}',
        '{\\"name\\":\\"Ana\\nRuiz\\", \\"tel\\": \\"622334455\\"}',
        '"Ana\\\\nRuiz" and 622334455',
        "**Ana** **Ruiz** _622334455_",
        "<b>Ana</b>&nbsp;Ruiz 622334455",
        "https://x.io/?q=Ana+Ruiz&p=622334455#Ana%20Ruiz",
        "\\u0041na Ruiz, 622334455",
        "&#65;na &#x52;uiz 622334455",
        "%41na%20%52uiz?tel=622334455",
    ],
)
def test_structures_and_escapes_hide_nothing(text: str) -> None:
    """D5, D11: tables, CSV, JSON in strings, Markdown, HTML, URLs"""
    one = redactor()
    out = one.text(text)
    assert not any(word in out for word in ("Ruiz", "uiz", "Ana", "622334455"))
    assert "622334455" in restore_text(one.vault, out).replace(" ", "")


@pytest.mark.parametrize(
    "text", ["Nu\\u00f1ez", "N%C3%BA%C3%B1ez", "Nu&ntilde;ez", "N&uacute;&#241;ez", "Núñez", "NUNEZ"]
)
def test_an_accent_in_any_escape_is_read(text: str) -> None:
    """D11, E11: and the span covers the whole escape."""
    rows = [DirectoryRow("patient", "id-1", (("NAME", "Begoña Núñez"),))]
    assert hidden(f"de {text}.", directory=Directory.build(rows)) == [text]


@pytest.mark.parametrize("text", ["%C3%28 x", "&#0;", "\\ud800", "&#xd800;", "%", "&;", "\\", "\\u12"])
def test_broken_escapes_pass(text: str) -> None:
    assert redactor().text(text) == text


def test_spans_that_touch_come_back() -> None:
    """E14: two tokens without a gap could not be told apart."""
    one = redactor(directory=None)
    for text in ("SÁNCHEZ-CANO, Mª JOSÉ", "4111111111111111@x.io", "ana@x.io+34622334455"):
        assert restore_text(one.vault, one.text(text)) == text
