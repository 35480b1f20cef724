"""Which argument values were copied word for word from text that outsiders may have written (TOOL-7)."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.marks import Target, Trusted, leaves
from deputize.core.run import Outcome, Run
from deputize.core.tool import Tool
from deputize.engine.wiring import Wiring
from deputize.store import calls, conversations

SHORTEST = 8
"""Characters from which a copied value counts; shorter ones occur by chance."""


async def copied(
    w: Wiring, conn: AsyncConnection, run: Run, tool: Tool, arguments: Mapping[str, Any]
) -> tuple[str, ...]:
    """Paths of arguments found verbatim in untrusted result text of this conversation, not in the user's words."""
    candidates = {
        ".".join(map(str, leaf.path)): _folded(leaf.value)
        for leaf in leaves(tool.args, dict(arguments))
        if isinstance(leaf.value, str) and len(leaf.value) >= SHORTEST and leaf.field.mark(Target) is None
    }
    if not candidates:
        return ()
    said = [_folded(words) for words in await conversations.user_words(conn, run.tenant, run.conversation_id)]
    foreign = [_folded(text) for text in [text async for text in _untrusted(w, conn, run)]]
    return tuple(
        path
        for path, value in candidates.items()
        if not any(value in words for words in said) and any(value in text for text in foreign)
    )


async def _untrusted(w: Wiring, conn: AsyncConnection, run: Run) -> AsyncIterator[str]:
    for call in await calls.of_conversation(conn, run.tenant, run.conversation_id):
        tool = w.registry.tools.get(call.tool)
        if tool is None or call.outcome is not Outcome.OK or not isinstance(call.result, dict):
            continue
        for leaf in leaves(tool.result, call.result):
            if isinstance(leaf.value, str) and leaf.field.mark(Trusted) is None:
                yield leaf.value


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
