"""The messages adapter against a vendor on the loopback."""

import asyncio
import json
import logging
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from deputize.core.message import Message, Text, ToolResult, ToolUse
from deputize.core.provider import ProviderFailed
from deputize.core.usage import Usage
from deputize.providers.anthropic import AnthropicProvider
from tests.providers.asked import FIND, answered, ask, called, read_all, said
from tests.providers.vendor import Answer, Vendor, events, message

CALL = ToolUse("toolu_1", "find_patient", '{"name": "Ana"}')


def make(**options: Any) -> AnthropicProvider:
    given: dict[str, Any] = {"base_url": None, "api_key": "k", "default_model": "small-1", **options}
    return AnthropicProvider(**given)


async def test_prov_1_an_answer_is_streamed(vendor: Vendor, anthropic_provider: AnthropicProvider) -> None:
    vendor.answers.append(Answer([message("Good morning.")]))
    read = await read_all(anthropic_provider.stream(ask(tools=[FIND])))
    assert (read.text, read.reason, read.usage) == ("Good morning.", "stop", Usage(7, 2))
    sent = vendor.journal[0]
    assert (sent.method, sent.path) == ("POST", "/v1/messages")
    assert "k-canary-key" in str(sent.headers)
    assert sent.body["model"] == "small-1"
    assert sent.body["max_tokens"] == 256
    assert sent.body["stream"] is True
    assert sent.body["tools"] == [
        {"name": "find_patient", "description": "Find a patient.", "input_schema": FIND.parameters}
    ]


def test_run_13_the_situation_is_data_behind_the_prompt() -> None:
    prompt, situation = make().body(ask())["system"]
    assert prompt == {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    assert json.loads(situation["text"].partition("\n")[2])["role"] == "dentist"
    assert len(make().body(ask(system=""))["system"]) == 1


def test_a_31_without_tools_no_key_speaks_of_them() -> None:
    assert not {"tools", "tool_choice"} & make().body(ask()).keys()
    body = make().body(ask(tools=[FIND], one_shot_json=True))
    assert "tools" not in body
    assert "JSON" in body["system"][1]["text"]


def test_turns_become_messages_and_all_results_stand_in_one() -> None:
    turn = Message("tool", (ToolResult("toolu_1", "f", '{"n": 1}'), ToolResult("b", "f", '"no"', error=True)))
    body = make().body(ask(said("Find"), called(CALL, replace(CALL, id="b"), text="Looking."), turn, said("And?")))
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Find"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "toolu_1", "name": "find_patient", "input": {"name": "Ana"}},
                {"type": "tool_use", "id": "b", "name": "find_patient", "input": {"name": "Ana"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": '{"n": 1}'},
                {"type": "tool_result", "tool_use_id": "b", "content": '"no"', "is_error": True},
                {"type": "text", "text": "And?"},
            ],
        },
    ]


def test_a_32_a_turn_that_said_nothing_is_not_sent() -> None:
    body = make().body(ask(said("Hi"), Message("assistant", (Text(" "),)), said("Still there?")))
    assert [turn["role"] for turn in body["messages"]] == ["user"]


@pytest.mark.parametrize(
    ("arguments", "sent"), [("", {}), ('{"a":1}', {"a": 1}), ("[1]", {"invalid_arguments": "[1]"})]
)
def test_replayed_arguments_are_an_object(arguments: str, sent: dict[str, Any]) -> None:
    body = make().body(ask(said("x"), called(replace(CALL, arguments=arguments)), answered("toolu_1")))
    assert body["messages"][1]["content"][0]["input"] == sent


def test_a_23_a_28_a_29_ids_are_fitted_unique_and_paired() -> None:
    ids = [f"call.{'prefix ' * 12}{n}" for n in range(200)]
    step = (called(*(replace(CALL, id=id_) for id_ in ids)), answered(*ids))
    body = make().body(ask(said("x"), *step, *step))
    blocks = [block for turn in body["messages"] for block in turn["content"]]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert len(set(calls)) == 400
    assert calls == results
    assert all(set(id_) <= set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-") for id_ in calls)


async def test_prov_3_signed_thoughts_go_back_in_their_places(
    vendor: Vendor, anthropic_provider: AnthropicProvider
) -> None:
    def block(index: int, started: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"type": "content_block_start", "index": index, "content_block": started},
            *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
            {"type": "content_block_stop", "index": index},
        ]

    thinking = {"type": "thinking", "thinking": "", "signature": ""}
    answer = events(
        {"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}},
        *block(
            0,
            thinking,
            {"type": "thinking_delta", "thinking": "Hm"},
            {"type": "thinking_delta", "thinking": "."},
            {"type": "signature_delta", "signature": "Eq+/\u2028=="},
        ),
        *block(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": "So."}),
        *block(2, {"type": "redacted_thinking", "data": "AA+/="}),
        *block(3, {"type": "tool_use", "id": "t1", "name": "find_patient", "input": {}}),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    )
    vendor.answers.extend([Answer([answer]), Answer([message()])])
    read = await read_all(anthropic_provider.stream(ask(tools=[FIND])))
    assert read.reasoned == 1
    assert read.done is not None
    stored = json.loads(json.dumps(read.done.extra))
    again = ask(said("x"), called(*read.calls, text=read.text, extra=stored), answered("t1"))
    await read_all(anthropic_provider.stream(again))
    assert vendor.journal[1].body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "Eq+/\u2028=="},
        {"type": "text", "text": "So."},
        {"type": "redacted_thinking", "data": "AA+/="},
        {"type": "tool_use", "id": "t1", "name": "find_patient", "input": {}},
    ]
    elsewhere = make().body(again)["messages"][1]["content"]
    assert [part["type"] for part in elsewhere] == ["text", "tool_use"]


