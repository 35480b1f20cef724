"""The export of a chain: noted first, signed next, then written with its transcript (AUD-6)."""

from collections.abc import Callable, Sequence
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
from deputize.engine.case_export import MOST_RUNS, transcript
from deputize.engine.wiring import Wiring
from deputize.store import audit_read
from deputize.store.export import Selection, write_pack


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
    """Write the pack to `path` for whoever supervises; the number of entries in it. Raises Forbidden, and as `pack`."""
    access.require(w, actor, "supervise")
    return await pack(w, actor.tenant, asked, path, by=actor.id)


async def pack(
    w: Wiring,
    tenant: str,
    asked: Asked,
    path: Path,
    *,
    by: str,
    notes: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """The same for an operator. `notes` are checkpoints kept elsewhere, which go into the pack too.

    The export is an entry and stands under the checkpoint that the pack carries. Raises Invalid for a
    transcript of more than 500 runs, Unavailable where a part is asked for and the deployment has no key, where the
    chain is not what was signed, or where its checkpoints cannot be read.
    """
    files = w.checkpoints
    if files is None and not asked.selection.everything:
        auditing.files_of(w)
    async with w.db.read() as conn:
        runs = await _runs(conn, tenant, asked)
    payload: dict[str, Any] = {
        "since": iso(asked.since) if asked.since else None,
        "until": iso(asked.until) if asked.until else None,
        "runs": sorted(asked.runs),
        "transcripts": len(runs),
    }
    async with w.db.write(tenant, "audit-exported") as tx:
        tx.note(Draft("audit_exported", by, payload))
    every = [*notes]
    if files is not None:
        _, fault = await auditing.sign(w, tenant, files)
        if fault is not None:
            raise Unavailable("The chain is not the one that was signed; nothing was exported.", fault=fault)
        every += auditing.notes_of(files, tenant)
    async with w.db.read() as conn:
        said = [part for run in runs for part in await transcript(conn, tenant, run)]
        return await write_pack(
            conn,
            tenant,
            path,
            w.clock.now(),
            notes=every,
            selection=asked.selection,
            transcript=said,
            progress=progress,
        )


async def _runs(conn: AsyncConnection, tenant: str, asked: Asked) -> Sequence[str]:
    if not asked.transcript:
        return ()
    found = asked.runs or await audit_read.runs_between(conn, tenant, asked.since, asked.until, MOST_RUNS + 1)
    if len(found) > MOST_RUNS:
        raise Invalid("Too many transcripts for one pack; choose a shorter period.", field="since", maximum=MOST_RUNS)
    return found
