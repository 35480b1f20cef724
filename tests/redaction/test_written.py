"""RED-4, RED-5: found however it is written: run together, bent, in other alphabets, over lines, beside letters."""

from typing import Any

import pytest

from deputize.redaction.known import Directory, DirectoryRow
from deputize.redaction.redactor import Redactor
from deputize.redaction.restore import restore_text
from deputize.redaction.vault import Vault

PEOPLE = {
    "maria": (("NAME", "María"), ("NAME", "García López"), ("PHONE", "612345678"), ("ID", "12345678Z")),
    "sean": (("NAME", "Seán O'Brien"),),
    "fuente": (("NAME", "José Luis de la Fuente y Ortega"),),
    "muller": (("NAME", "Thomas Müller"),),
    "gruber": (("NAME", "Jörg Grüber"),),
    "yulia": (("NAME", "Юлия Морозова"),),
    "wang": (("NAME", "王 小明"),),
    "frank": (("NAME", "Frank Light"),),
    "marina": (("NAME", "Rosa San Martín"),),
}
DIRECTORY = Directory.build(DirectoryRow("patient", f"id-{key}", values) for key, values in PEOPLE.items())


def redactor(**changes: Any) -> Redactor:
    parts: dict[str, Any] = {"directory": DIRECTORY, "person_kinds": frozenset({"patient"})} | changes
    return Redactor(Vault(b"0123456789abcdef", kinds=("patient",)), **parts)


def hidden(text: str, **changes: Any) -> list[str]:
    return [text[span.start : span.end] for span in redactor(**changes).spans(text)]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("MaríaGarcía", "maria"),
        ("mariagarcia", "maria"),
        ("@mariagarcialopez", "maria"),
        ("GARCIALOPEZ", "maria"),
        ("garcialopezmaria84", "maria"),
        ("informe_MariaGarcia_2024.pdf", "maria"),
        ("informeMariaGarciaFinal", "maria"),
        ("pacienteGarcia", "maria"),
        ("login mgarcia", "maria"),
        ("mgarcia84", "maria"),
        ("los Garcías", "maria"),
        ("the Müllers'", "muller"),
        ("delafuenteortega", "fuente"),
        ("Joerg Grueber", "gruber"),
        ("ЮЛИЯ МОРОЗОВА", "yulia"),
        ("юлия морозова", "yulia"),
        ("Yuliya Morozova", "yulia"),
        ("王小明", "wang"),
        ("患者王小明来了", "wang"),
        ("患者María García来", "maria"),
        ("ⓜⓐⓡⓘⓐ ⓖⓐⓡⓒⓘⓐ", "maria"),
        ("𝐌𝐚𝐫𝐢𝐚 𝐆𝐚𝐫𝐜𝐢𝐚", "maria"),
    ],
)
def test_a_name_is_itself_however_its_words_are_put_together(text: str, key: str) -> None:
    """D11, E1, RED-4: and the token beside another script comes back."""
    one = redactor()
    out = one.text(text)
    token = one.vault.token_of(f"patient:id-{key}")
    assert token is not None
    assert token in out
    left = restore_text(one.vault, out.replace(token, "")).lower()
    assert not any(word in left for word in ("garc", "brien", "ller", "gru", "моро", "moro", "明", "ortega", "ⓖ"))
    assert token not in restore_text(one.vault, out)


@pytest.mark.parametrize(
    "text",
    [
        "flight",
        "briefing",
        "getName",
        "someMailBox",
        "mariachis",
        "garciana",
        "明天",
        "Hospital Santa Rosa",
        "the clinic San Martín",
    ],
)
def test_part_of_a_word_is_nobody(text: str) -> None:
    """RED-4, RED-5: never inside words; an initial makes no name of an ordinary word; saints have hospitals."""
    assert redactor().text(text) == text


@pytest.mark.parametrize("text", ["llama a Rosa San Martín", "Sr. San Martín", "paciente: San Martín"])
def test_a_saint_is_a_surname_too(text: str) -> None:
    assert "Mart" not in redactor().text(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("llama a JulietaSouzaAlmeida", "JulietaSouzaAlmeida"),
        ("foto_BeatrizGutierrez.jpg", "BeatrizGutierrez"),
        ("scanOfCarlEGonzalez", "scanOfCarlEGonzalez"),
    ],
)
def test_a_stranger_written_together_is_found(text: str, value: str) -> None:
    """D11, E1"""
    assert hidden(text, directory=None) == [value]


@pytest.mark.parametrize(
    "text", ["LangGraph", "JavaScript", "PostgreSQL and GitHub", "RootCanal", "the caller", "Changes"]
)
def test_names_of_things_written_together_stay(text: str) -> None:
    """RED-5: even where the directory holds people with parts of them."""
    rows = [DirectoryRow("patient", str(at), (("NAME", name),)) for at, name in enumerate(["Chen Aller", "Eva Chang"])]
    assert redactor(directory=Directory.build(rows)).text(text) == text


