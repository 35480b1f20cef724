"""Ids, names, text and arguments within the wires' limits (A10, A23, A28, A29, PROV-3)."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize.providers.wire import (
    CallIds,
    IdRule,
    TextJoiner,
    argument_object,
    clean,
    opaque,
    replayable,
    wire_name,
)

NINE = IdRule(re.compile(r"[A-Za-z0-9]{9}"), 9)
ANYTHING = st.text(st.characters(), max_size=20)


@given(ANYTHING)
def test_a_28_every_id_fits_and_always_the_same_way(call_id: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9]{9}", NINE.fit(call_id))
    assert NINE.fit(call_id) == NINE.fit(call_id)
    assert NINE.fit(NINE.fit(call_id)) == NINE.fit(call_id)


@given(st.lists(st.sampled_from(["", "a", "b", "a\x001", "abcdefghi"]), max_size=30))
def test_a_10_a_23_ids_in_one_request_are_unique_and_results_follow_their_calls(used: list[str]) -> None:
    ids = CallIds(NINE)
    fitted = [ids.use(call_id) for call_id in used]
    assert len(set(fitted)) == len(used)
    assert [ids.result(call_id) for call_id in used] == fitted


def test_a_result_without_a_call_gets_an_id_all_the_same() -> None:
    assert CallIds(NINE).result("abcdefghi") == "abcdefghi"


@given(ANYTHING)
def test_names_fit_both_wires(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", wire_name(name))


def test_names_that_differ_stay_different() -> None:
    names = ["a.b", "a_b", "a b", "x" * 70, "x" * 71]
    assert len({wire_name(name) for name in names}) == len(names)
    assert wire_name("find_patient") == "find_patient"


@given(st.lists(ANYTHING, max_size=6))
def test_text_in_pieces_is_the_text_cleaned(pieces: list[str]) -> None:
    joiner = TextJoiner()
    got = "".join(joiner.feed(piece) for piece in pieces) + joiner.close()
    assert got == clean("".join(pieces))
    assert "\x00" not in got.encode("utf-8").decode("utf-8")


@given(st.text(max_size=10), st.integers(0, 40))
def test_a_character_cut_in_halves_is_whole_again(text: str, at: int) -> None:
    halves = "".join(
        letter if ord(letter) < 0x10000 else "".join(chr(unit) for unit in _units(letter)) for letter in text
    )
    joiner = TextJoiner()
    assert joiner.feed(halves[:at]) + joiner.feed(halves[at:]) + joiner.close() == text.replace("\x00", "\ufffd")


def _units(letter: str) -> tuple[int, int]:
    rest = ord(letter) - 0x10000
    return 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF)


@pytest.mark.parametrize("arguments", ["", " ", "{}", '{"a": 1}', "[]", "3", "null", "{", "[" * 100_000, "\u2028"])
def test_f_5_arguments_replay_as_an_object_in_any_case(arguments: str) -> None:
    value = replayable(arguments)
    assert isinstance(value, dict)
    known = argument_object(arguments)
    assert value == ({"invalid_arguments": arguments} if known is None else known)
    assert json.loads(json.dumps(value)) == value


def test_a_28_opaque_fields_go_back_to_their_origin_only() -> None:
    extra = {"openai:a.example": {"x": 1}, "odd": 3}
    assert opaque(extra, "openai:a.example") == {"x": 1}
    assert opaque(extra, "openai:b.example") == {}
    assert opaque(extra, "odd") == {}
