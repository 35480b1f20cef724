"""The words for why an answer stopped (RUN-3); the quirks themselves stand in the corpus."""

import pytest

from deputize.core.provider import Done, ProviderEvent
from deputize.providers.completions import REASONS, ChatAssembly


def ended(*words: object) -> list[ProviderEvent]:
    assembly = ChatAssembly("here", {})
    for word in words:
        list(assembly.take({"choices": [{"index": 0, "delta": {}, "finish_reason": word}]}))
    return list(assembly.close())


@pytest.mark.parametrize("word", REASONS)
def test_run_3_every_known_word_has_its_reason_in_any_case(word: str) -> None:
    expected = "stop" if REASONS[word] == "tools" else REASONS[word]
    assert ended(word) == ended(word.upper()) == [Done(expected)]


@pytest.mark.parametrize("word", ["error", "abort", "stop?", "0"])
def test_run_3_an_unknown_word_is_broken(word: str) -> None:
    assert ended(word) == [Done("broken")]


@pytest.mark.parametrize("word", [None, "", " ", "null", "None", 3, [], {}])
def test_run_3_no_word_is_no_end(word: object) -> None:
    assert ended(word) == []


@pytest.mark.parametrize("cut", ["length", "content_filter", "error"])
@pytest.mark.parametrize("nice", ["stop", "tool_calls"])
def test_a_20_what_cut_an_answer_is_never_taken_back(cut: str, nice: str) -> None:
    expected = [Done(REASONS.get(cut, "broken"))]
    assert ended(cut, nice) == ended(nice, cut) == ended(nice, cut, nice) == expected
