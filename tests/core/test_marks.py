"""TOOL-1, TOOL-7, RED-4: the walk that finds every annotated field, however deep it stands."""

from __future__ import annotations

from typing import Annotated, Any, Optional
from uuid import UUID

import pytest
from pydantic import BaseModel, create_model

from deputize.core.marks import Destination, Personal, Prose, RecursiveModel, Target, Text, Yields, fields, leaves


class Line(BaseModel):
    item: Annotated[str, Yields("item")]
    note: Annotated[Optional[str], Prose()] = None  # noqa: UP045  # the older spelling must be understood too


class Booking(BaseModel):
    patient: Annotated[UUID, Target("patient")]
    to: Annotated[str | None, Destination("email")] = None
    lines: list[Line]
    tags: tuple[Annotated[str, Text()], ...] = ()
    extra: dict[str, Line] = {}  # pydantic copies defaults
    either: int | str = 0
    nested: list[list[Annotated[str, Personal("NAME")]]] = []  # pydantic copies defaults
    bare: list = []  # type: ignore[type-arg]  # a list that says nothing about its items


class Tree(BaseModel):
    children: list[Tree]


class Outer(BaseModel):
    tree: Tree


def test_every_field_is_found_with_its_path_and_marks_in_order() -> None:
    assert [(".".join(f.path), f.marks, f.required) for f in fields(Booking)] == [
        ("patient", (Target("patient"),), True),
        ("to", (Destination("email"),), False),
        ("lines.*.item", (Yields("item"),), True),
        ("lines.*.note", (Prose(),), False),
        ("tags.*", (Text(),), False),
        ("extra.*.item", (Yields("item"),), True),
        ("extra.*.note", (Prose(),), False),
        ("either", (), False),
        ("nested.*.*", (Personal("NAME"),), False),
        ("bare", (), False),
    ]


def test_an_optional_field_is_of_the_type_that_it_may_hold_and_a_real_union_stays_one() -> None:
    by_path = {f.path: f.annotation for f in fields(Booking)}
    assert by_path["to",] is str
    assert by_path["either",] == int | str
    assert by_path["bare",] is list


def test_a_field_hands_out_its_mark_by_kind() -> None:
    patient = fields(Booking)[0]
    assert patient.mark(Target) == Target("patient")
    assert patient.mark(Destination) is None


def test_tool_16_a_model_that_contains_itself_is_refused_and_named() -> None:
    with pytest.raises(RecursiveModel, match=r"Tree contains itself at tree\.children\.\*"):
        fields(Outer)
    with pytest.raises(RecursiveModel, match=r"Tree contains itself at children\.\*"):
        fields(Tree)


def test_f7_a_model_that_unfolds_without_end_is_refused_and_named() -> None:
    """Twelve models within each other, each twice: four thousand fields, and one more doubles them."""
    model: type[BaseModel] = Line
    for n in range(12):
        model = create_model(f"Fold{n}", left=(model, ...), right=(model, ...))
    with pytest.raises(RecursiveModel, match="Fold11 unfolds into more than 1000 fields"):
        fields(model)


def test_each_value_is_found_with_its_exact_path_and_its_neighbours() -> None:
    data: dict[str, Any] = {
        "patient": "p1",
        "to": None,
        "lines": [{"item": "i1", "note": "soft"}, {"item": "i2"}],
        "extra": {"x": {"item": "i3"}},
        "nested": [["Ana"], []],
    }
    found = {leaf.path: leaf for leaf in leaves(Booking, data)}
    assert {path: leaf.value for path, leaf in found.items()} == {
        ("patient",): "p1",
        ("lines", 0, "item"): "i1",
        ("lines", 0, "note"): "soft",
        ("lines", 1, "item"): "i2",
        ("extra", "x", "item"): "i3",
        ("nested", 0, 0): "Ana",
    }
    assert found["lines", 0, "note"].holder["item"] == "i1"
    assert found["lines", 1, "item"].field.mark(Yields) == Yields("item")


@pytest.mark.parametrize("data", ["text", None, 7, {"lines": "text"}, {"lines": [7]}, {"extra": None}])
def test_data_of_another_shape_yields_nothing_and_does_not_raise(data: Any) -> None:
    assert list(leaves(Booking, data)) == []
