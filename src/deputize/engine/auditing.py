"""The chain for people who supervise: lists, one entry with what was shown and what was executed, verification."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from deputize.core.actor import Actor
from deputize.core.approval import Approval
from deputize.core.chain import Draft, Entry, Finding, Verdict
from deputize.core.checkpoint import BadNote, TrustedLog
from deputize.core.clock import iso
from deputize.core.errors import NotFound, Unavailable
from deputize.engine import access
from deputize.engine.card_dto import to_dto
from deputize.engine.naming import names_of
from deputize.engine.views import tool_title
from deputize.engine.wiring import Wiring
from deputize.store import approvals, audit_read
from deputize.store.checkpoints import CheckpointFiles, ForkRefused

RELATED = 100
PEOPLE = ("owner", "decided_by")
"""Payload fields that hold a person's id."""


async def page_of(
    w: Wiring,
    actor: Actor,
    *,
    kind: str | None = None,
    who: str | None = None,
    run: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    page: int = 1,
    size: int = 50,
) -> dict[str, Any]:
    """A page of the tenant's entries, newest first, and how far the chain is signed. Raises Forbidden."""
    access.require(w, actor, "supervise")
    async with w.db.read() as conn:
        found, total = await audit_read.entries(
            conn,
            actor.tenant,
            kind=kind,
            run=run,
            actor=who,
            since=since,
            until=until,
            page=page,
            page_size=size,
            secret=_secret(w),
        )
        head = await audit_read.head(conn, actor.tenant)
    names = await names_of(w, actor, _people(found))
    return {
        "items": [_brief(entry, names) for entry in found],
        "total": total,
        "page": page,
        "pageSize": size,
        "head": head[0] if head else 0,
        "checkpoint": standing(w, actor.tenant),
    }


async def one(w: Wiring, actor: Actor, seq: int) -> dict[str, Any]:
    """An entry with the others of its call, and shown against executed (AUD-2). Raises Forbidden, NotFound.

    Where somebody else's card is shown with it, looking is an entry too.
    """
    access.require(w, actor, "supervise")
    if not 0 < seq < 2**53:
        raise NotFound()
    async with w.db.read() as conn:
        entry = await audit_read.entry(conn, actor.tenant, seq, secret=_secret(w))
        if entry is None:
            raise NotFound()
        call = _text(entry, "call")
        of_run = await _of_run(w, conn, actor.tenant, entry.run) if call else []
        cards = await approvals.of_call(conn, actor.tenant, call) if call else []
    related = [other for other in of_run if _text(other, "call") == call]
    compared, card = compare(entry, related, cards)
    if card is not None and entry.actor != actor.id:
        async with w.db.write(actor.tenant, "entry-viewed") as tx:
            tx.note(Draft("entry_viewed", actor.id, {"entry": seq, "owner": _text(entry, "owner")}, run=entry.run))
    names = await names_of(w, actor, [*_people([entry, *related]), *([card.decided_by or ""] if card else [])])
    tool = _text(entry, "tool")
    return {
        **_brief(entry, names),
        "prev": entry.prev,
        "toolTitle": tool_title(w, tool, actor.locale) if tool else None,
        "related": [_brief(other, names) for other in related],
        "compared": compared,
        "card": _card(card, names) if card is not None else None,
    }


def compare(
    entry: Entry, related: Sequence[Entry], cards: Sequence[Approval]
) -> tuple[dict[str, Any] | None, Approval | None]:
    """What was shown and what was executed, by their digests, and the card that was shown where it is retained.

    `match` is None while nothing was executed. The digest of what was shown is taken from the decision, or, for
    entries before it, from the proposal.
    """
    around = [entry, *(other for other in reversed(related) if other.seq != entry.seq)]
    shown = _first(around, "digest_shown") if _text(entry, "digest_shown") or not _text(entry, "digest") else None
    shown = shown or _text(entry, "digest") or _first(around, "digest")
    if shown is None:
        return None, None
    executed = next((_text(e, "digest_executed") for e in around if _text(e, "digest_shown") == shown), None)
    card = next((one for one in reversed(cards) if one.digest == shown), None)
    match = None if executed is None else executed == shown
    return {"shown": shown, "executed": executed, "match": match}, card


def standing(w: Wiring, tenant: str) -> dict[str, Any]:
    """Whether the deployment signs checkpoints, and how far this tenant's chain is signed."""
    if w.checkpoints is None:
        return {"configured": False, "size": 0, "fault": None}
    try:
        latest = w.checkpoints.latest(tenant)
    except (BadNote, OSError) as fault:
        return {"configured": True, "size": 0, "fault": _said(fault)}
    return {"configured": True, "size": latest.size if latest else 0, "fault": None}


async def checkpoint(w: Wiring, actor: Actor) -> dict[str, Any]:
    """Sign the chain as it stands. A chain that is not what was signed before is not signed: `fault` says why.

    Raises Forbidden, Unavailable where the deployment has no key.
    """
    access.require(w, actor, "supervise")
    files = files_of(w)
    async with w.db.write(actor.tenant, "checkpoint-asked") as tx:
        tx.note(Draft("checkpoint_asked", actor.id, {}))
    note, fault = await sign(w, actor.tenant, files)
    said = {**standing(w, actor.tenant), "note": note, "key": files.trusted(actor.tenant).vkey()}
    return {**said, "fault": fault or said["fault"]}


