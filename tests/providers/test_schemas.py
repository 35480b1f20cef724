"""Schemas as each wire takes them: nothing lost, references bounded, strict where it can be (TOOL-16, F7, F8, C5)."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from pydantic import BaseModel, ConfigDict, Field

from deputize.core.tool import Args
from deputize.providers.schemas import (
    DEEPEST,
    MOST_KEPT,
    MOST_NODES,
    Kept,
    NotStrict,
    SchemaRefused,
    for_anthropic,
    for_openai,
    for_openai_strict,
    without_filled,
)

EXPORTERS = pytest.mark.parametrize("export", [for_openai, for_anthropic])


class Room(StrEnum):
    A = "a"
    B = "b"


class Slot(Args):
    """A time in a room."""

    room: Room
    day: date
    minutes: Annotated[int, Field(ge=5, le=240)] = 30


class Book(Args):
    patient: int = Field(description="Whose appointment.")
    slot: Slot = Field(description="When and where.")
    others: list[Slot] = Field(default_factory=list, max_length=3)
    note: str | None = Field(None, max_length=200)
    label: str = "none"
    how: Optional[Union[int, str]] = None  # noqa: UP007, UP045 - the case's own spelling
    kind: Literal["first", "check"] = "first"


class Money(Args):
    amount: Decimal
    at: datetime


class Free(Args):
    anything: Any
    facts: dict[str, int] = {}


class Cat(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["dog"]
    tricks: list[str]


class Pet(Args):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Tree(BaseModel):
    name: str
    children: list["Tree"] = []


class Forest(Args):
    trees: list[Tree]


def words(schema: Any) -> set[str]:
    """All keys that stand anywhere in it."""
    if isinstance(schema, dict):
        return set(schema) | {word for value in schema.values() for word in words(value)}
    return {word for value in schema for word in words(value)} if isinstance(schema, list) else set()


@EXPORTERS
def test_references_are_resolved_and_nothing_is_lost(export: Any) -> None:
    schema = export(Book.model_json_schema())
    assert not words(schema) & {"$ref", "$defs", "title"}
    assert schema["required"] == ["patient", "slot"]
    assert schema["additionalProperties"] is False
    slot = schema["properties"]["slot"]
    assert slot["description"] == "When and where."
    assert slot["properties"]["room"] == {"enum": ["a", "b"], "type": "string"}
    assert slot["properties"]["minutes"] == {"default": 30, "maximum": 240, "minimum": 5, "type": "integer"}
    assert schema["properties"]["others"]["items"]["properties"]["day"] == {"format": "date", "type": "string"}
    assert schema["properties"]["patient"] == {"description": "Whose appointment.", "type": "integer"}


@EXPORTERS
def test_f_8_any_of_and_boolean_schemas_survive(export: Any) -> None:
    schema = export(Book.model_json_schema())
    assert schema["properties"]["how"]["anyOf"] == [{"type": "integer"}, {"type": "string"}, {"type": "null"}]
    odd = export({"type": "object", "properties": {"yes": True, "no": False, "list": {"type": "array", "items": True}}})
    assert odd["properties"] == {"yes": {}, "no": {"not": {}}, "list": {"type": "array", "items": {}}}
    free = export(Free.model_json_schema())
    assert free["properties"]["anything"] == {}
    assert free["properties"]["facts"]["additionalProperties"] == {"type": "integer"}


def test_a_property_may_be_called_as_a_keyword_is() -> None:
    given = {
        "type": "object",
        "title": "Args",
        "properties": {"title": {"type": "string", "title": "Title"}, "$ref": {"type": "string"}, "items": True},
    }
    assert for_openai(given)["properties"] == {"title": {"type": "string"}, "$ref": {"type": "string"}, "items": {}}


@EXPORTERS
def test_f_7_a_model_that_contains_itself_is_refused_aloud(export: Any) -> None:
    with pytest.raises(SchemaRefused, match="Tree contains itself"):
        export(Forest.model_json_schema())
    with pytest.raises(SchemaRefused):
        export({"type": "object", "properties": {"x": {"$ref": "#"}}})
    with pytest.raises(SchemaRefused):
        export({"allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}})


def test_f_7_references_that_explode_are_refused() -> None:
    steps = {
        f"S{n}": {"type": "object", "properties": {k: {"$ref": f"#/$defs/S{n + 1}"} for k in "abcd"}} for n in range(9)
    }
    given = {"type": "object", "properties": {"x": {"$ref": "#/$defs/S0"}}, "$defs": {**steps, "S9": {"type": "null"}}}
    with pytest.raises(SchemaRefused, match="too large"):
        for_openai(given)
    assert MOST_NODES < 4**9


@pytest.mark.parametrize(
    "given",
    [
        {"type": "array", "items": {}},
        {"anyOf": [{"type": "object"}]},
        {"type": "object", "properties": {"x": {"$ref": "https://example.com/schema"}}},
        {"type": "object", "properties": {"x": {"$ref": "#/$defs/Missing"}}},
        {"type": "object", "properties": {"x": 3}},
    ],
)
def test_what_no_wire_takes_is_refused_aloud(given: dict[str, Any]) -> None:
    with pytest.raises(SchemaRefused):
        for_openai(given)


def test_a_tool_without_arguments_has_an_object_all_the_same() -> None:
    class Nothing(Args):
        pass

    assert for_openai(Nothing.model_json_schema())["properties"] == {}
    strict = for_openai_strict(Nothing.model_json_schema())
    assert strict == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def strictly(schema: dict[str, Any]) -> None:
    """Every object names all its properties as required and takes no others; every schema says what it takes."""
    if "anyOf" in schema:
        for choice in schema["anyOf"]:
            strictly(choice)
    elif schema.get("type") == "object":
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
        for part in schema["properties"].values():
            strictly(part)
    elif schema.get("type") == "array":
        strictly(schema["items"])
    else:
        assert schema.keys() & {"type", "enum", "const"}


@pytest.mark.parametrize("model", [Book, Money, Pet, Slot])
def test_strict_schemas_are_strict_all_the_way_down(model: type[Args]) -> None:
    schema = for_openai_strict(model.model_json_schema())
    strictly(schema)
    assert not words(schema) & {"default", "oneOf", "maxLength", "$ref"}


def test_strict_widens_what_may_be_left_out_and_only_that() -> None:
    properties = for_openai_strict(Book.model_json_schema())["properties"]
    assert properties["label"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert properties["note"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert properties["patient"] == {"description": "Whose appointment.", "type": "integer"}
    assert properties["kind"]["anyOf"][1] == {"type": "null"}


def test_strict_drops_what_its_engine_cannot_read_and_the_door_checks_anyway() -> None:
    amount = for_openai_strict(Money.model_json_schema())["properties"]["amount"]
    assert "pattern" not in str(amount)


@pytest.mark.parametrize(
    "part",
    [
        {},
        {"type": "object"},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "array"},
        {"type": "array", "prefixItems": [{"type": "integer"}]},
        {"type": "string", "not": {"const": "x"}},
        {"allOf": [{"type": "string"}, {"minLength": 1}]},
    ],
)
def test_what_strict_cannot_say_is_not_said_strictly(part: dict[str, Any]) -> None:
    given = {"type": "object", "properties": {"x": part}, "required": ["x"]}
    with pytest.raises(NotStrict):
        for_openai_strict(given)
    assert for_openai(given)["properties"]["x"] == part


def test_strict_takes_no_endless_nesting() -> None:
    part: dict[str, Any] = {"type": "string"}
    for _ in range(DEEPEST + 1):
        part = {"type": "object", "properties": {"x": part}, "required": ["x"], "additionalProperties": False}
    with pytest.raises(NotStrict):
        for_openai_strict(part)


def test_c_5_nulls_that_strict_asked_for_are_left_out_again_and_real_ones_stay() -> None:
    plain = for_openai(Book.model_json_schema())
    answer = {
        "patient": 3,
        "slot": {"room": "a", "day": "2026-03-02", "minutes": None},
        "others": [{"room": "b", "day": "2026-03-03", "minutes": None}],
        "note": None,
        "label": None,
        "how": None,
        "kind": None,
        "made_up": None,
    }
    lean = without_filled(answer, plain)
    assert lean == {
        "patient": 3,
        "slot": {"room": "a", "day": "2026-03-02"},
        "others": [{"room": "b", "day": "2026-03-03"}],
        "note": None,
        "how": None,
        "made_up": None,
    }
    pets = for_openai(Pet.model_json_schema())
    assert without_filled({"pet": {"kind": "dog", "tricks": None}}, pets) == {"pet": {"kind": "dog", "tricks": None}}


def test_an_export_is_made_once_for_one_schema_and_never_mistaken() -> None:
    made: list[int] = []

    def export(parameters: Mapping[str, Any]) -> int:
        made.append(parameters["n"])
        return int(parameters["n"])

    kept, same = Kept(export), {"n": -1}
    assert [kept(same), kept(same)] == [-1, -1]
    assert [kept({"n": n}) for n in range(MOST_KEPT + 5)] == list(range(MOST_KEPT + 5))
    assert kept(same) == -1
    assert made.count(-1) == 2
