"""A call as it enters the record: its row, and the event that shows it."""

from collections.abc import Mapping
from typing import Any

from deputize.core import strict_json
from deputize.core.actor import Actor
from deputize.core.clock import new_id
from deputize.core.event import ToolCallStart
from deputize.core.provider import ToolUse
from deputize.engine import veil
from deputize.engine.model_words import Asking
from deputize.engine.views import tool_title
from deputize.engine.wiring import Wiring


def call_row(w: Wiring, asking: Asking, n: int, use: ToolUse, position: int) -> dict[str, Any]:
    """A call of step `n` as it is inserted."""
    tool = w.registry.tools.get(use.name)
    return {
        "id": new_id(w.clock.now()),
        "conversation_id": asking.conversation_id,
        "run_id": asking.run_id,
        "actor_id": asking.actor_id,
        "step": n,
        "position": position,
        "tool": use.name[:128],
        "kind": "unknown" if tool is None else "write" if tool.staged else "read",
        "provider_id": use.id[:400],
        "extra": dict(use.extra) or None,
        "raw": use.arguments,
        "created_at": w.clock.now(),
    }


def started(w: Wiring, hidden: veil.Veil, actor: Actor, row: Mapping[str, Any]) -> ToolCallStart:
    """The event that shows the call; arguments that do not parse are not shown."""
    return ToolCallStart(
        call_id=row["id"],
        tool=row["tool"] if row["kind"] != "unknown" else "unknown",
        title=tool_title(w, row["tool"], actor.locale) if row["kind"] != "unknown" else "?",
        args=_shown(hidden, row["raw"]),
    )


def _shown(hidden: veil.Veil, raw: str) -> Any:
    """The arguments in clear where they parse, else nothing: broken text is not shown."""
    try:
        value = strict_json.read(raw or "{}")
    except strict_json.NotStrict:
        return None
    return hidden.show_data(value) if isinstance(value, dict) else None
