"""Fragments of calls joined whatever they look like; the quirks themselves stand in the corpus (PROV-3)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize.core.provider import ProviderFailed
from deputize.providers.completions import ChatAssembly
from deputize.providers.fragments import MOST_CALLS, Calls
from deputize.providers.lines import Malformed

ARGUMENTS = st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=6), min_size=1, max_size=3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "delta", "index", "tool_calls", "function", "name", "arguments", "id", "content", "usage"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(
    calls=st.lists(ARGUMENTS, min_size=1, max_size=4),
    cuts=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    ids=st.booleans(),
)
def test_calls_streamed_by_index_are_what_they_were(calls: list[dict[str, Any]], cuts: list[int], ids: bool) -> None:
    drafts = Calls()
    for index, arguments in enumerate(calls):
        head: dict[str, Any] = {"index": index, "function": {"name": f"tool_{index}", "arguments": ""}}
        drafts.add({**head, "id": f"id_{index}"} if ids else head)
        text, turn = json.dumps(arguments), 0
        while text:
            size = cuts[turn % len(cuts)]
            drafts.add({"index": index, "function": {"arguments": text[:size]}})
            text, turn = text[size:], turn + 1
    done = drafts.finished("here")
    assert [json.loads(use.arguments) for use in done] == calls
    assert [use.name for use in done] == [f"tool_{index}" for index in range(len(calls))]
    assert [use.id for use in done] == [f"{'id' if ids else 'call'}_{index}" for index in range(len(calls))]


@given(st.lists(ARGUMENTS, min_size=1, max_size=4, unique_by=str), st.sampled_from(["", "same", None]))
def test_a_5_a_10_whole_calls_without_index_stay_apart(calls: list[dict[str, Any]], id_: str | None) -> None:
    drafts = Calls()
    for arguments in calls:
        drafts.add({"id": id_, "function": {"name": "f", "arguments": json.dumps(arguments)}})
    assert [json.loads(use.arguments) for use in drafts.finished("here")] == calls


def test_a_flood_of_calls_is_refused() -> None:
    drafts = Calls()
    for n in range(MOST_CALLS):
        drafts.add({"index": n, "id": f"c{n}", "function": {"name": "f", "arguments": "{}"}})
    with pytest.raises(Malformed):
        drafts.add({"index": MOST_CALLS, "id": "more", "function": {"name": "f", "arguments": "{}"}})


@given(st.lists(st.dictionaries(st.sampled_from(["choices", "usage", "x_groq", "error"]), JSON), max_size=6))
def test_prov_3_any_json_gives_events_or_a_failure(chunks: list[dict[str, Any]]) -> None:
    assembly = ChatAssembly("here", {})
    try:
        events = [event for chunk in chunks for event in assembly.take(chunk)]
    except ProviderFailed:
        assert any(chunk.get("error") for chunk in chunks)
    else:
        assert len([*events, *assembly.close()]) >= len(events)


@given(st.lists(st.fixed_dictionaries({"index": JSON, "id": JSON, "function": JSON}), max_size=6))
def test_prov_3_any_pieces_give_calls(pieces: list[dict[str, Any]]) -> None:
    drafts = Calls()
    for piece in pieces:
        drafts.add(piece)
    assert len(drafts.finished("here")) == len(drafts)
    assert all(use.id for use in drafts.finished("here"))
