"""The terminal: the same conversation and the same card, as lines of text with a yes or no."""

from collections.abc import Awaitable, Callable

from deputize.core.actor import Actor
from deputize.core.approval import Decision, Typed
from deputize.core.errors import ApprovalStale, DeputizeError
from deputize.core.event import ChangeDto, FieldChangeDto, PreviewDto, ToolCallDto
from deputize.engine import approvals, cancelling, conversations, readers, runs
from deputize.engine.wiring import Wiring

Read = Callable[[str], Awaitable[str | None]]
"""Shows a prompt and returns the line, or None at the end of the input."""
Write = Callable[[str], None]

WORDS = {
    "en": {
        "prompt": "you> ",
        "approve": "Approve? [y/n] ",
        "type": "Type {what} to confirm: ",
        "waits": "(The change stays open until it is decided or its time is over.)",
        "stopped": "(stopped)",
        "no_answer": "(no answer)",
        "cut": "(the answer was cut)",
        "stale": "What would happen has changed; look again.",
        "budget": "The budget is used up ({scope}, {period}).",
        "nothing": "nothing",
    },
    "es": {
        "prompt": "tú> ",
        "approve": "¿Aprobar? [s/n] ",
        "type": "Escriba {what} para confirmar: ",
        "waits": "(El cambio queda abierto hasta que se decida o se acabe su tiempo.)",
        "stopped": "(detenido)",
        "no_answer": "(sin respuesta)",
        "cut": "(la respuesta se cortó)",
        "stale": "Lo que pasaría ha cambiado; mírelo de nuevo.",
        "budget": "El presupuesto está agotado ({scope}, {period}).",
        "nothing": "nada",
    },
}
YES = frozenset({"y", "yes", "s", "si", "sí"})
NO = frozenset({"n", "no"})
SIGNS = {"insert": "+", "update": "~", "delete": "-"}


class Terminal:
    """One conversation of one person on one surface; `stop` may be called at any time (Ctrl-C)."""

    def __init__(self, w: Wiring, actor: Actor, surface: str, read: Read, write: Write) -> None:
        self.w, self.actor, self.surface = w, actor, surface
        self.read, self.write = read, write
        self.words = WORDS["es" if actor.locale.lower().startswith("es") else "en"]
        self.run_id: str | None = None
        self._card: ToolCallDto | None = None

    async def talk(self) -> None:
        """Take lines until the input ends; an error is shown and the conversation goes on."""
        conversation = await conversations.open_(self.w, self.actor, self.surface, None)
        while (line := await self.read(self.words["prompt"])) is not None:
            if not line.strip():
                continue
            try:
                run_id = await runs.start(self.w, self.actor, conversation.id, line, None, None)
                await self._follow(run_id)
            except DeputizeError as error:
                self.write(f"{error.message} [{error.code}]\n")

    async def stop(self) -> None:
        """Stop the answer under way, if there is one."""
        if self.run_id is None:
            return
        try:
            await cancelling.cancel(self.w, self.actor, self.run_id)
        except DeputizeError:
            return

    async def _follow(self, run_id: str) -> None:
        self.run_id, after = run_id, 0
        try:
            while True:
                after = await self._show(run_id, after)
                card, self._card = self._card, None
                if card is None or not await self._decide(card):
                    return
        finally:
            self.run_id = None

    async def _show(self, run_id: str, after: int) -> int:
        """Print what comes until the stream ends; the newest durable id is returned."""
        shown: dict[str, int] = {}
        async for one in readers.Reader(self.w, self.actor, run_id, after=after):
            after = one.seq or after
            event = one.event
            match event.type:
                case "token":
                    new = event.text[max(shown.get(event.message, 0) - event.at, 0) :]
                    shown[event.message] = max(shown.get(event.message, 0), event.at + len(event.text))
                    self.write(new)
                case "tool_call_start":
                    self.write(f"[{event.title}]\n")
                case "tool_result" if event.outcome != "ok":
                    said = event.result.get("message", "") if isinstance(event.result, dict) else ""
                    self.write(f"  {event.outcome.value}: {said or event.code or ''}\n")
                case "tool_approval_required":
                    self._card = event.call
                    self.write("\n" + card_text(event.call, self.words["nothing"]))
                case "message_done":
                    ended = (
                        self.words.get(event.notice or "", "") if event.status == "complete" else self.words["stopped"]
                    )
                    self.write(f"{ended}\n")
                case "budget_exceeded":
                    self.write(self.words["budget"].format(scope=event.scope, period=event.period) + "\n")
                case "error":
                    self.write(f"{event.message} [{event.code}]\n")
        return after

    async def _decide(self, card: ToolCallDto) -> bool:
        """Ask until there is a yes or a no; False where the input ended, which decides nothing."""
        approval = card.approval
        while approval is not None:
            answer = await self.read(self.words["approve"])
            if answer is None:
                self.write(self.words["waits"] + "\n")
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
                self.write(self.words["stale"] + "\n" + card_text(card, self.words["nothing"]))
            except DeputizeError as error:
                self.write(f"{error.message} [{error.code}]\n")
                if error.status in (404, 409, 410):
                    return False
        return False

    async def _typed(self, preview: PreviewDto) -> Typed:
        """What the card wants typed (APPR-8)."""
        confirm, destinations = None, {}
        if preview.friction.confirm is not None:
            confirm = await self.read(self.words["type"].format(what=f"“{preview.friction.confirm}”"))
        for path in preview.friction.destinations:
            destinations[path] = await self.read(self.words["type"].format(what=path)) or ""
        return Typed(confirm, destinations)


def card_text(call: ToolCallDto, nothing: str) -> str:
    """The server's preview as lines: nothing in it is built from the model's words."""
    if call.approval is None:
        return ""
    preview = call.approval.preview
    lines = [f"┌ {preview.title}"]
    for change in preview.changes:
        lines += _change(change, nothing)
    for outgoing in preview.outgoing:
        lines.append(f"│ → {outgoing.caption}")
        lines += [f"│     {_field(one, nothing)}" for one in outgoing.fields]
    lines += [f"│ {reason}" for reason in preview.hidden]
    return "\n".join([*lines, "└", ""])


def _change(change: ChangeDto, nothing: str) -> list[str]:
    name = f" {change.label}" if change.label else ""
    return [f"│ {SIGNS[change.op]} {change.caption}{name}", *(f"│     {_field(one, nothing)}" for one in change.fields)]


def _field(one: FieldChangeDto, nothing: str) -> str:
    marks = f"  [{', '.join(one.marks)}]" if one.marks else ""
    before = "" if one.before is None else f"{one.before} → "
    return f"{one.caption}: {before}{one.after if one.after is not None else nothing}{marks}"
