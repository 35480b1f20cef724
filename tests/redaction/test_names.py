"""RED-4, RED-5: persons without a model, by lists, cues and shape; words of the house are no names."""

import pytest

from deputize.redaction.fold import fold
from deputize.redaction.names import NameLists


def names(text: str) -> list[str]:
    return [text[span.start : span.end] for span in NameLists().find(fold(text))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Mrs. Ruch says hello", ["Ruch"]),
        ("La Sra. Maldonado Menéndez dice", ["Maldonado Menéndez"]),
        ("cancel carey lafontaine please", ["carey lafontaine"]),
        ("Remitido por: Dra. María de la Cruz", ["María de la Cruz"]),
        ("me llamo Xiqqo", ["Xiqqo"]),
        ("verses of Faina D. Yefremova", ["Faina D. Yefremova"]),
        ("Apellidos: De Miguel Rivera.\nNHC", ["De Miguel Rivera"]),
        ("Médico: Jorge Rioja Zuazu", ["Jorge Rioja Zuazu"]),
        ("soy JULIO GOICOECHEA", ["JULIO GOICOECHEA"]),
        ("Ask Zzyzx to come", ["Zzyzx"]),
        ("dile a Zzyzx que venga", ["Zzyzx"]),
        ("Dr. A. Parente called", ["A. Parente"]),
        ("Dra. M.a José Tapia", ["M.a José Tapia"]),
        ("ask RAMIREZ about it", ["RAMIREZ"]),
        ("Peter Smith May", ["Peter Smith May"]),
        ("Peter Smith May 5", ["Peter Smith"]),
        ("Julio Sanz y Eva Rey", ["Julio Sanz", "Eva Rey"]),
    ],
)
def test_found(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "the Doctor said it is fine",
        "Thank You Very Much",
        "NASS and ECG",
        "in May or in June",
        "Madrid and Valencia",
        "my name is on file",
        "la corona de la pieza",
        "Grant access to the manager",
        "Mark it as done",
        "sr de la casa",
    ],
)
def test_not_found(text: str) -> None:
    assert names(text) == []
