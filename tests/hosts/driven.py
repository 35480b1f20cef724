"""A host's deputy whose model is a script: opens conversations, speaks, decides, and looks at the chain."""

import json
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from deputize import Actor, Deputize
from deputize.core.approval import Decision
from deputize.core.chain import Entry
from deputize.core.conversation import EntityRef, Screen
from deputize.core.event import ToolCallDto
from deputize.engine import approvals, conversations, runs
from deputize.engine.readers import Reader
from deputize.redaction.spans import Span
from deputize.store import audit_read
from deputize.testing.scripted import ScriptedProvider


class NobodyFound:
    """A detector that is there and finds nobody, so that tools which return prose are offered (RED-6)."""

    def find(self, text: str, language: str) -> list[Span]:
        """Nothing."""
        return []


@dataclass
class Told:
    """What a reader was shown."""

    run_id: str
    events: list[Any] = field(default_factory=list)
    text: str = ""
    last: int = 0

    def take(self, event: Any, seq: int | None) -> None:
        if event.type == "token":
            self.text = self.text[: event.at] + event.text if event.at or not self.text else event.text
            return
        self.last = seq or self.last
        self.events.append(event)

    @property
    def card(self) -> ToolCallDto:
        call: ToolCallDto = next(e.call for e in reversed(self.events) if e.type == "tool_approval_required")
        return call

    @property
    def staged(self) -> bool:
        return any(event.type == "tool_approval_required" for event in self.events)

    def results(self) -> list[Any]:
        return [event for event in self.events if event.type == "tool_result"]

    def outcomes(self) -> list[tuple[str, str | None]]:
        return [(event.outcome.value, event.code) for event in self.results()]


@dataclass
class Driven:
    """A deputy over a host's database."""

    engine: AsyncEngine
    provider: ScriptedProvider
    deputy: Deputize

    async def open(self, actor: Actor, surface: str, *shown: tuple[str, UUID]) -> str:
        screen = Screen(surface, tuple(EntityRef(kind, str(own)) for kind, own in shown))
        return (await conversations.open_(self.deputy.wiring, actor, surface, screen)).id

    async def say(self, actor: Actor, conversation: str, words: str = "please", *shown: tuple[str, UUID]) -> Told:
        screen = Screen("test", tuple(EntityRef(kind, str(own)) for kind, own in shown)) if shown else None
        run_id = await runs.start(self.deputy.wiring, actor, conversation, words, screen, None)
        return await self.read(actor, run_id)

    async def read(self, actor: Actor, run_id: str, after: int = 0) -> Told:
        told = Told(run_id)
        async for shown in Reader(self.deputy.wiring, actor, run_id, after=after):
            told.take(shown.event, shown.seq)
        return told

    async def decide(self, actor: Actor, call: ToolCallDto, approve: bool = True) -> ToolCallDto:
        assert call.approval is not None
        return await approvals.decide(self.deputy.wiring, actor, call.id, Decision(approve, call.approval.digest))

    async def settle(self, actor: Actor, told: Told, approve: bool = True) -> ToolCallDto:
        """Decide the card and let the run come to its end."""
        decided = await self.decide(actor, told.card, approve)
        await self.read(actor, told.run_id, told.last)
        return decided

    async def entries(self, tenant: str, kind: str | None = None) -> list[Entry]:
        async with self.deputy.wiring.db.read() as conn:
            return (await audit_read.entries(conn, tenant, kind=kind, page_size=500))[0]


def text_of(value: Any) -> str:
    """Everything that a result says, in one text."""
    return json.dumps(value, ensure_ascii=False, default=str)