async def sign(w: Wiring, tenant: str, files: CheckpointFiles) -> tuple[str | None, str | None]:
    """`(note, fault)`: the fresh note, None where nothing was new or another process is at it."""
    try:
        async with w.db.read() as conn:
            return await files.write(conn, tenant), None
    except (ForkRefused, BadNote, OSError) as fault:
        return None, _said(fault)


async def verify(w: Wiring, actor: Actor, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Verify the tenant's chain against its own checkpoints; `progress(done, all)` is told after each batch.

    The verdict is an entry. Raises Forbidden; what `progress` raises ends the work.
    """
    access.require(w, actor, "supervise")
    verdict = await verdict_of(w, actor.tenant, progress=progress)
    payload = {"finding": verdict.finding.value, "through": verdict.through, "anchored": verdict.anchored}
    async with w.db.write(actor.tenant, "chain-verified") as tx:
        tx.note(Draft("chain_verified", actor.id, payload))
    return verdict_dto(verdict)


async def verdict_of(
    w: Wiring,
    tenant: str,
    *,
    notes: Sequence[str] = (),
    trusted: Sequence[TrustedLog] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """What the verifier says of the tenant's chain under the deployment's own checkpoints and those given.

    Kept checkpoints that cannot be read leave a chain that is sound by itself unverifiable.
    """
    files = w.checkpoints
    every, logs, fault = [*notes], [*trusted, *([files.trusted(tenant)] if files else [])], ""
    try:
        every += files.notes(tenant) if files else []
    except (BadNote, OSError) as damage:
        fault = f"the kept checkpoints cannot be read: {_said(damage)}"
    async with w.db.read() as conn:
        verdict = await audit_read.verify_database(conn, tenant, every, logs, progress=progress)
    return replace(verdict, finding=Finding.UNVERIFIABLE, damage=fault) if fault and verdict.ok else verdict


def verdict_dto(verdict: Verdict) -> dict[str, Any]:
    """A verdict on the wire; `text` is the verifier's own sentence."""
    return {
        "finding": verdict.finding.value,
        "ok": verdict.ok,
        "through": verdict.through,
        "at": verdict.at,
        "damage": verdict.damage,
        "anchored": verdict.anchored,
        "erased": verdict.erased,
        "checkpoints": verdict.checkpoints,
        "pruned": verdict.pruned,
        "text": str(verdict),
    }


def files_of(w: Wiring) -> CheckpointFiles:
    """The deployment's checkpoints. Raises Unavailable where it has no key."""
    if w.checkpoints is None:
        raise Unavailable("This deployment has no key for checkpoints.", setting="AI_CHECKPOINT_KEY_FILE")
    return w.checkpoints


def notes_of(files: CheckpointFiles, tenant: str) -> list[str]:
    """The tenant's signed notes. Raises Unavailable where they cannot be read."""
    try:
        return files.notes(tenant)
    except (BadNote, OSError) as fault:
        raise Unavailable("The kept checkpoints cannot be read.", fault=_said(fault)) from None


def _said(fault: Exception) -> str:
    return str(fault) if isinstance(fault, (ForkRefused, BadNote)) else type(fault).__name__


def _secret(w: Wiring) -> bytes:
    return w.db.secret or w.secret_key.encode()


def _brief(entry: Entry, names: Mapping[str, str]) -> dict[str, Any]:
    people = {entry.actor, *(_text(entry, field) or "" for field in PEOPLE)}
    return {
        "seq": entry.seq,
        "at": iso(entry.at),
        "kind": entry.kind,
        "actor": entry.actor,
        "run": entry.run,
        "hash": entry.hash,
        "payload": entry.payload,
        "personal": dict(entry.personal),
        "names": {ident: names[ident] for ident in sorted(people) if ident in names},
    }


def _card(card: Approval, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "status": card.status.value,
        "digest": card.digest,
        "preview": to_dto(card.preview, None).model_dump(by_alias=True, mode="json"),
        "by": card.by,
        "decidedBy": card.decided_by,
        "decidedByName": names.get(card.decided_by or ""),
        "decidedAt": iso(card.decided_at) if card.decided_at else None,
        "reason": card.reason,
        "createdAt": iso(card.created_at),
    }


def _text(entry: Entry, name: str) -> str | None:
    value = (entry.payload or {}).get(name)
    return value if isinstance(value, str) and value else None


def _first(entries: Sequence[Entry], name: str) -> str | None:
    return next((value for entry in entries if (value := _text(entry, name))), None)


def _people(entries: Sequence[Entry]) -> list[str]:
    return [ident for entry in entries for ident in (entry.actor, *(_text(entry, name) or "" for name in PEOPLE))]


async def _of_run(w: Wiring, conn: Any, tenant: str, run: str | None) -> list[Entry]:
    if run is None:
        return []
    found, _ = await audit_read.entries(conn, tenant, run=run, page_size=RELATED, secret=_secret(w))
    return sorted(found, key=lambda entry: entry.seq)
