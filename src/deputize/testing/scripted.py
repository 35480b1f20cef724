"""A provider that says what its script says; no model, no network."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deputize.core.provider import Done, ModelRequest, ProviderEvent, ProviderFailed, TextDelta, ToolUse, UsageReport
from deputize.core.usage import Usage

Turn = Sequence[ProviderEvent | ProviderFailed] | Callable[[ModelRequest], Sequence[ProviderEvent | ProviderFailed]]

SOME = Usage(input=10, output=5)
"""What a turn uses unless it is told otherwise."""


def says(text: str, usage: Usage | None = SOME) -> list[ProviderEvent]:
    """A turn of plain text in word-sized pieces."""
    pieces: list[ProviderEvent] = [TextDelta(word + " ") for word in text.split(" ")[:-1]]
    pieces.append(TextDelta(text.split(" ")[-1]))
    return [*pieces, *([UsageReport(usage)] if usage else []), Done("stop")]


def calls(*wanted: tuple[str, Mapping[str, Any] | str], usage: Usage | None = SOME) -> list[ProviderEvent]:
    """A turn of calls `(tool, arguments)`; arguments given as text are sent as they are."""
    uses: list[ProviderEvent] = [
        ToolUse(f"call_{n}", tool, arguments if isinstance(arguments, str) else json.dumps(arguments))
        for n, (tool, arguments) in enumerate(wanted, 1)
    ]
    return [*uses, *([UsageReport(usage)] if usage else []), Done("tools")]


@dataclass
class ScriptedProvider:
    """Plays its turns in order; a turn may be a function of the request. Keeps every request it got.

    `gate`, where set, is awaited before each event, so that a test can stop a stream in the middle.
    """

    turns: list[Turn] = field(default_factory=list)
    name: str = "scripted"
    is_language_model: bool = True
    default_model: str = "scripted-1"
    requests: list[ModelRequest] = field(default_factory=list)
    gate: asyncio.Event | None = None
    closed_early: int = 0

    def then(self, *turns: Turn) -> "ScriptedProvider":
        """Add turns to the script."""
        self.turns.extend(turns)
        return self

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        """Play the next turn; past the script's end it says that there is nothing more."""
        self.requests.append(request)
        turn: Turn = self.turns.pop(0) if self.turns else says("(the script is over)")
        ended = False
        try:
            for event in turn(request) if callable(turn) else turn:
                if self.gate is not None:
                    await self.gate.wait()
                if isinstance(event, ProviderFailed):
                    raise event
                yield event
            ended = True
        finally:
            self.closed_early += not ended

    async def close(self) -> None:
        """Nothing to release."""
