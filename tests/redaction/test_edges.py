"""Edges of each layer: what is almost a value, what hangs on a find, what two layers say of one place."""

from typing import Annotated, Any

import pytest

from deputize.core.errors import DetectionFailed
from deputize.core.marks import Personal
from deputize.core.tool import Result
from deputize.redaction.entities import REMEMBERED, Remembering
from deputize.redaction.fold import fold
from deputize.redaction.known import Directory, DirectoryRow
from deputize.redaction.names import NameLists
from deputize.redaction.redactor import Redactor
from deputize.redaction.restore import StreamRestorer, restore_text
from deputize.redaction.spans import GUESS, KNOWN, Span, settle
from deputize.redaction.vault import Entry, Vault

SECRET = b"0123456789abcdef"


class Noting:
    """A detector that answers what it is told and writes down what it read."""

    def __init__(self, *spans: Span) -> None:
        self.spans, self.read = list(spans), list[tuple[str, str]]()

    def find(self, text: str, language: str) -> list[Span]:
        self.read.append((text, language))
        return list(self.spans)


def redactor(**changes: Any) -> Redactor:
    return Redactor(Vault(SECRET, kinds=("patient",)), **changes)


def hidden(text: str, **changes: Any) -> list[str]:
    return [text[span.start : span.end] for span in redactor(**changes).spans(text)]


def names(text: str) -> list[str]:
    return [text[span.start : span.end] for span in NameLists().find(fold(text))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Paciente: Corona", ["Corona"]),
        ("Monday D. Smith", []),
        ("Zxcvb D. qwer", []),
        ("Zxcvb D, Qwer", []),
        ("Ana'de Luis", ["Ana", "Luis"]),
        ("Nota: Xyzzy Ana Garcia", ["Xyzzy Ana Garcia"]),
        ("Nota: Xyzzy Ana Zzyx", ["Ana Zzyx"]),
        ("Xyzzy Ana Garcia", ["Ana Garcia"]),
        ("hola Xyzzy Ana Garcia", ["Xyzzy Ana Garcia"]),
        ("ana garcia madrid", ["ana garcia madrid"]),
        ("ana garcia abril", ["ana garcia"]),
        ("llama ana garcia Madrid", ["ana garcia"]),
        ("Ana Corona Madrid", ["Ana Corona Madrid"]),
        ("Ana Monday", ["Ana"]),
        ("Ana Invoice", ["Ana"]),
        ("Ana XYZZY", ["Ana"]),
        ("Peter Mr Smith", ["Peter", "Smith"]),
    ],
)
def test_where_a_name_begins_and_ends(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("ES91 2100 0418 4502 0005 1333", ["ES91 2100 0418 4502 0005 1333"]),
        ("ES9121000418450200051332 and more", ["ES9121000418450200051332"]),
        ("ES91 2100 0418 4502 0005 1332 X12", ["ES91 2100 0418 4502 0005 1332"]),
        ("ZZ12 ABCD EFGH IJKL MNOP", []),
        ("tarjeta 1234 5678 9012 3456", ["1234 5678 9012 3456"]),
        ("order 1234 5678 9012 3456", []),
        ("12345678A", []),
        ("CIF A58818501", ["A58818501"]),
        ("B12345678", []),
        ("call 0000000", []),
        ("call 0112102", []),
        ("fe80::1:2", ["fe80::1:2"]),
    ],
)
def test_forms_with_and_without_check_digits(text: str, values: list[str]) -> None:
    """RED-4, RED-5"""
    assert hidden(text) == values


def test_postings_of_the_directory_stay_true() -> None:
    """Two people share a phone, the first word of an address, a surname; one of them goes."""
    rows = [
        DirectoryRow("patient", "a", (("NAME", "Ana Zubi"), ("ADDRESS", "Lugar Alto 5"), ("PHONE", "612345678"))),
        DirectoryRow("patient", "b", (("NAME", "Eva Zubi"), ("ADDRESS", "Lugar Bajo 7"), ("PHONE", "612 345 678"))),
        DirectoryRow("patient", "c", (("PHONE", "699112233"), ("MOBILE", "699 112 233"), ("NAME", "Xi"))),
    ]
    directory = Directory.build(rows)
    assert directory.find("612345678")[0].owners == ("patient:a", "patient:b")
    assert [hit.kind for hit in directory.find("Lugar Medio 6")] == []
    assert [hit.lone for hit in directory.find("Ana Eva")] == [True, True]
    assert directory.find("xi") == []
    directory.extend("patient:a", "", (("EMAIL", "ana@x.io"),))
    directory.remove("patient", "a")
    assert directory.find("lugar bajo 7")[0].owners == ("patient:b",)
    assert directory.find("612345678")[0].owners == ("patient:b",)
    assert directory.find("ana@x.io") == []
    assert directory.find("699112233")[0].owners == ("patient:c",)
    assert [hit.end for hit in Directory.build(rows).find("Ana%20%20Zubi")] == [13]


