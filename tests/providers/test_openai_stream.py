"""The chat-completions adapter against a vendor on the loopback: failures, leaving, secrecy."""

import asyncio
import json
import logging
from contextlib import aclosing
from typing import Any

import pytest

from deputize.core.provider import ProviderEvent, ProviderFailed, TextDelta, UsageReport
from deputize.core.usage import Usage
from deputize.providers.openai import OpenAIProvider
from tests.providers.asked import ask, read_all, said
from tests.providers.vendor import Answer, Vendor, completion, events


def make(**options: Any) -> OpenAIProvider:
    given: dict[str, Any] = {"base_url": None, "api_key": "k", "default_model": "small-1", **options}
    return OpenAIProvider(**given)


@pytest.mark.parametrize(
    ("status", "body", "transient"),
    [
        (400, {"error": {"code": "context_length_exceeded", "message": "canary"}}, False),
        (401, {"error": {"message": "canary k-canary-key"}}, False),
        (403, "canary", False),
        (404, None, False),
        (408, {}, True),
        (409, {}, True),
        (422, {"detail": ["canary"]}, False),
        (429, {"error": {"type": "requests", "message": "canary"}}, True),
        (429, {"error": {"code": "insufficient_quota", "message": "canary"}}, False),
        (500, "<html>canary</html>", True),
        (503, {"error": None}, True),
        (307, {}, False),
    ],
)
async def test_prov_5_a_status_says_whether_to_try_again_and_nothing_else(
    vendor: Vendor, openai_provider: OpenAIProvider, status: int, body: Any, transient: bool
) -> None:
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    headers = {"Location": "/canary", "Retry-After": "1.5"}
    vendor.answers.append(Answer([raw], status=status, headers=headers, content_type="application/json"))
    with pytest.raises(ProviderFailed) as caught:
        await read_all(openai_provider.stream(ask(said("canary-prompt"))))
    failed = caught.value
    assert failed.transient is transient
    assert failed.sent
    assert "canary" not in repr(failed) + str(failed)
    assert failed.__cause__ is failed.__context__ is None
    assert failed.retry_after == (1.5 if transient else None)
    assert len(vendor.journal) == 1, "the engine retries, not the SDK"


async def test_bud_2_what_never_reached_the_vendor_is_marked() -> None:
    provider = make(base_url="http://127.0.0.1:1/v1", allow_private=True)
    with pytest.raises(ProviderFailed) as caught:
        await read_all(provider.stream(ask()))
    assert (caught.value.sent, caught.value.transient) == (False, True)
    refused = make(base_url="https://model.example.com/v1", resolve=lambda _host, _port: ["127.0.0.1"])
    with pytest.raises(ProviderFailed) as caught:
        await read_all(refused.stream(ask()))
    assert (caught.value.sent, caught.value.transient) == (False, False)
    for made in (provider, refused):
        await made.close()


@pytest.mark.parametrize("fault", ["reset", "truncate", "hold"])
async def test_prov_5_a_stream_that_breaks_is_a_transient_failure(vendor: Vendor, fault: Any) -> None:
    provider = make(base_url=f"{vendor.base_url}/v1", allow_private=True, timeout=0.3)
    vendor.answers.append(Answer([completion().split(b"data: {}")[0][:120]], fault=fault))
    with pytest.raises(ProviderFailed) as caught:
        await read_all(provider.stream(ask()))
    assert (caught.value.sent, caught.value.transient) == (True, True)
    await provider.close()


@pytest.mark.parametrize("fault", ["reset", "truncate", "hold"])
async def test_what_breaks_after_the_stop_reason_breaks_nothing(vendor: Vendor, fault: Any) -> None:
    provider = make(base_url=f"{vendor.base_url}/v1", allow_private=True, timeout=0.3)
    vendor.answers.append(Answer([completion().removesuffix(b"data: [DONE]\n\n")], fault=fault))
    read = await read_all(provider.stream(ask()))
    assert (read.text, read.reason) == ("Hello.", "stop")
    await provider.close()


async def test_prov_3_too_long_an_answer_is_refused(vendor: Vendor, openai_provider: OpenAIProvider) -> None:
    piece = events({"choices": [{"index": 0, "delta": {"content": "x" * 5_000}}]})
    vendor.answers.extend([Answer([piece], fault="endless"), Answer([b"x" * 300_000], status=500)])
    for _ in range(2):
        with pytest.raises(ProviderFailed) as caught:
            await read_all(openai_provider.stream(ask()))
        assert not caught.value.transient


