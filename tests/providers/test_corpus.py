"""The replay corpus: every quirk is understood, however its bytes are cut, and over a real connection (PROV-3)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize.core.provider import Provider, ProviderFailed
from deputize.providers.anthropic import AnthropicProvider
from deputize.providers.lines import Malformed
from deputize.providers.openai import OpenAIProvider
from tests.providers.asked import Read, ask, gathered, read_all
from tests.providers.replay import CASES, Case, check, replayed
from tests.providers.vendor import Answer, Vendor

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}-{case.name}")


def test_the_corpus_is_there() -> None:
    assert len(CASES) >= 80
    assert {case.wire for case in CASES} == {"openai", "anthropic"}


@EACH
def test_prov_3_a_quirk_is_absorbed(case: Case) -> None:
    if "failed" in case.expect:
        with pytest.raises((ProviderFailed, Malformed)) as caught:
            gathered(replayed(case.wire, [case.stream]))
        assert "canary" not in str(caught.value)
        if isinstance(caught.value, ProviderFailed):
            assert caught.value.transient is case.expect["failed"]
        return
    check(gathered(replayed(case.wire, [case.stream])), case.expect)


@EACH
def test_e_2_single_bytes_say_the_same(case: Case) -> None:
    if "failed" in case.expect:
        return
    check(gathered(replayed(case.wire, [case.stream[i : i + 1] for i in range(len(case.stream))])), case.expect)


WHOLE = [case for case in CASES if "failed" not in case.expect]


def _cut(stream: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [stream[a:b] for a, b in pairwise(places)]


@given(
    case=st.sampled_from(WHOLE),
    cuts=st.lists(st.integers(0, 10_000), max_size=12),
    end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_e_2_any_cut_and_any_line_end_says_the_same(case: Case, cuts: list[int], end: bytes) -> None:
    check(gathered(replayed(case.wire, _cut(case.stream.replace(b"\n", end), cuts))), case.expect)


@given(case=st.sampled_from(WHOLE), at=st.integers(0, 10_000))
def test_a_20_a_stream_cut_anywhere_never_gives_a_call_without_its_end(case: Case, at: int) -> None:
    """Cut short, the stream ends without calls and Done, or with all that the whole one has."""
    read = gathered(replayed(case.wire, [case.stream[: at % (len(case.stream) + 1)]]))
    if read.done is None:
        assert read.calls == []
    else:
        assert len(read.calls) == len(case.expect.get("calls", []))


@EACH
async def test_prov_3_the_same_over_a_connection(
    case: Case, vendor: Vendor, openai_provider: OpenAIProvider, anthropic_provider: AnthropicProvider
) -> None:
    provider: Provider = openai_provider if case.wire == "openai" else anthropic_provider
    vendor.answers.append(Answer(_cut(case.stream, list(range(0, len(case.stream), 97)))))
    if "failed" in case.expect:
        with pytest.raises(ProviderFailed) as caught:
            await read_all(provider.stream(ask()))
        assert caught.value.transient is case.expect["failed"]
        assert caught.value.sent
        assert "canary" not in repr(caught.value)
        assert caught.value.__context__ is None
        return
    read: Read = await read_all(provider.stream(ask()))
    check(read, case.expect)
    assert vendor.gone.is_set() is False
