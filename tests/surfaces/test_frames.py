"""Frames of any text, cut at any byte, decode to the events that were encoded (SSE-1)."""

import codecs
import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from deputize.core.event import ErrorEvent, Token, ToolCallStart
from deputize.surfaces.http.sse import frame
from tests.surfaces.serving import decode

TEXT = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(
    ["a\r\nevent: done", "\u2028\x85\x0b", "😀é"]
)
EVENTS = st.one_of(
    st.builds(Token, message=TEXT, at=st.integers(0, 2**31), text=TEXT),
    st.builds(ToolCallStart, call_id=TEXT, tool=TEXT, title=TEXT, args=st.dictionaries(TEXT, TEXT, max_size=3)),
    st.builds(ErrorEvent, code=TEXT, message=TEXT),
)


@given(st.lists(st.tuples(EVENTS, st.none() | st.integers(0, 2**53)), max_size=5), st.lists(st.integers(0, 4000)))
def test_decoding_what_was_encoded_gives_the_same(sent: list[tuple[object, int | None]], cuts: list[int]) -> None:
    """SSE-1: no CR, one line of data, LF only, whatever a model or a tool wrote; any byte split gives the same."""
    whole = "".join(frame(event, seq) for event, seq in sent).encode()
    assert b"\r" not in whole
    edges = sorted({0, *(cut for cut in cuts if cut < len(whole)), len(whole)})
    decoder, buffer, got = codecs.getincrementaldecoder("utf-8")(), "", []
    for begin, end in pairwise(edges):
        *blocks, buffer = (buffer + decoder.decode(whole[begin:end])).split("\n\n")
        got += [decode(block) for block in blocks]
    assert buffer == ""
    assert [one.event for one in got] == [event.type for event, _ in sent]  # type: ignore[attr-defined]  # a union
    assert [one.carried if one.event == "token" else one.id for one in got] == [seq for _, seq in sent]
    for one, (event, _) in zip(got, sent, strict=True):
        assert one.data == json.loads(event.model_dump_json(by_alias=True, exclude={"type"}))  # type: ignore[attr-defined]