async def test_an_answer_that_trickles_for_ever_is_given_up(vendor: Vendor) -> None:
    provider = make(base_url=f"{vendor.base_url}/v1", allow_private=True, longest=0.0)
    vendor.answers.append(Answer([b": keep-alive\n\n"] * 3, fault="endless"))
    with pytest.raises(ProviderFailed) as caught:
        await read_all(provider.stream(ask()))
    assert caught.value.transient
    await provider.close()


async def test_e_7_leaving_closes_the_connection(vendor: Vendor, openai_provider: OpenAIProvider) -> None:
    first = events({"choices": [{"index": 0, "delta": {"content": "Hel"}}]})
    vendor.answers.append(Answer([first], fault="hold"))
    async with aclosing(openai_provider.stream(ask())) as stream:  # type: ignore[type-var]  # it is a generator
        async for event in stream:
            assert event == TextDelta("Hel")
            break
    await asyncio.wait_for(vendor.gone.wait(), 5)


async def test_e_7_cancelling_closes_the_connection(vendor: Vendor, openai_provider: OpenAIProvider) -> None:
    first = events({"choices": [{"index": 0, "delta": {"content": "Hel"}}]})
    vendor.answers.append(Answer([first], fault="hold"))
    seen = asyncio.Event()

    async def read() -> None:
        async for _ in openai_provider.stream(ask()):
            seen.set()

    task = asyncio.create_task(read())
    await asyncio.wait_for(seen.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(vendor.gone.wait(), 5)


async def test_events_come_as_they_are_sent(vendor: Vendor, openai_provider: OpenAIProvider) -> None:
    first = events({"choices": [{"index": 0, "delta": {"content": "Hel"}}]})
    vendor.answers.append(Answer([first], fault="hold"))
    got: list[ProviderEvent] = []
    async for event in openai_provider.stream(ask()):
        got.append(event)
        vendor.release.set()
    assert got == [TextDelta("Hel")]


async def test_a_connection_is_used_again(vendor: Vendor, openai_provider: OpenAIProvider) -> None:
    for _ in range(3):
        vendor.answers.append(Answer([completion()]))
        await read_all(openai_provider.stream(ask()))
    assert vendor.connections == 1


async def test_an_endpoint_that_does_not_stream_is_understood(vendor: Vendor, openai_provider: OpenAIProvider) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "find_patient", "arguments": "{}"}}
    body = {
        "choices": [{"index": 0, "message": {"content": "Hi", "tool_calls": [call]}, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    }
    vendor.answers.append(Answer([json.dumps(body).encode()], content_type="application/json; charset=utf-8"))
    read = await read_all(openai_provider.stream(ask()))
    assert (read.text, read.reason, read.usage) == ("Hi", "tools", Usage(3, 4))
    assert [use.id for use in read.calls] == ["a"]


async def test_a_page_instead_of_a_stream_is_a_broken_stream(vendor: Vendor, openai_provider: OpenAIProvider) -> None:
    vendor.answers.append(Answer([b"<html>Sign in to the network</html>"], content_type="text/html"))
    read = await read_all(openai_provider.stream(ask()))
    assert (read.text, read.reason) == ("", None)


async def test_red_8_no_logger_learns_the_prompt_the_answer_or_the_key(
    vendor: Vendor, openai_provider: OpenAIProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    vendor.answers.extend([Answer([completion("canary-answer")]), Answer([b"canary-error"], status=500)])
    await read_all(openai_provider.stream(ask(said("canary-prompt"))))
    with pytest.raises(ProviderFailed):
        await read_all(openai_provider.stream(ask(said("canary-prompt"))))
    assert "canary" not in caplog.text
    assert "127.0.0.1" not in caplog.text


async def test_prov_4_variables_meant_for_the_sdk_do_not_reach_another_endpoint(
    vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/canary")
    provider = make(base_url=f"{vendor.base_url}/v1", allow_private=True)
    vendor.answers.append(Answer([completion()]))
    await read_all(provider.stream(ask()))
    assert "canary" not in str(vendor.journal[0].headers)
    await provider.close()


async def test_many_streams_at_once_stay_apart(vendor: Vendor, openai_provider: OpenAIProvider) -> None:
    for n in range(40):
        vendor.answers.append(Answer([completion(f"Answer {n}.", prompt_tokens=n, completion_tokens=1)]))
    reads = await asyncio.gather(*(read_all(openai_provider.stream(ask())) for _ in range(40)))
    assert {read.text for read in reads} == {f"Answer {n}." for n in range(40)}
    assert all(read.usage is not None and read.text == f"Answer {read.usage.input}." for read in reads)


async def test_bud_3_usage_is_reported_before_the_end(vendor: Vendor, openai_provider: OpenAIProvider) -> None:
    vendor.answers.append(Answer([completion()]))
    kinds = [type(event) async for event in openai_provider.stream(ask())]
    assert kinds.index(UsageReport) == len(kinds) - 2
