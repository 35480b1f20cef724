"""The messages wire of Anthropic (PROV-1)."""

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Unpack

import anthropic

from deputize.core.message import Message, Text, ToolResult, ToolUse
from deputize.core.provider import ModelRequest, ProviderEvent
from deputize.providers.dialling import Dialling, reach
from deputize.providers.messages import MessageAssembly
from deputize.providers.schemas import Kept, for_anthropic
from deputize.providers.streaming import drive
from deputize.providers.wire import CallIds, IdRule, opaque, real_names, replayable, results_of, situation, wire_name

DEFAULT_BASE_URL = "https://api.anthropic.com"
ID = IdRule(re.compile(r"[A-Za-z0-9_-]{1,64}"), 24)
CACHED = {"type": "ephemeral"}


class AnthropicProvider:
    """Anthropic's messages, reached through the vendor's SDK over our own transport (PROV-4).

    Raises ValueError for a base URL that may not be used.
    """

    name = "anthropic"
    is_language_model = True

    def __init__(self, **how: Unpack[Dialling]) -> None:
        way = reach(DEFAULT_BASE_URL, how)
        self.default_model = how["default_model"]
        self.host = way.host
        self._origin = f"anthropic:{way.host}"
        self._longest = way.longest
        self._schema = Kept(for_anthropic)
        self._client = anthropic.AsyncAnthropic(
            api_key=way.api_key,
            base_url=way.url,
            max_retries=0,
            timeout=way.http.timeout,
            http_client=way.http,
            default_headers={"Accept-Encoding": "identity"},
            open_telemetry=False,
        )

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        """Run one call. Raises ProviderFailed."""
        assembly = MessageAssembly(self._origin, real_names(request.tools))
        # as `extra_body` it goes out as it is; as arguments the SDK walks every message by its types, and warns
        # about models by a list and a clock of its own
        opened = self._client.messages.with_streaming_response.create(
            model="", messages=[], max_tokens=1, stream=True, extra_body=self.body(request)
        )
        async with aclosing(drive(opened, assembly, self._longest)) as events:
            async for event in events:
                yield event

    async def close(self) -> None:
        """Release connections."""
        await self._client.close()

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """The request as it goes out, without headers."""
        system: list[dict[str, Any]] = [{"type": "text", "text": situation(request)}]
        if request.system:
            # the situation changes with every message; what stands before it can be kept by the vendor's cache
            system.insert(0, {"type": "text", "text": request.system, "cache_control": CACHED})
        body: dict[str, Any] = {
            "model": request.model or self.default_model,
            "system": system,
            "messages": self._messages(request),
            "max_tokens": request.max_output_tokens,
            "stream": True,
        }
        if request.tools and not request.one_shot_json:
            body["tools"] = [
                {
                    "name": wire_name(tool.name),
                    "description": tool.description,
                    "input_schema": self._schema(tool.parameters),
                }
                for tool in request.tools
            ]
        return body

    def _messages(self, request: ModelRequest) -> list[dict[str, Any]]:
        """Turns of one role are joined: all results of a turn must stand in the one message that follows it."""
        ids = CallIds(ID)
        out: list[dict[str, Any]] = []
        for message in request.messages:
            role = "assistant" if message.role == "assistant" else "user"
            blocks = self._assistant(message, ids) if role == "assistant" else self._user(message, ids)
            if out and out[-1]["role"] == role:
                out[-1]["content"] += blocks
            elif blocks:
                out.append({"role": role, "content": blocks})
        return out

    def _user(self, message: Message, ids: CallIds) -> list[dict[str, Any]]:
        results = [self._result(result, ids) for result in results_of(message)]
        return results + [_text(block) for block in message.blocks if isinstance(block, Text) and block.text.strip()]

    @staticmethod
    def _result(result: ToolResult, ids: CallIds) -> dict[str, Any]:
        block = {"type": "tool_result", "tool_use_id": ids.result(result.call_id), "content": result.content}
        return {**block, "is_error": True} if result.error else block

    def _assistant(self, message: Message, ids: CallIds) -> list[dict[str, Any]]:
        """Text and calls, with each signed thought where it stood: so many calls, and text or not, before it."""
        thoughts = list(opaque(message.extra, self._origin).get("thoughts", ()))
        out: list[dict[str, Any]] = []
        uses, said = 0, False

        def think() -> None:
            while thoughts and (thoughts[0]["uses"], thoughts[0]["said"]) <= (uses, said):
                out.append(dict(thoughts.pop(0)["block"]))

        think()
        for block in message.blocks:
            if isinstance(block, Text) and block.text.strip():
                out.append(_text(block))
                said = True
            elif isinstance(block, ToolUse):
                out.append(
                    {
                        "type": "tool_use",
                        "id": ids.use(block.id),
                        "name": wire_name(block.name),
                        "input": replayable(block.arguments),
                    }
                )
                uses += 1
            think()
        # thoughts alone are no message
        return out if uses or said else []


def _text(block: Text) -> dict[str, Any]:
    return {"type": "text", "text": block.text}
