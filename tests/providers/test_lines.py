"""The reader of event streams: any cut, every line end, and nothing else ends a line (E2, E5, PROV-3)."""

import json
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize.providers.lines import EventReader, LineSplitter, Malformed, parse_object

ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
LINES = st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=12), max_size=8)
OBJECTS = st.dictionaries(st.text(max_size=4), st.text(max_size=8) | st.integers(-9, 9) | st.none(), max_size=4)


def read(chunks: list[bytes]) -> list[dict[str, Any]]:
    reader = EventReader()
    return [event for chunk in chunks for event in reader.feed(chunk)] + list(reader.close())


def cut(data: bytes, places: list[int]) -> list[bytes]:
    at = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in pairwise(at)]


@given(lines=LINES, end=ENDS, places=st.lists(st.integers(0, 999), max_size=9))
def test_e_2_lines_do_not_depend_on_the_cut(lines: list[str], end: bytes, places: list[int]) -> None:
    data = b"".join(line.encode() + end for line in lines)
    splitter = LineSplitter()
    got = [line for chunk in cut(data, places) for line in splitter.feed(chunk)]
    rest = splitter.close()
    expected = [line.encode() for line in lines]
    if expected:
        expected[0] = expected[0].removeprefix(b"\xef\xbb\xbf")
    assert got == expected
    assert rest == b""


@given(objects=st.lists(OBJECTS, max_size=6), end=ENDS, places=st.lists(st.integers(0, 999), max_size=9))
def test_e_2_events_do_not_depend_on_the_cut(objects: list[dict[str, Any]], end: bytes, places: list[int]) -> None:
    data = b"".join(b"data: " + json.dumps(value, ensure_ascii=False).encode() + end + end for value in objects)
    assert read(cut(data, places)) == objects


def test_e_2_a_split_crlf_is_one_line_end() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"data: 1\r") == [b"data: 1"]
    assert splitter.feed(b"\n") == []
    assert splitter.feed(b"\r\n\r") == [b"", b""]
    assert splitter.feed(b"x\n") == [b"x"]


def test_e_2_a_byte_order_mark_is_no_text() -> None:
    assert read([b"\xef\xbb", b'\xbfdata: {"a": 1}\n\n']) == [{"a": 1}]
    assert read([b'\xef\xbb\xbfdata: {"a": 1}']) == [{"a": 1}]


def test_an_event_over_several_data_lines_is_joined() -> None:
    assert read([b'data: {"a":\ndata: 1}\n\n']) == [{"a": 1}]


def test_other_fields_and_lookalikes_are_not_data() -> None:
    assert read([b'database: {"a": 1}\ndata\nevent: x\n: data: {"a": 2}\n\n']) == []


def test_nothing_counts_after_done() -> None:
    reader = EventReader()
    assert list(reader.feed(b'data: {"a": 1}\n\ndata: [DONE]\n\ndata: {"a": 2}\n\ndata: nonsense\n\n')) == [{"a": 1}]
    assert reader.done


def test_e_5_a_cut_last_event_is_dropped_and_a_whole_one_is_not() -> None:
    assert read([b'data: {"a": 1}']) == [{"a": 1}]
    assert read([b'data: {"a": ']) == []


@pytest.mark.parametrize("bad", [b"{", b"[]", b"3", b"null", b'"x"', b"{" * 100_000, b'{"a": ' + b"9" * 5_000 + b"}"])
def test_prov_3_what_is_no_object_is_malformed_and_nothing_else(bad: bytes) -> None:
    with pytest.raises(Malformed) as caught:
        parse_object(bad)
    assert bad[:20].decode() not in str(caught.value) or len(bad) < 3
    assert caught.value.__cause__ is None


def test_prov_3_broken_utf_8_is_replaced() -> None:
    assert parse_object(b'{"a": "\xff"}') == {"a": "\ufffd"}


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_prov_3_any_bytes_give_objects_or_malformed(chunks: list[bytes]) -> None:
    with suppress(Malformed):
        assert all(isinstance(event, dict) for event in read(chunks))
