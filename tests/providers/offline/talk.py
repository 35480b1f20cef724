"""Plays a conversation between a user, the offline planner and a host in memory, without the engine."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from deputize.core.message import Message, Text, ToolResult, ToolUse
from deputize.core.provider import Done, ModelRequest, Situation, TextDelta
from deputize.providers.offline import OfflineProvider
from tests.providers.offline.clinic_desk import Refused
from tests.providers.offline.declared import Declared, named_back, nonsense, rename_keys, renamed

NOW = "2026-11-30T10:00:00+01:00"


@dataclass
class Talk:
    """`made` are the calls as (tool, arguments) under the host's own names, whatever the planner was shown."""

    tools: Sequence[Declared]
    nonsense_names: bool = False
    locale: str = "es"
    screen: dict[str, Any] = field(default_factory=dict)
    approve: bool = True
    messages: list[Message] = field(default_factory=list)
    made: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Envelopes to give instead of running a tool, once, by the tool's own name."""

    def __post_init__(self) -> None:
        schemas = [t.schema() for t in self.tools]
        self.schemas = [renamed(s) for s in schemas] if self.nonsense_names else schemas

    def say(self, text: str) -> str:
        """One user message; returns the planner's closing words."""
        self.messages.append(Message("user", (Text(text),)))
        self.made.clear()
        for _ in range(9):
            said, use = asyncio.run(self._ask())
            if use is None:
                self.messages.append(Message("assistant", (Text(said),)))
                return said
            self.messages.append(Message("assistant", (use,)))
            envelope = self._run(use)
            content = json.dumps(envelope, ensure_ascii=False)
            self.messages.append(Message("tool", (ToolResult(use.id, use.name, content),)))
        raise AssertionError(f"no end: {self.made}")

    def request(self) -> ModelRequest:
        return ModelRequest(
            model="offline",
            system="",
            situation=Situation(NOW, "Europe/Madrid", self.locale, "receptionist", self.screen),
            messages=tuple(self.messages),
            tools=self.schemas,
            max_output_tokens=500,
        )

    async def _ask(self) -> tuple[str, ToolUse | None]:
        text, use, ended = "", None, None
        async for event in OfflineProvider().stream(self.request()):
            if isinstance(event, TextDelta):
                text += event.text
            elif isinstance(event, ToolUse):
                use = event
            elif isinstance(event, Done):
                ended = event.reason
        assert ended == ("tools" if use else "stop")
        return text, use

    def _run(self, use: ToolUse) -> dict[str, Any]:
        tool = next(t for t in self.tools if use.name in (t.name, nonsense(t.name)))
        args = json.loads(use.arguments)
        if self.nonsense_names:
            args = named_back(args, tool.schema())
        self.made.append((tool.name, args))
        plain = tool.args.model_validate_json(json.dumps(args), strict=True).model_dump(mode="json", exclude_unset=True)
        if tool.name in self.answers:
            return self.answers.pop(tool.name)
        if tool.effect != "read" and not self.approve:
            return {"outcome": "rejected", "reason": ""}
        try:
            result = tool.run(plain)
        except Refused as no:
            return {"outcome": "refused", "code": no.code, "message": no.message, "alternatives": no.alternatives}
        return {"outcome": "ok", "result": rename_keys(result) if self.nonsense_names else result}

    @property
    def last(self) -> tuple[str, dict[str, Any]]:
        """The last call made for the newest message."""
        return self.made[-1]
