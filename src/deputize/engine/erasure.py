"""Erasing for good: one person's values in the chain, or the oldest part of a chain (AUD-5)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from deputize.core.actor import Actor
from deputize.core.checkpoint import open_note
from deputize.core.clock import iso
from deputize.core.errors import Invalid, NotFound, Unavailable
from deputize.engine import access, auditing
from deputize.engine.retention import ENTRIES
from deputize.engine.wiring import Wiring
from deputize.store import audit, audit_read, pruning, subjects
from deputize.store.checkpoints import CheckpointFiles


async def erase_subject(w: Wiring, actor: Actor, subject: str) -> dict[str, Any]:
    """Destroy the keys of a person named in the tenant's chain, for whoever may both supervise and configure.

    Raises Forbidden, NotFound for somebody of whom the chain keeps no sealed value. Done again it changes nothing.
    """
    access.require(w, actor, "supervise")
    access.require(w, actor, "configure")
    return await erase(w, actor.tenant, subject, by=actor.id)


async def erase(w: Wiring, tenant: str, subject: str, *, by: str) -> dict[str, Any]:
    """The same for an operator, who has no actor: `{subject, keys, erasedAt}`, `keys` those destroyed just now."""
    async with w.db.write(tenant, "subject-erased") as tx:
        when = await subjects.destroyed_at(tx.conn, tenant, subject)
        if await subjects.alive(tx.conn, tenant, subject):
            when = w.clock.now()
            keys = await audit.erase_subject(tx.conn, tenant, subject, when, by=by)
        elif when is None:
            raise NotFound()
        else:
            keys = 0
    return {"subject": subject, "keys": keys, "erasedAt": iso(when)}


@dataclass(frozen=True, slots=True)
class Pruned:
    """What a pruning took: through which entry, how many rows, and how many are left."""

    through: int
    deleted: int
    left: int


async def prune(w: Wiring, tenant: str, *, by: str, before: datetime | None = None) -> Pruned:
    """Delete the chain's beginning, up to the newest checkpoint below what is five years old (or `before`, if older).

    The whole chain is verified first, and the entry that tells of it stands in the chain. Raises Unavailable
    without a key or where the chain does not verify, Invalid for a `before` younger than five years, NotFound
    where nothing is old enough or no checkpoint lies there.
    """
    files = auditing.files_of(w)
    now = w.clock.now()
    edge = now - ENTRIES
    if before is not None and before > edge:
        raise Invalid("Entries are kept for five years.", field="before", latest=iso(edge))
    size = await _below(w, tenant, files, before or edge)
    async with w.db.read() as conn:
        verdict = await audit_read.verify_database(
            conn, tenant, auditing.notes_of(files, tenant), [files.trusted(tenant)]
        )
    if not verdict.ok or verdict.anchored < size:
        raise Unavailable("The chain does not verify; nothing was pruned.", fault=str(verdict))
    async with w.db.read() as conn:
        prefix = await pruning.prefix_of(conn, tenant, size)
    async with w.db.write(tenant, "prefix-pruned") as tx:
        deleted = await pruning.prune(tx, tenant, prefix, now, by=by)
        end = await audit_read.head(tx.conn, tenant)
    return Pruned(size, deleted, (end[0] if end else 0) - size)


async def _below(w: Wiring, tenant: str, files: CheckpointFiles, edge: datetime) -> int:
    """The size of the newest checkpoint that lies within what is old enough and not yet gone."""
    async with w.db.read() as conn:
        old = await pruning.old_enough(conn, tenant, edge)
        gone = await audit_read.prefix(conn, tenant)
    trusted = [files.trusted(tenant)]
    sizes = [open_note(note, trusted).size for note in auditing.notes_of(files, tenant)]
    found = max((size for size in sizes if (gone.size if gone else 0) < size <= old), default=0)
    if not found:
        raise NotFound("No checkpoint lies below what is old enough: there is nothing to prune.")
    return found