@pytest.mark.parametrize(
    ("text", "span", "value"),
    [
        ("dice  Qwerty, que", (4, 13), "Qwerty"),
        ("dice hoy Qwerty que", (5, 15), "Qwerty"),
        ("dice hoy que", (5, 8), None),
        ("dice , que", (5, 6), None),
        ("dice Qwerty Aaaa Bbbb Cccc Dddd", (5, 11), "Qwerty Aaaa Bbbb Cccc"),
        ("dice Aaaa Qwerty que", (10, 16), "Aaaa Qwerty"),
        ("dice O'Qwerty que", (7, 13), "O'Qwerty"),
    ],
)
def test_edges_of_a_detectors_find_are_mended(text: str, span: tuple[int, int], value: str | None) -> None:
    """E14"""
    one = Noting(Span(*span, "PERSON", None, GUESS))
    assert hidden(text, detectors=[one]) == ([] if value is None else [value])


def test_edges_of_another_find_are_mended_too() -> None:
    one = Noting(Span(2, 17, "ADDRESS", None, GUESS))
    assert hidden("en, Sitio Alto 5, ya", detectors=[one]) == ["Sitio Alto 5"]


def test_two_finds_of_one_name_are_one() -> None:
    """B10: whichever says more decides; a known person only where the whole is theirs."""
    text = "dice Qwerty Uiop que"
    whole, part = Span(5, 16, "PERSON", None, GUESS), Span(5, 11, "PERSON", None, GUESS)
    rest = Span(12, 16, "PERSON", None, GUESS)
    assert hidden(text, detectors=[Noting(part, rest)]) == ["Qwerty Uiop"]
    assert hidden(text, detectors=[Noting(whole, part)]) == ["Qwerty Uiop"]
    lower = Noting(Span(5, 11, "PERSON", None, GUESS), Span(12, 16, "PERSON", None, GUESS))
    assert hidden("dice qwerty uiop que", detectors=[lower]) == ["qwerty uiop"]
    rows = [DirectoryRow("patient", "id-1", (("NAME", "Qwerty Asdf"),))]
    one = redactor(directory=Directory.build(rows), detectors=[Noting(part)])
    assert one.text("dice Qwerty que").startswith("dice PATIENT_")


def test_what_a_loser_covers_stays_covered() -> None:
    """E14"""
    settled = settle([Span(0, 9, "PERSON", "patient:1", GUESS), Span(3, 6, "NAME", "patient:2", KNOWN)])
    assert [(one.start, one.end, one.subject) for one in settled] == [(0, 3, None), (3, 6, "patient:2"), (6, 9, None)]


def test_a_slow_detector_is_asked_once_for_each_text() -> None:
    """RED-6: in both languages, unless one pass serves them; it forgets the oldest."""
    slow = Noting(Span(0, 6, "PERSON", None, GUESS))
    one = Remembering(slow)
    assert not one.knows("Qwerty")
    assert one.find("Qwerty", "en") == one.find("Qwerty", "es")
    assert slow.read == [("Qwerty", "en"), ("Qwerty", "es")]
    for number in range(REMEMBERED):
        one.find(str(number), "en")
    assert not one.knows("Qwerty")


class Failing:
    multilingual = True

    def find(self, text: str, language: str) -> list[Span]:
        raise RuntimeError(f"canary {text}")


def test_red_6_a_detector_that_raises_says_nothing_of_the_text() -> None:
    with pytest.raises(DetectionFailed) as caught:
        Remembering(Failing()).find("Qwerty", "en")
    assert "Qwerty" not in f"{caught.value}{caught.value.__cause__}"
    assert caught.value.__suppress_context__


