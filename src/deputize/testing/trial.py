"""One call at a time through the whole deputy of a host: what came of it, and the card if it was staged."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deputize.app import Deputize
from deputize.core.actor import Actor
from deputize.core.conversation import EntityRef, Screen
from deputize.core.digest import undeclared
from deputize.core.event import ToolCallDto
from deputize.engine import cancelling, conversations, runs
from deputize.engine.readers import Reader
from deputize.store import approvals
from deputize.testing.scripted import ScriptedProvider, calls, says


@dataclass(frozen=True, slots=True)
class Came:
    """What came of a call: `staged` with its card, or an outcome with its code and result (plain data)."""

    outcome: str
    code: str | None = None
    result: Any = None
    card: ToolCallDto | None = None
    effect: Mapping[str, Any] | None = None
    """What the write would do, as it stands under the digest, with placeholders for generated values; the call's own
    id, which idempotency keys are made of, reads `this-call`.
    """

    def __str__(self) -> str:
        return self.outcome if self.code is None else f"{self.outcome} {self.code}"


@dataclass(frozen=True, slots=True)
class Trial:
    """Tries calls on `deputy`, whose only provider must be `provider`; nothing staged is ever approved.

    Use it on a database of the test's own. `words` is what the person says, `surface` where.
    """

    deputy: Deputize
    provider: ScriptedProvider
    surface: str
    words: str = "please"

    async def call(
        self, actor: Actor, tool: str, arguments: Mapping[str, Any], screen: Sequence[tuple[str, str]] = ()
    ) -> Came:
        """One call in a conversation of its own; `screen` are (entity kind, id) of the records on the page."""
        w = self.deputy.wiring
        shown = Screen("trial", tuple(EntityRef(kind, ident) for kind, ident in screen))
        conversation = await conversations.open_(w, actor, self.surface, shown)
        self.provider.turns[:] = [calls((tool, json.dumps(dict(arguments), default=str))), says(".")]
        run_id = await runs.start(w, actor, conversation.id, self.words, shown, None)
        came = Came("none")
        async for one in Reader(w, actor, run_id):
            event = one.event
            if event.type == "tool_result":
                came = Came(event.outcome.value, event.code, event.result)
            elif event.type == "tool_approval_required":
                came = Came("staged", card=event.call, effect=await self._effect(actor, event.call))
            elif event.type == "error" and came.outcome == "none":
                came = Came("error", event.code)
        if came.card is not None:
            await cancelling.cancel(w, actor, run_id)
        return came

    async def _effect(self, actor: Actor, card: ToolCallDto) -> Mapping[str, Any]:
        async with self.deputy.wiring.db.read() as conn:
            text = await approvals.effect_of(conn, actor.tenant, card.id)
        found: Mapping[str, Any] = json.loads(text.replace(card.id, "this-call"))["effect"]
        return found

    async def differences(
        self, actor: Actor, tool: str, arguments: Mapping[str, Any], screen: Sequence[tuple[str, str]] = ()
    ) -> tuple[str, ...]:
        """Where two previews of the same write differ: columns to declare `volatile` (APPR-2).

        Raises AssertionError where the write is not staged at all.
        """
        first = await self.call(actor, tool, arguments, screen)
        second = await self.call(actor, tool, arguments, screen)
        if first.effect is None or second.effect is None:
            raise AssertionError(f"{tool} was not staged: {first}, {second}")
        return undeclared(first.effect, second.effect)
