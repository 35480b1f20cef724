"""The chat-completions wire of OpenAI and of everything that is compatible with it (PROV-1)."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Unpack

import openai

from deputize.core.message import Message, Text, ToolUse
from deputize.core.provider import ModelRequest, ProviderEvent, ToolSchema
from deputize.core.strict_json import storable
from deputize.providers.completions import ChatAssembly
from deputize.providers.dialling import Dialling, reach
from deputize.providers.schemas import Kept, NotStrict, for_openai, for_openai_strict, without_filled
from deputize.providers.streaming import drive
from deputize.providers.wire import (
    CallIds,
    IdRule,
    argument_object,
    dump,
    opaque,
    real_names,
    replayable,
    results_of,
    situation,
    uses_of,
    wire_name,
)

DEFAULT_BASE_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Profile:
    """How one family of endpoints differs: ids, the name of the output limit, the shape of replayed arguments."""

    ids: IdRule
    limit: str = "max_tokens"
    objects: bool = False


ANY_ID = IdRule(re.compile(r"[\x21-\x7e]{1,64}"), 24)
PROFILES: Mapping[str, Profile] = {
    "openai": Profile(ANY_ID, limit="max_completion_tokens"),
    "mistral": Profile(IdRule(re.compile(r"[A-Za-z0-9]{9}"), 9)),
    "objects": Profile(ANY_ID, objects=True),
    "generic": Profile(ANY_ID),
}
HOSTS = (("openai.com", "openai"), ("openai.azure.com", "openai"), ("mistral.ai", "mistral"))


def profile_of(host: str) -> Profile:
    """The profile of a known vendor's host, otherwise the generic one."""
    for domain, name in HOSTS:
        if host == domain or host.endswith(f".{domain}"):
            return PROFILES[name]
    return PROFILES["generic"]


class OpenAIProvider:
    """Any OpenAI-compatible endpoint, reached through the vendor's SDK over our own transport (PROV-4).

    `profile` is a name in PROFILES for an endpoint whose host does not tell. `strict_tools` asks for strict
    schemas where a tool's schema can be said so. Raises ValueError for a base URL that may not be
    used, or an unknown profile.
    """

    name = "openai"
    is_language_model = True

    def __init__(self, *, profile: str | None = None, strict_tools: bool = False, **how: Unpack[Dialling]) -> None:
        if profile is not None and profile not in PROFILES:
            raise ValueError(f"unknown profile; the known ones are {', '.join(sorted(PROFILES))}")
        way = reach(DEFAULT_BASE_URL, how)
        self.default_model = how["default_model"]
        self.host = way.host
        self._profile = PROFILES[profile] if profile else profile_of(way.host)
        self._origin = f"openai:{way.host}"
        self._strict = strict_tools
        self._plain = Kept(for_openai)
        self._strictly = Kept(_strict_or_none)
        self._longest = way.longest
        self._client = openai.AsyncOpenAI(
            api_key=way.api_key,
            base_url=way.url,
            max_retries=0,
            timeout=way.http.timeout,
            http_client=way.http,
            default_headers={"Accept-Encoding": "identity"},
        )
        if self._profile is not PROFILES["openai"]:
            # the SDK takes these from variables meant for OpenAI itself
            self._client.organization = self._client.project = None

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        """Run one call. Raises ProviderFailed."""
        assembly = ChatAssembly(self._origin, real_names(request.tools))
        body = self.body(request)
        # as `extra_body` it goes out as it is; as arguments the SDK walks every message by its types (50 ms for 90)
        opened = self._client.chat.completions.with_streaming_response.create(
            model=body["model"], messages=[], stream=True, extra_body=body
        )
        async with aclosing(drive(opened, assembly, self._longest)) as events:
            async for event in events:
                yield self._unfilled(event, request) if self._strict and isinstance(event, ToolUse) else event

    async def close(self) -> None:
        """Release connections."""
        await self._client.close()

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """The request as it goes out, without headers."""
        body: dict[str, Any] = {
            "model": request.model or self.default_model,
            "messages": self._messages(request),
            "stream": True,
            "stream_options": {"include_usage": True},
            self._profile.limit: request.max_output_tokens,
        }
        if request.one_shot_json:
            body["response_format"] = {"type": "json_object"}
        elif request.tools:
            body["tools"] = self._tools(request)
        return body

    def _tools(self, request: ModelRequest) -> list[dict[str, Any]]:
        tools = []
        for tool in request.tools:
            function: dict[str, Any] = {"name": wire_name(tool.name), "description": tool.description}
            strict = self._strict_schema(tool)
            function["parameters"] = self._plain(tool.parameters) if strict is None else strict
            if strict is not None:
                function["strict"] = True
            tools.append({"type": "function", "function": function})
        return tools

    def _strict_schema(self, tool: ToolSchema) -> dict[str, Any] | None:
        return self._strictly(tool.parameters) if self._strict else None

    def _unfilled(self, use: ToolUse, request: ModelRequest) -> ToolUse:
        """Take out the nulls that strict mode made the model write; otherwise the text stays as it came."""
        tool = next((tool for tool in request.tools if tool.name == use.name), None)
        value = argument_object(use.arguments)
        if tool is None or value is None or self._strict_schema(tool) is None:
            return use
        lean = without_filled(value, self._plain(tool.parameters))
        return use if lean == value or not storable(dump(lean)) else replace(use, arguments=dump(lean))

    def _messages(self, request: ModelRequest) -> list[dict[str, Any]]:
        ids = CallIds(self._profile.ids)
        out: list[dict[str, Any]] = [{"role": "system", "content": f"{request.system}\n\n{situation(request)}"}]
        asked = max((i for i, message in enumerate(request.messages) if message.role == "user"), default=-1)
        for position, message in enumerate(request.messages):
            if message.role == "tool":
                out += [
                    {"role": "tool", "tool_call_id": ids.result(result.call_id), "content": result.content}
                    for result in results_of(message)
                ]
            elif message.role == "user":
                out.append({"role": "user", "content": _text(message)})
            else:
                out += self._assistant(message, ids, in_loop=position > asked)
        return out

    def _assistant(self, message: Message, ids: CallIds, *, in_loop: bool) -> list[dict[str, Any]]:
        """One turn of the model; nothing where it said nothing, since vendors refuse an empty one."""
        text, uses = _text(message), uses_of(message)
        if not text and not uses:
            return []
        turn: dict[str, Any] = {"role": "assistant", "content": text or None}
        echoed = dict(opaque(message.extra, self._origin))
        if not (in_loop and uses):
            # reasoning is wanted back while its calls are being answered, and only then
            echoed.pop("reasoning_content", None)
        turn.update(echoed)
        if uses:
            turn["tool_calls"] = [self._call(use, ids) for use in uses]
        return [turn]

    def _call(self, use: ToolUse, ids: CallIds) -> dict[str, Any]:
        value = replayable(use.arguments)
        as_sent = bool(use.arguments.strip()) and argument_object(use.arguments) is not None
        text = use.arguments if as_sent else dump(value)
        function: dict[str, Any] = {
            "name": wire_name(use.name),
            "arguments": value if self._profile.objects else text,
        }
        echoed = dict(opaque(use.extra, self._origin))
        function.update(echoed.pop("function", {}))
        return {"id": ids.use(use.id), "type": "function", "function": function, **echoed}


def _text(message: Message) -> str:
    return "".join(block.text for block in message.blocks if isinstance(block, Text))


def _strict_or_none(parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        return for_openai_strict(parameters)
    except NotStrict:
        return None
