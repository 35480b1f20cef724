"""Telling the host what happened: after the commit, without content, and never in anybody's way (OPS-6)."""

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from deputize.engine.failures import log_failure
from deputize.engine.wiring import Wiring
from deputize.store.session import Tx

What = Literal["session_started", "session_ended", "tool_invoked", "budget_threshold_reached"]
"""The whole of what is told; each holds the tenant's id, and ids and fixed words besides, never a value."""
PATIENCE = 10.0
"""Seconds that a subscriber may take for one event; then it is left alone."""

_telling: set["asyncio.Task[None]"] = set()
"""Kept so that they are not collected."""


def announce(w: Wiring, tx: Tx, what: What, details: Mapping[str, Any]) -> None:
    """Tell once the transaction has committed, in a task of its own; nobody waits for it, and order is not promised."""
    if w.on_event is not None:
        tx.on_commit(lambda: _spawn(w, what, {"tenant": tx.tenant, **details}))


def _spawn(w: Wiring, what: What, details: Mapping[str, Any]) -> None:
    task = asyncio.create_task(_tell(w, what, details), name=f"telling {what}")
    _telling.add(task)
    task.add_done_callback(_telling.discard)


async def _tell(w: Wiring, what: What, details: Mapping[str, Any]) -> None:
    assert w.on_event is not None
    try:
        async with asyncio.timeout(PATIENCE):
            await w.on_event(what, details)
    except Exception as error:
        log_failure(f"the subscriber to {what}", error)
