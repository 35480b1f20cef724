"""The export of a chain for whoever supervises: noted first, signed next, then written with its transcript (AUD-6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.actor import Actor
from deputize.core.chain import Draft
from deputize.core.clock import iso
from deputize.core.errors import Invalid, Unavailable
from deputize.engine import access, auditing
from deputize.engine.wiring import Wiring
from deputize.store import audit_read, calls, conversations
from deputize.store.export import Selection, write_pack

MOST_RUNS = 500


@dataclass(frozen=True, slots=True)
class Asked:
    """Which part of the chain: a period (`until` exclusive), some runs, or all; with the transcript or without."""

    since: datetime | None = None
    until: datetime | None = None
    runs: tuple[str, ...] = ()
    transcript: bool = False

    @property
    def selection(self) -> Selection:
        """The same in the store's words."""
        return Selection(self.since, self.until, frozenset(self.runs))


async def export(w: Wiring, actor: Actor, asked: Asked, path: Path) -> int:
    """Write the pack to `path`; the number of entries in it.

    The export is an entry and stands under the checkpoint that the pack carries. Raises Forbidden, Invalid for a
    transcript of more than 500 runs, Unavailable where a part is asked for and the deployment has no key, or the
    chain is not what was signed.
    """
    access.require(w, actor, "supervise")
    files = w.checkpoints
    if files is None and not asked.selection.everything:
        auditing.files_of(w)
    async with w.db.read() as conn:
        runs = await _runs(conn, actor.tenant, asked)
    payload: dict[str, Any] = {
        "since": iso(asked.since) if asked.since else None,
        "until": iso(asked.until) if asked.until else None,
        "runs": sorted(asked.runs),
        "transcripts": len(runs),
    }
    async with w.db.write(actor.tenant, "audit-exported") as tx:
        tx.note(Draft("audit_exported", actor.id, payload))
    notes: list[str] = []
    if files is not None:
        _, fault = await auditing.sign(w, actor.tenant, files)
        if fault is not None:
            raise Unavailable("The chain is not the one that was signed; nothing was exported.", fault=fault)
        notes = files.notes(actor.tenant)
    async with w.db.read() as conn:
        said = [part for run in runs for part in await _transcript(conn, actor.tenant, run)]
        return await write_pack(
            conn, actor.tenant, path, w.clock.now(), notes=notes, selection=asked.selection, transcript=said
        )


async def _runs(conn: AsyncConnection, tenant: str, asked: Asked) -> Sequence[str]:
    if not asked.transcript:
        return ()
    found = asked.runs or await audit_read.runs_between(conn, tenant, asked.since, asked.until, MOST_RUNS + 1)
    if len(found) > MOST_RUNS:
        raise Invalid("Too many transcripts for one pack; choose a shorter period.", field="since", maximum=MOST_RUNS)
    return found


async def _transcript(conn: AsyncConnection, tenant: str, run: str) -> list[dict[str, Any]]:
    """What is retained of the run: messages in clear, then its calls with arguments and results."""
    messages = [
        {"type": "message", "run": run, "at": iso(row["created_at"]), "role": row["role"], "text": row["clear"]}
        for row in await conversations.of_run(conn, tenant, run)
        if row["clear"]
    ]
    made = [
        {
            "type": "call",
            "run": run,
            "id": call.id,
            "tool": call.tool,
            "arguments": call.arguments,
            "outcome": call.outcome.value if call.outcome else None,
            "result": call.result,
            "digest": call.approval.digest if call.approval else None,
        }
        for call in await calls.of_run(conn, tenant, run)
    ]
    return [*messages, *made]
