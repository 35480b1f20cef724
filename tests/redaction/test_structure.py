"""RED-4, declared, and RED-2 for schemas: marks and key names decide, dict keys included, ids of persons too."""

from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest

from deputize.core.marks import Destination, Personal, Prose, Public, Target, Trusted, Version, Yields
from deputize.core.tool import Args, Result
from deputize.redaction.known import Directory, DirectoryRow
from deputize.redaction.redactor import Redactor
from deputize.redaction.restore import restore_arguments
from deputize.redaction.vault import Vault

PERSON = "01935b3e-1111-7000-8000-0000000000aa"
VISIT = "01935b3e-2222-7000-8000-0000000000bb"


class Contact(Result):
    phone: str
    note: Annotated[str, Prose()] = ""


class Patient(Result):
    id: Annotated[UUID, Yields("patient")]
    first_name: str
    last_name: str
    mobile: int | None = None
    born: Annotated[date | None, Personal("DATE", of="id")] = None
    cabinet: Annotated[str, Public()] = ""
    status: Literal["new", "old"] = "new"
    version: Annotated[int, Version()] = 1
    contacts: list[Contact] = []
    by_name: dict[str, int] = {}


class Visit(Result):
    id: Annotated[UUID, Yields("appointment")]
    patient: Annotated[UUID, Yields("patient")]
    who: Annotated[str, Personal("NAME", of="patient")]
    reason: Annotated[str, Trusted()] = ""


class Send(Args):
    patient: Annotated[str, Target("patient")]
    to: Annotated[str, Destination("email")]
    link: Annotated[str, Destination("url")] = ""


@pytest.fixture
def redactor() -> Redactor:
    directory = Directory.build([DirectoryRow("patient", "p-99", (("NAME", "Begoña Núñez"),))])
    return Redactor(Vault(b"0123456789abcdef", kinds=("patient",)), directory, person_kinds=frozenset({"patient"}))


def token_of(redactor: Redactor, subject: str) -> str:
    token = redactor.vault.token_of(subject)
    assert token is not None
    return token


def test_a_record_of_a_person(redactor: Redactor) -> None:
    data = {
        "id": PERSON,
        "first_name": "Zyxw",
        "last_name": "Vut",
        "mobile": 612345678,
        "born": "1984-04-03",
        "cabinet": "Begoña Núñez",
        "status": "new",
        "version": 3,
        "contacts": [{"phone": "699 99 99 99", "note": "Zyxw pide hora"}],
        "by_name": {"Begoña Núñez": 1},
    }
    out = redactor.data(data, Patient)
    token = token_of(redactor, f"patient:{PERSON}")
    assert out["id"] == out["first_name"] == out["last_name"] == token
    assert out["mobile"].startswith("PHONE_")
    assert out["born"].startswith("DATE_")
    assert (out["cabinet"], out["status"], out["version"]) == ("Begoña Núñez", "new", 3)
    assert out["contacts"][0]["phone"].startswith("PHONE_")
    assert out["contacts"][0]["note"] == f"{token} pide hora"
    assert list(out["by_name"]) == [token_of(redactor, "patient:p-99")]
    shown = redactor.vault.value_of(token)
    assert shown is not None
    assert shown.value == "Zyxw Vut"


def test_ids_of_things_stay_and_names_belong_to_the_id_beside_them(redactor: Redactor) -> None:
    out = redactor.data({"id": VISIT, "patient": PERSON, "who": "Zyxw Vut", "reason": "dolor de Zyxw"}, Visit)
    token = token_of(redactor, f"patient:{PERSON}")
    assert out == {"id": VISIT, "patient": token, "who": token, "reason": f"dolor de {token}"}


def test_arguments_in_history(redactor: Redactor) -> None:
    """D2, G2: targets and destinations of earlier calls."""
    out = redactor.data({"patient": PERSON, "to": "eva@x.io", "link": "https://x.io/?n=Bego%C3%B1a"}, Send)
    assert out["patient"] == token_of(redactor, f"patient:{PERSON}")
    assert out["to"].startswith("EMAIL_")


