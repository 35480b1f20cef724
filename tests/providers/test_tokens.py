"""Usage in disjoint classes, from whatever is reported (BUD-3, B1, B2, B4, B7)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize.core.usage import Usage
from deputize.providers.tokens import AnthropicTokens, OpenAITokens, of_openai

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**14),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.integers(), max_size=1),
)
KEYS = st.sampled_from(
    [
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "prompt_cache_hit_tokens",
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
    ]
)


@given(st.lists(st.one_of(VALUES, st.dictionaries(KEYS, VALUES)), max_size=5))
def test_bud_3_no_report_breaks_anything(reports: list[Any]) -> None:
    chat, messages = OpenAITokens(), AnthropicTokens()
    for report in reports:
        chat.take(report)
        messages.take(report)
    for usage in (chat.usage, messages.usage):
        assert usage is None or usage.total >= 0


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_bud_3_the_classes_are_disjoint(prompt: int, completion: int, cached: int, written: int) -> None:
    usage = of_openai(
        {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "prompt_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written},
        }
    )
    assert usage is not None
    assert usage.total == prompt + completion
    assert usage.output == completion


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), 1.5, "7", True, 10**13, [7]])
def test_bud_3_nonsense_is_refused(bad: Any) -> None:
    assert of_openai({"prompt_tokens": bad, "completion_tokens": 1}) is None
    assert of_openai({"prompt_tokens": 1, "completion_tokens": bad}) is None
    tokens = AnthropicTokens()
    tokens.take({"input_tokens": 4, "output_tokens": 1})
    assert tokens.take({"input_tokens": 4, "output_tokens": bad}) is None
    assert tokens.usage == Usage(4, 1)


def test_b_7_an_honest_zero_is_a_report() -> None:
    assert OpenAITokens().take({"prompt_tokens": 0, "completion_tokens": 0}) == Usage()
    assert AnthropicTokens().take({"input_tokens": 0, "output_tokens": 0}) == Usage()


def test_whole_floats_are_counts() -> None:
    assert of_openai({"prompt_tokens": 7.0, "completion_tokens": 2.0}) == Usage(7, 2)


def test_b_1_unchanged_reports_are_not_repeated() -> None:
    tokens = OpenAITokens()
    report = {"prompt_tokens": 7, "completion_tokens": 2}
    assert tokens.take(report) == Usage(7, 2)
    assert tokens.take(report) is None


def test_b_5_the_first_part_alone_is_no_report() -> None:
    tokens = AnthropicTokens()
    assert tokens.take({"input_tokens": 700, "output_tokens": 1}, first=True) is None
    assert tokens.usage is None
    assert tokens.take({"output_tokens": 9}) == Usage(700, 9)
