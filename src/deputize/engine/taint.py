"""Which argument values were copied word for word from text that outsiders may have written (TOOL-7)."""

from collections.abc import AsyncIterator, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, get_origin
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.marks import Field, Target, Trusted, leaves
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
        if isinstance(leaf.value, str) and len(leaf.value) >= SHORTEST and not _chosen(leaf.field)
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
            if isinstance(leaf.value, str) and leaf.field.mark(Trusted) is None and not _typed(leaf.field):
                yield leaf.value


def _chosen(field: Field) -> bool:
    """The declaration itself says what may stand there: a member of a closed set, or a record by its id."""
    closed = get_origin(field.annotation) is Literal or _is(field.annotation, Enum, bool)
    return closed or field.mark(Target) is not None


def _typed(field: Field) -> bool:
    """No prose of anybody fits into the field: a moment, an id, a number, a member of a closed set."""
    return _chosen(field) or _is(field.annotation, date, time, timedelta, UUID, Decimal, int, float)


def _is(annotation: Any, *kinds: type) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, kinds)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