def test_key_names_are_personal_in_any_data(redactor: Redactor) -> None:
    """RED-4: annotated or not."""
    keys = ["first_name", "lastName", "full_name", "phone", "mobile", "email", "dni", "nif"]
    out = redactor.data({"rows": [{key: f"zq{number}" for number, key in enumerate(keys)}]})
    assert [out["rows"][0][key].partition("_")[0] for key in keys] == [
        "PERSON",
        "PERSON",
        "PERSON",
        "PHONE",
        "PHONE",
        "EMAIL",
        "ID",
        "ID",
    ]


def test_undeclared_text_is_free_text_and_keys_are_scanned(redactor: Redactor) -> None:
    """D4, G8"""
    out = redactor.data({"Peter Smith": {"eva@x.io": "my name is Naga"}, "count": 3, "ok": True, "none": None})
    (name, inner), *rest = out.items()
    assert name.startswith("PERSON_")
    assert next(iter(inner)).startswith("EMAIL_")
    assert next(iter(inner.values())).startswith("my name is PERSON_")
    assert rest == [("count", 3), ("ok", True), ("none", None)]


def test_empty_values_need_no_token(redactor: Redactor) -> None:
    assert redactor.data({"first_name": "", "phone": " "}) == {"first_name": "", "phone": " "}
    assert redactor.vault.new_entries() == []


def test_the_same_person_is_the_same_token_in_every_result(redactor: Redactor) -> None:
    """C5"""
    first = redactor.data({"id": VISIT, "patient": PERSON, "who": "Zyxw Vut"}, Visit)
    second = redactor.data([{"id": VISIT, "patient": PERSON, "who": "zyxw vut"}], None)
    assert first["who"] == second[0]["who"] == second[0]["patient"]


def test_schemas_keep_their_shape_and_lose_their_values(redactor: Redactor) -> None:
    """RED-2, G2 (field): enums, defaults, examples, titles, descriptions."""
    schema: dict[str, Any] = {
        "type": "object",
        "title": "For Begoña Núñez",
        "properties": {
            "title": {"type": "string", "enum": ["Begoña Núñez", "x"], "default": "eva@x.io"},
            "n": {"type": "integer", "examples": ["Begoña Núñez", 3], "description": "as Begoña Núñez said"},
        },
        "required": ["title"],
    }
    out = redactor.schema(schema)
    token = token_of(redactor, "patient:p-99")
    assert out["title"] == f"For {token}"
    assert out["properties"]["title"]["enum"] == [token, "x"]
    assert out["properties"]["title"]["default"].startswith("EMAIL_")
    assert out["properties"]["n"] == {"type": "integer", "examples": [token, 3], "description": f"as {token} said"}
    assert (out["type"], out["required"]) == ("object", ["title"])


class Owned(Result):
    id: Annotated[str, Yields("appointment")]
    room: Annotated[str, Yields("room")]
    said: Annotated[str, Prose()]


def test_ids_of_records_that_belong_to_a_person_are_hidden() -> None:
    """RED-4: an appointment's id leads to its patient; a cabinet's does not, and a short number tells nobody."""
    vault = Vault(b"0123456789abcdef", kinds=("patient", "appointment"))
    redactor = Redactor(vault, owned_kinds=frozenset({"appointment"}))
    ident, room = "0198b000-0000-7000-8000-00000000000a", "0198b000-0000-7000-8000-00000000000b"
    shown = redactor.data({"id": ident, "room": room, "said": f"see {ident}"}, Owned)
    assert shown["id"].startswith("APPOINTMENT_")
    assert shown["said"] == f"see {shown['id']}"
    assert shown["room"] == room
    back = restore_arguments(vault, {"appointment": shown["id"]}, id_fields=[("appointment",)])
    assert back == {"appointment": ident}
    assert redactor.data({"id": "17", "room": room, "said": "at 17"}, Owned)["id"] == "17"
