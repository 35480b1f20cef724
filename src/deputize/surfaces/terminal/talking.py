"""One conversation of one person, line by line: what streams, what waits for a yes or no, what is stopped."""

from collections.abc import Awaitable, Callable
from typing import Any

from deputize.core.actor import Actor
from deputize.core.approval import Decision, Typed
from deputize.core.conversation import Conversation
from deputize.core.errors import ApprovalPending, ApprovalStale, DeputizeError
from deputize.core.event import PreviewDto, ToolCallDto
from deputize.engine import approvals, cancelling, conversations, readers, runs
from deputize.engine.wiring import Wiring
from deputize.engine.wording import language, visible
from deputize.surfaces.terminal.card import card_text
from deputize.surfaces.terminal.words import NO, WORDS, YES

Read = Callable[[str], Awaitable[str | None]]
"""Shows a prompt and returns the line, or None at the end of the input; raises Stopped at Ctrl-C."""
Write = Callable[[str], None]
_GONE = frozenset({404, 409, 410})
"""Statuses after which there is nothing left to decide."""
_FORBIDDEN = 403


class Stopped(Exception):
    """What `read` raises where the person stops instead of typing."""


class Terminal:
    """One conversation of one person on one surface; `stop` may be called at any time (Ctrl-C)."""

    def __init__(self, w: Wiring, actor: Actor, surface: str, read: Read, write: Write) -> None:
        self.w, self.actor, self.surface = w, actor, surface
        self.read, self._raw = read, write
        self.words = WORDS[language(actor.locale)]
        self.run_id: str | None = None
        self._card: ToolCallDto | None = None

    def write(self, text: str) -> None:
        """Print; control characters are written out, so that no text can repaint the screen."""
        self._raw(visible(text)[0])

    async def talk(self) -> None:
        """Take lines until the input ends or the person stops at the prompt; an error is shown and it goes on.

        A change that was left open is shown first. Raises what `conversations.open_` raises.
        """
        try:
            conversation = await self._begin()
            while conversation is not None and (line := await self.read(self.words.prompt)) is not None:
                if not line.strip():
                    continue
                try:
                    await self._follow(await runs.start(self.w, self.actor, conversation.id, line, None, None))
                except DeputizeError as error:
                    self._fault(error)
        except Stopped:
            return

    async def stop(self) -> None:
        """Stop the answer under way, if there is one; what waits for a decision is withdrawn (RUN-9)."""
        if self.run_id is None:
            return
        try:
            await cancelling.cancel(self.w, self.actor, self.run_id)
        except DeputizeError:
            return

    async def _begin(self) -> Conversation | None:
        """A new conversation, after what the former one left open; None where that stays open."""
        while True:
            try:
                return await conversations.open_(self.w, self.actor, self.surface, None)
            except ApprovalPending as pending:
                run_id = pending.details.get("runId")
                if not isinstance(run_id, str) or not await self._resume(run_id):
                    return None

    async def _resume(self, run_id: str) -> bool:
        """Show the open change of a run and have it decided; False where it stays open."""
        card = next((one for one in await approvals.waiting(self.w, self.actor) if one.run_id == run_id), None)
        if card is None:
            return await self._follow(run_id)
        self.write(self.words.pending + "\n")
        self._card = await self._whole(card)
        self.write(card_text(self._card, self.words))
        return await self._follow(run_id, await readers.position(self.w, self.actor, card.id), shown=True)

    async def _follow(self, run_id: str, after: int = 0, *, shown: bool = False) -> bool:
        """Show a run to its end and ask at each pause (`shown`: the card of this pause is); False where it waits."""
        self.run_id = run_id
        try:
            while True:
                if not shown:
                    after = await self._show(run_id, after)
                card, self._card, shown = self._card, None, False
                if card is None:
                    return True
                try:
                    decided = await self._decide(card)
                except Stopped:
                    self.write("\n")
                    await self.stop()
                    decided = True
                if not decided:
                    return False
        finally:
            self.run_id = None

    async def _show(self, run_id: str, after: int) -> int:
        """Print what comes until the stream ends; the newest durable id is returned."""
        shown: dict[str, int] = {}
        async for one in readers.Reader(self.w, self.actor, run_id, after=after):
            after = one.seq or after
            if one.event.type == "token":
                event = one.event
                self.write(event.text[max(shown.get(event.message, 0) - event.at, 0) :])
                shown[event.message] = max(shown.get(event.message, 0), event.at + len(event.text))
            elif one.event.type == "tool_approval_required":
                self._card = await self._whole(one.event.call)
                self.write("\n" + card_text(self._card, self.words))
            else:
                self._tell(one.event)
        return after

    def _tell(self, event: Any) -> None:
        match event.type:
            case "tool_call_start":
                self.write(f"[{event.title}]\n")
            case "tool_result" if event.outcome != "ok":
                said = event.result.get("message", "") if isinstance(event.result, dict) else ""
                outcome = self.words.outcomes.get(event.outcome.value, event.outcome.value)
                why = said or (event.code if event.code != event.outcome.value else "")
                self.write(f"  {outcome}: {why}\n" if why else f"  {outcome}\n")
            case "message_done":
                notices = {"no_answer": self.words.no_answer, "cut": self.words.cut}
                ends = {"aborted": self.words.stopped, "expired": self.words.expired}
                self.write(ends.get(event.status) or notices.get(event.notice or "", ""))
                self.write("\n")
            case "budget_exceeded":
                self.write(self.words.budget.format(scope=event.scope, period=event.period) + "\n")
            case "error":
                self._say_fault(event.code, event.message)

    async def _whole(self, card: ToolCallDto) -> ToolCallDto:
        """The card with nothing cut: the whole is served before anybody is asked (APPR-1)."""
        if card.approval is None or not card.approval.preview.cut:
            return card
        return ToolCallDto.model_validate(await runs.call(self.w, self.actor, card.id))

    async def _decide(self, card: ToolCallDto) -> bool:
        """Ask until there is a yes or a no; False where the input ended, which decides nothing."""
        approval = card.approval
        if approval is not None and not approval.may_decide:
            self.write(self.words.another + "\n")
            return False
        while approval is not None:
            answer = await self.read(self.words.approve)
            if answer is None:
                self.write(self.words.waits + "\n")
                return False
            word = answer.strip().lower()
            if word not in YES | NO:
                continue
            typed = await self._typed(approval.preview) if word in YES else Typed()
            decision = Decision(word in YES, approval.digest, None, typed, "terminal")
            try:
                await approvals.decide(self.w, self.actor, card.id, decision)
                return True
            except ApprovalStale as stale:
                card = ToolCallDto.model_validate(stale.details["call"])
                approval = card.approval
                self.write(self.words.stale + "\n" + card_text(card, self.words))
            except DeputizeError as error:
                self._fault(error)
                if error.status in _GONE:
                    return True
                if error.status == _FORBIDDEN:
                    return False
        return True

    async def _typed(self, preview: PreviewDto) -> Typed:
        """What the card wants typed (APPR-8)."""
        confirm, destinations = None, {}
        if preview.friction.confirm is not None:
            confirm = await self.read(self.words.type.format(what=f"“{preview.friction.confirm}”"))
        for path in preview.friction.destinations:
            destinations[path] = await self.read(self.words.type.format(what=path)) or ""
        return Typed(confirm, destinations)

    def _fault(self, error: DeputizeError) -> None:
        self._say_fault(error.code, error.message)

    def _say_fault(self, code: str, message: str) -> None:
        self.write(f"{self.words.faults.get(code, message)} [{code}]\n")