@pytest.mark.parametrize(
    ("status", "kind", "transient"),
    [
        (400, "invalid_request_error", False),
        (401, "authentication_error", False),
        (402, "billing_error", False),
        (413, "request_too_large", False),
        (429, "rate_limit_error", True),
        (500, "api_error", True),
        (529, "overloaded_error", True),
    ],
)
async def test_prov_5_a_status_says_whether_to_try_again_and_nothing_else(
    vendor: Vendor, anthropic_provider: AnthropicProvider, status: int, kind: str, transient: bool
) -> None:
    body = {"type": "error", "error": {"type": kind, "message": "canary"}}
    raw = json.dumps(body).encode()
    vendor.answers.append(Answer([raw], status=status, content_type="application/json", headers={"Retry-After": "2"}))
    with pytest.raises(ProviderFailed) as caught:
        await read_all(anthropic_provider.stream(ask()))
    assert caught.value.transient is transient
    assert "canary" not in repr(caught.value)
    assert caught.value.__context__ is None
    assert len(vendor.journal) == 1


@pytest.mark.parametrize("fault", ["reset", "truncate", "hold"])
async def test_prov_5_raw_transport_errors_are_mapped(vendor: Vendor, fault: Any) -> None:
    provider = make(base_url=vendor.base_url, allow_private=True, timeout=0.3)
    vendor.answers.append(Answer([message()[:200]], fault=fault))
    with pytest.raises(ProviderFailed) as caught:
        await read_all(provider.stream(ask()))
    assert (caught.value.sent, caught.value.transient) == (True, True)
    await provider.close()


async def test_bud_2_what_never_reached_the_vendor_is_marked() -> None:
    provider = make(base_url="http://127.0.0.1:1", allow_private=True)
    with pytest.raises(ProviderFailed) as caught:
        await read_all(provider.stream(ask()))
    assert (caught.value.sent, caught.value.transient) == (False, True)
    await provider.close()


async def test_e_7_leaving_closes_the_connection(vendor: Vendor, anthropic_provider: AnthropicProvider) -> None:
    vendor.answers.append(Answer([message().partition(b'data: {"type": "content_block_stop')[0]], fault="hold"))
    async with aclosing(anthropic_provider.stream(ask())) as stream:  # type: ignore[type-var]  # it is a generator
        async for _ in stream:
            break
    await asyncio.wait_for(vendor.gone.wait(), 5)


async def test_an_endpoint_that_does_not_stream_is_understood(
    vendor: Vendor, anthropic_provider: AnthropicProvider
) -> None:
    body = {
        "type": "message",
        "content": [
            {"type": "text", "text": "Hi"},
            {"type": "tool_use", "id": "t", "name": "find_patient", "input": {"name": "Ana"}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    vendor.answers.append(Answer([json.dumps(body).encode()], content_type="application/json"))
    read = await read_all(anthropic_provider.stream(ask()))
    assert (read.text, read.reason, read.usage) == ("Hi", "tools", Usage(3, 4))
    assert json.loads(read.calls[0].arguments) == {"name": "Ana"}


async def test_red_8_no_logger_learns_the_prompt_the_answer_or_the_key(
    vendor: Vendor, anthropic_provider: AnthropicProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("anthropic", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    vendor.answers.extend([Answer([message("canary-answer")]), Answer([b"canary-error"], status=500)])
    await read_all(anthropic_provider.stream(ask(said("canary-prompt"))))
    with pytest.raises(ProviderFailed):
        await read_all(anthropic_provider.stream(ask(said("canary-prompt"))))
    assert "canary" not in caplog.text
    assert "127.0.0.1" not in caplog.text


async def test_no_list_of_models_in_the_sdk_has_a_say(vendor: Vendor, anthropic_provider: AnthropicProvider) -> None:
    """The SDK warns about models by a list and a clock of its own; here a warning would be an error."""
    vendor.answers.append(Answer([message()]))
    await read_all(anthropic_provider.stream(ask(model="claude-2.1")))
    assert vendor.journal[0].body["model"] == "claude-2.1"
    assert vendor.journal[0].body["messages"] == [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]


async def test_prov_4_variables_meant_for_the_sdk_are_not_read(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/canary")
    provider = make(base_url=vendor.base_url, allow_private=True)
    vendor.answers.append(Answer([message()]))
    await read_all(provider.stream(ask()))
    assert "canary" not in str(vendor.journal[0].headers)
    await provider.close()