@pytest.mark.parametrize("text", ["Clínica San Carlos", "Colegio Santa María", "filtro Bosch, ascensor Otis"])
def test_places_of_work_and_makers_stay(text: str) -> None:
    """RED-5"""
    assert redactor(directory=None).text(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Tlf.612345678", "612345678"),
        ("tel612345678", "612345678"),
        ("电话612345678号", "612345678"),
        ("612345678 extensión 12", "612345678 extensión 12"),
        ("612345678, ext. 12", "612345678, ext. 12"),
        ("tel 612 345\n678", "612 345\n678"),
        ("+34 612\n345678", "+34 612\n345678"),
        ("phone: 5552671", "5552671"),
        ("12 345 678 Z", "12 345 678 Z"),
        ("12-345-678-Z", "12-345-678-Z"),
        ("ES12345678Z", "ES12345678Z"),
        ("ES 91 2100 0418 45 0200051332", "ES 91 2100 0418 45 0200051332"),
        ("ES91  2100  0418  4502  0005  1332", "ES91  2100  0418  4502  0005  1332"),
        ("ES91.2100.0418.4502.0005.1332", "ES91.2100.0418.4502.0005.1332"),
        ("ES91 2100 0418\n4502 0005 1332", "ES91 2100 0418\n4502 0005 1332"),
        ("2100 0418 45 0200051332", "2100 0418 45 0200051332"),
        ("4111  1111  1111  1111", "4111  1111  1111  1111"),
        ("4111.1111.1111.1111", "4111.1111.1111.1111"),
        ("4111_1111/1111 1111", "4111_1111/1111 1111"),
        ("driving licence MORGA657054SM9IJ", "MORGA657054SM9IJ"),
        ("afiliado 28/12345678/40", "28/12345678/40"),
        ('{"patient_dni": "87654321", "x": 1}', "87654321"),
        ("passport_number=AB1234567", "AB1234567"),
        ("born on the third of April, nineteen eighty-four", "third of April, nineteen eighty-four"),
        ("born April the 3rd, 1984", "April the 3rd, 1984"),
        (
            "nació el tres de abril de mil novecientos ochenta y cuatro",
            "tres de abril de mil novecientos ochenta y cuatro",
        ),
        ("su cumpleaños es el tres de abril", "tres de abril"),
        ("nacida en 1984", "1984"),
        ("b. 1984", "1984"),
        ("F.N. 03/04/1984", "03/04/1984"),
        ("Fecha de nac.: 03/04/1984", "03/04/1984"),
        ("Fecha nacimiento 3/abr/1984", "3/abr/1984"),
        ("nac. 3 de abril del 84", "3 de abril del 84"),
        ("DOB=19840403", "19840403"),
        ("born 04 / 03 / 1984", "04 / 03 / 1984"),
        ('{"birth_date": "1984-04-03"}', "1984-04-03"),
        ('{"fecha_nacimiento":"1984-04-03"}', "1984-04-03"),
        ("vive en calle mayor 5, 2b", "calle mayor 5, 2b"),
        ("c/mayor 5", "c/mayor 5"),
        ("Cl Mayor 5", "Cl Mayor 5"),
        ("Urb. Los Pinos, parcela 12", "Urb. Los Pinos, parcela 12"),
        ("Carretera de Cádiz, km. 12", "Carretera de Cádiz, km. 12"),
        ("Calle 12 de Octubre, 7", "Calle 12 de Octubre, 7"),
        ("domicilio: Mayor 5, 2ºB", "Mayor 5, 2ºB"),
        ("Gran Vía 28", "Gran Vía 28"),
        ("123 main street", "123 main street"),
        ("on Elm Street 15", "Elm Street 15"),
        ("15, Elm Street", "15, Elm Street"),
        ("Apdo. 123", "Apdo. 123"),
    ],
)
def test_found_by_its_form_in_the_spellings_of_people_in_a_hurry(text: str, value: str) -> None:
    """RED-4, detected: separators, lines, labels of data, words for figures, other scripts beside it."""
    assert hidden(text, directory=None) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "11 12 13 14 15 16 17 18, 21 22 23 24 25 26 27 28",
        "2023\n2024\n2025\n2026",
        "10 200 300 a",
        "0.612345678 and 3,612345678",
        "la empresa abre en 1984",
        "calle cortada hasta las 5",
        "to 25 patients and 30 visits in 12 weeks",
        "plaza libre a las 5",
    ],
)
def test_rows_of_figures_and_plain_words_stay(text: str) -> None:
    """RED-5"""
    assert redactor(directory=None).text(text) == text


@pytest.mark.parametrize("text", ["tel612345678", "dni12345678z"])
def test_a_token_never_sticks_to_a_word(text: str) -> None:
    """RED-7: glued to letters it would not be restored; a blank is added instead."""
    one = redactor()
    out = one.text(text)
    back = restore_text(one.vault, out)
    assert "PHONE_" in out or "ID_" in out
    assert "_" not in back
    assert back.replace(" ", "") == text


def test_the_plural_of_an_elided_name_is_hidden_whole() -> None:
    assert hidden("the O'Briens") == ["O'Briens"]


def test_a_known_phone_is_found_over_a_lines_end() -> None:
    assert hidden("612 345\n678 llamar") == ["612 345\n678"]


@pytest.mark.parametrize("text", ["Anamaria", "@flight", "santa rosa", "San-Martín", "AnaBruno"])
def test_parts_of_several_people_make_nobody(text: str) -> None:
    """RED-4: a listed name, an ordinary word behind an initial, parts of two people; none means a known person."""
    names = ["Ana Maria Vega", "Frank Light", "Bruno Vega", "Rosa San Martín", "Fred Lights"]
    rows = [DirectoryRow("patient", f"id-{at}", (("NAME", name),)) for at, name in enumerate(names)]
    index = Directory.build(rows)
    assert [hit.owners for hit in index.find(text) if not hit.lone] == []


def test_a_surname_of_two_people_is_told_apart_by_the_initial() -> None:
    """RED-3: `@mvega` is whoever has that initial; with another one it is nobody."""
    rows = [
        DirectoryRow("patient", f"id-{at}", (("NAME", name),))
        for at, name in enumerate(["Marta Velasco", "Leo Velasco"])
    ]
    index = Directory.build(rows)
    assert [hit.owners for hit in index.find("@mvelasco")] == [("patient:id-0",)]
    assert index.find("@xvelasco") == []
