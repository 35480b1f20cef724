"""The messages assembly on whatever JSON comes (PROV-3); its quirks stand in the corpus."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize.core.provider import ProviderFailed
from deputize.providers.fragments import MOST_CALLS
from deputize.providers.lines import Malformed
from deputize.providers.messages import MessageAssembly

SCALARS: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4) | st.just([]) | st.just({})
)
KINDS = st.sampled_from(
    ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message"]
)
BLOCKS = st.sampled_from(
    ["text", "tool_use", "thinking", "text_delta", "input_json_delta", "thinking_delta", "signature_delta"]
)
INNER = st.dictionaries(
    st.sampled_from(["text", "id", "name", "input", "partial_json", "thinking", "signature", "stop_reason", "usage"]),
    SCALARS,
).flatmap(lambda given_: st.builds(lambda kind: {**given_, "type": kind}, BLOCKS | SCALARS))
EVENTS = st.fixed_dictionaries(
    {"type": KINDS | SCALARS},
    optional={
        "index": SCALARS,
        "content_block": INNER | SCALARS,
        "delta": INNER | SCALARS,
        "message": INNER | SCALARS,
        "usage": SCALARS,
        "content": st.lists(INNER | SCALARS, max_size=2) | SCALARS,
    },
)


@given(st.lists(EVENTS, max_size=8))
def test_prov_3_any_json_gives_events(events: list[dict[str, Any]]) -> None:
    assembly = MessageAssembly("here", {})
    out = [made for event in events for made in assembly.take(event)]
    assert len([*out, *assembly.close()]) >= len(out)


@pytest.mark.parametrize(
    "event", [{"type": "error"}, {"type": "error", "error": "x"}, {"error": {"type": "api_error"}}]
)
def test_prov_3_every_shape_of_error_is_a_failure(event: dict[str, Any]) -> None:
    with pytest.raises(ProviderFailed):
        list(MessageAssembly("here", {}).take(event))


def test_a_flood_of_blocks_is_refused() -> None:
    assembly = MessageAssembly("here", {})
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}
    for _ in range(MOST_CALLS):
        assert list(assembly.take(start)) == []
    with pytest.raises(Malformed):
        list(assembly.take(start))