def test_detectors_can_be_told_ahead_what_they_will_read() -> None:
    """RED-6: escaped as it will be, free texts of data only."""
    one = redactor(detectors=[Noting()])
    assert one.read_in("see PATIENT_kovabi") == ["see PATIENT:kovabi"]
    assert one.read_in(" ") == []
    assert one.read_in_data({"first_name": "Ana", "note": "free", "n": 1}) == ["free"]
    assert redactor().read_in("text") == []
    assert redactor().read_in_data({"note": "free"}) == []


def test_what_is_clean_is_remembered_until_something_is_learnt() -> None:
    """RED-8: the vault, the directory, and forms."""
    one = redactor()
    for number in range(REMEMBERED + 1):
        assert one.is_clean(f"text {number} of Zyxw")
    assert one.is_clean(f"text {REMEMBERED} of Zyxw")
    one.directory = Directory.build([DirectoryRow("patient", "id-1", (("NAME", "Zyxw Vut"),))])
    assert not one.is_clean(f"text {REMEMBERED} of Zyxw")
    assert not one.is_clean("call 612 34 56 78")
    token = one.vault.token_for("NAME", "Qwerty Asdf", "patient:7")
    assert one.is_clean(f"{token} came")
    assert not one.is_clean("Qwerty came")


def test_a_public_phrase_without_words_spares_nothing() -> None:
    assert hidden("Peter Smith", public=["…", "Corona"]) == ["Peter Smith"]


def test_a_token_inside_a_word_or_too_long_is_none() -> None:
    """RED-7: hidden characters cannot make a stream hold back for ever."""
    vault = Vault(SECRET, kinds=("patient",))
    token = vault.token_for("NAME", "Zoe", "patient:1")
    stretched = token.replace("_", "_" + "\u200b" * 20)
    assert restore_text(vault, f"x{token} {stretched}") == f"x{token} {stretched}"
    stream = StreamRestorer(vault)
    stream.feed(token[:9])
    assert stream.held == token[:9]


def test_rows_without_a_key_are_adopted_by_what_they_say() -> None:
    """RED-3: and a displaced person takes the names along."""
    mine = Vault(SECRET, kinds=("patient",))
    token = mine.token_for("NAME", "Ana Ruiz", "patient:1")
    other = "PATIENT_bababa" if token != "PATIENT_bababa" else "PATIENT_dadada"
    assert mine.adopt(
        [
            Entry(other, "PATIENT", "1", "patient:1", None, "id"),
            Entry(other, "NAME", "Ana Ruiz Gil", "patient:1", other, "name"),
        ]
    )
    assert mine.token_of("patient:1") == other
    shown = mine.value_of(other)
    assert shown is not None
    assert shown.value == "Ana Ruiz Gil"
    assert mine.adopt([Entry(other, "NAME", "Ana Ruiz Gil", "patient:1", other, "name")]) is False


def test_a_name_that_another_process_gave_another_token_is_that_token() -> None:
    """RED-3: the row is the truth; what else was learnt stays."""
    mine = Vault(SECRET, kinds=("patient",))
    token = mine.token_for("NAME", "Ana Ruiz", "patient:1")
    eva = mine.token_for("NAME", "Eva Sanz", "patient:2")
    other = "PATIENT_bababa" if token != "PATIENT_bababa" else "PATIENT_dadada"
    assert mine.adopt([Entry(other, "NAME", "Ana Ruiz", "patient:1", other, "name")])
    assert [found for _, found in mine.find("Ana Ruiz y Eva Sanz")] == [other, eva]


class Letter(Result):
    owner: str
    name: Annotated[str, Personal("NAME", of="owner")]


def test_a_name_beside_an_id_that_is_no_declared_person_is_one_persons_all_the_same() -> None:
    one = redactor()
    out = one.data([{"owner": "box-1", "name": "Zyxw"}, {"owner": "box-1", "name": "Vuts"}], None)
    assert out[0]["name"] == "Zyxw"
    assert one.data({"id": "box-1", "first_name": "Vuts"})["first_name"].startswith("PERSON_")
    first, second = (one.data({"owner": "box-1", "name": name}, Letter)["name"] for name in ("Zyxw", "Vuts"))
    assert first == second
    assert first.startswith("PERSON_")
