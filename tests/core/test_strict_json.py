"""What a model's arguments must be before anything looks at them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize.core.strict_json import NotStrict, read, storable

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        ("", "json_invalid"),
        ("{", "json_invalid"),
        ("[" * 100_000, "json_invalid"),
        ("9" * 5_000, "json_invalid"),
        ("NaN", "number_invalid"),
        ("-Infinity", "number_invalid"),
        ('{"a": 1e999}', "number_invalid"),
        ('{"a": 1, "a": 1}', "duplicate_name"),
        ('[{"x": {"a": 1, "b": 2, "\\u0061": 3}}]', "duplicate_name"),
        ('"\\u0000"', "text_invalid"),
        ('["\\ud800"]', "text_invalid"),
        ('{"\\udfff": 1}', "text_invalid"),
    ],
)
def test_what_readers_disagree_on_is_refused(raw: str, rule: str) -> None:
    """C8, F5: the rule is named, the text is not."""
    with pytest.raises(NotStrict) as refused:
        read(raw)
    assert refused.value.rule == rule
    assert str(refused.value) == rule


@given(PLAIN)
def test_everything_else_is_read_as_it_is(value: object) -> None:
    names_and_texts = json.dumps(value)
    if "\\u0000" not in names_and_texts and "\\ud" not in names_and_texts:
        assert read(names_and_texts) == value


def test_a_whole_pair_is_one_letter() -> None:
    assert read('"\\ud83d\\ude00"') == "😀"
    assert storable("😀")
    assert not storable("\ud83d")
