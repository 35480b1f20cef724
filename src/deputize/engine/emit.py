"""Events: written to the record first, shown after the commit (RUN-7)."""

from collections.abc import Sequence
from typing import Any

from deputize.engine.wiring import Wiring
from deputize.store import runs
from deputize.store.session import Tx


async def emit(w: Wiring, tx: Tx, run_id: str, events: Sequence[Any]) -> None:
    """Append durable events to the run's record; readers of this process get them once committed."""
    if not events:
        return
    pairs = [(event.type, event.model_dump_json(by_alias=True, exclude={"type"})) for event in events]
    seqs = await runs.append_events(tx, tx.tenant, run_id, pairs, w.clock.now())

    def show() -> None:
        for seq, event in zip(seqs, events, strict=True):
            w.hub.publish(run_id, event, seq)

    tx.on_commit(show)
