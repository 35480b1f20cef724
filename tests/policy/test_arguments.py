"""From a model's JSON text to validated data; errors name field and rule, never the value (RUN-3, F1 to F5)."""

import json
from typing import Annotated

import pytest

from deputize.core.marks import Target
from deputize.core.tool import Args
from deputize.policy.arguments import Bad, call_key, parse, validate
from deputize.policy.pinning import NotRead, NotSeen, Pinned, Seen, pin


class Inner(Args):
    name: str


class Some(Args):
    amount: float
    ids: list[int] = []
    inner: Inner | None = None
    note: str | None = None


class AllOptional(Args):
    amount: int = 0


@pytest.mark.parametrize(
    "raw",
    [
        *("[]", "3", "null", '"x"', "{", "{'a': 1}", "[" * 100_000),
        *('{"amount": NaN}', '{"amount": Infinity}', '{"amount": 1e999}', '{"amount": 1, "amount": 2}'),
        *('{"amount": 1, "note": "\\ud800"}', '{"amount": 1, "note": "\\u0000"}'),
    ],
)
def test_not_an_object(raw: str) -> None:
    """F5: JSON that is no object, or no JSON, is invalid; so are endless numbers, a name twice and broken text."""
    assert isinstance(parse(raw, Some), Bad)


def test_empty_arguments() -> None:
    """A16, A17: nothing at all is `{}` only where no field is required."""
    assert parse("", AllOptional) == {}
    assert isinstance(parse("  ", Some), Bad)


@pytest.mark.parametrize(
    "value",
    [
        {"amount": "a lot"},
        {"amount": [5]},
        {"amount": None},
        {"amount": 1, "__class__": {}},
        {"Amount": 1},
    ],
)
def test_invalid(value: dict[str, object]) -> None:
    """C8, A25: no other shapes, no unknown fields."""
    found = validate(value, Some)
    assert isinstance(found, Bad)
    assert found.code == "invalid_arguments"


def test_stringified_structures_are_decoded_once() -> None:
    """F1: a list or an object sent as a JSON string, only where the schema wants one."""
    found = validate({"amount": 1, "ids": "[1,2]", "inner": json.dumps({"name": "x"}), "note": "[1]"}, Some)
    assert not isinstance(found, Bad)
    assert (found.ids, found.inner, found.note) == ([1, 2], Inner(name="x"), "[1]")  # type: ignore[attr-defined]
    assert isinstance(validate({"amount": 1, "ids": json.dumps("[1,2]")}, Some), Bad)
    assert isinstance(validate({"amount": 1, "ids": "nonsense"}, Some), Bad)


def test_faults_hold_no_values() -> None:
    """RUN-3 (4)."""
    found = validate({"amount": "secret", "hidden": "secret"}, Some)
    assert isinstance(found, Bad)
    assert "secret" not in str(found)
    assert "hidden" not in str(found)


def test_key() -> None:
    """RUN-5, C5: order does not matter, omitted and null are different calls."""
    assert call_key("t", {"a": 1, "b": 2}) == call_key("t", {"b": 2, "a": 1})
    assert call_key("t", {"a": None}) != call_key("t", {})
    assert call_key("t", {}) != call_key("u", {})


class Move(Args):
    order: Annotated[str, Target("order")]
    others: list[Annotated[str, Target("order")]] = []


def test_pinning() -> None:
    """TOOL-5, TOOL-6: pinning is asked before the version, for every target."""
    seen = Seen({("order", "1"), ("order", "2")}, {("order", "1"): "7"})
    assert pin(Move, {"order": "1"}, seen, {"order"}) == Pinned((("order", "1"),), {"order": "7"})
    assert pin(Move, {"order": "9"}, seen, {"order"}) == NotSeen("order", "order")
    assert pin(Move, {"order": "2"}, seen, {"order"}) == NotRead("order", "order")
    assert pin(Move, {"order": "2"}, seen, set()) == Pinned((("order", "2"),), {})
    assert pin(Move, {"order": "1", "others": ["2", "9"]}, seen, set()) == NotSeen("order", "others.1")


def test_two_targets_of_one_kind_keep_a_version_each() -> None:
    """TOOL-5: none takes the other's place, in whatever order they are locked or named."""
    seen = Seen({("order", "1"), ("order", "2")}, {("order", "1"): "7", ("order", "2"): "4"})
    found = pin(Move, {"order": "2", "others": ["1", "2"]}, seen, {"order"})
    assert isinstance(found, Pinned)
    assert found.versions == {"order": "4", "order:1": "7"}


def test_a_model_in_a_wrapping_is_refused_aloud() -> None:
    """F11: never silently dropped to defaults."""
    assert validate({"amount": 3}, AllOptional) == AllOptional(amount=3)
    assert isinstance(validate({"data": {"amount": 3}}, AllOptional), Bad)
    assert isinstance(validate({"args": {"amount": 3}}, AllOptional), Bad)


def test_null_is_refused_where_the_field_takes_none_and_kept_where_it_does() -> None:
    """F4: clearing is said aloud, and is another call than leaving out."""
    assert isinstance(validate({"amount": None}, AllOptional), Bad)
    cleared, left = validate({"amount": 1, "note": None}, Some), validate({"amount": 1}, Some)
    assert not isinstance(cleared, Bad)
    assert not isinstance(left, Bad)
    assert cleared.model_dump(exclude_unset=True) == {"amount": 1, "note": None}
    assert left.model_dump(exclude_unset=True) == {"amount": 1}
