"""What in the outbox needs a person: buried events put back, unknown effects settled, each an entry (APPR-5)."""

from collections.abc import Mapping
from typing import Any, Literal

from deputize.core.actor import Actor
from deputize.core.chain import Draft
from deputize.core.clock import iso
from deputize.core.errors import NotFound, RunNotActive
from deputize.engine import access
from deputize.engine.wiring import Wiring
from deputize.store import dead_letters
from deputize.store.outbox import EFFECT, EVENT
from deputize.store.session import Tx

Kind = Literal["event", "effect"]
Said = Literal["sent", "not_sent"]
STATUSES = ("pending", "running", "done", "failed", "unknown")


async def page_of(w: Wiring, actor: Actor, kind: Kind, status: str | None, page: int, size: int) -> dict[str, Any]:
    """The tenant's events or effects in that status, newest first, without what they say. Raises Forbidden."""
    access.require(w, actor, "supervise")
    async with w.db.read() as conn:
        rows, total = await dead_letters.page_of(conn, actor.tenant, kind, status, (page - 1) * size, size)
    return {"items": [_dto(row) for row in rows], "total": total, "page": page, "pageSize": size}


async def one_effect(w: Wiring, actor: Actor, ident: str) -> dict[str, Any]:
    """One effect with its payload, so that a person can find out what became of it; a view is an entry."""
    access.require(w, actor, "supervise")
    async with w.db.write(actor.tenant, "effect-view") as tx:
        row = await dead_letters.one(tx.conn, actor.tenant, EFFECT, ident)
        if row is None:
            raise NotFound()
        tx.note(Draft("effect_viewed", actor.id, {"effect": ident, "owner": row["actor_id"]}, run=row["run_id"]))
    return {**_dto(row), "payload": row["payload"]}


async def requeue(w: Wiring, actor: Actor, kind: Kind, ident: str) -> dict[str, Any]:
    """A buried event, or an effect that never left, is tried anew. Raises Forbidden, NotFound, RunNotActive."""
    access.require(w, actor, "supervise")
    async with w.db.write(actor.tenant, f"{kind}-requeue") as tx:
        row = await _there(tx, actor, kind, ident)
        if not await dead_letters.put_back(tx, actor.tenant, kind, ident, "failed"):
            raise RunNotActive("Only what has failed can be tried again.")
        tx.note(Draft(f"{kind}_requeued", actor.id, {kind: ident, "type": row["type"]}, run=row["run_id"]))
        after = await dead_letters.one(tx.conn, actor.tenant, kind, ident)
    assert after is not None
    return _dto(after)


async def settle(w: Wiring, actor: Actor, ident: str, said: Said) -> dict[str, Any]:
    """A person says whether the unknown effect left; `not_sent` sends it again. Raises as `requeue` does."""
    access.require(w, actor, "supervise")
    async with w.db.write(actor.tenant, "effect-settle") as tx:
        row = await _there(tx, actor, EFFECT, ident)
        if said == "sent":
            settled = await dead_letters.declare_done(tx, actor.tenant, ident, "", w.clock.now())
        else:
            settled = await dead_letters.put_back(tx, actor.tenant, EFFECT, ident, "unknown")
        if not settled:
            raise RunNotActive("This effect is not unknown, or somebody has settled it already.")
        payload = {"effect": ident, "channel": row["type"], "said": said, "call": row["call_id"]}
        tx.note(Draft("effect_settled", actor.id, payload, run=row["run_id"]))
        after = await dead_letters.one(tx.conn, actor.tenant, EFFECT, ident)
    assert after is not None
    return _dto(after)


async def _there(tx: Tx, actor: Actor, kind: str, ident: str) -> dict[str, Any]:
    row = await dead_letters.one(tx.conn, actor.tenant, kind, ident)
    if row is None:
        raise NotFound()
    return row


def _dto(row: Mapping[str, Any]) -> dict[str, Any]:
    shown = {
        "id": row["id"],
        "type" if row["kind"] == EVENT else "channel": row["type"],
        "status": row["status"],
        "attempts": row["attempts"],
        "error": row["error"],
        "createdAt": iso(row["created_at"]),
        "notBefore": iso(row["not_before"]),
        "doneAt": iso(row["done_at"]) if row["done_at"] else None,
        "runId": row["run_id"],
    }
    more = (
        {"subject": row["subject"]} if row["kind"] == EVENT else {"callId": row["call_id"], "receipt": row["receipt"]}
    )
    return {**shown, **more, "userId": row["actor_id"]}
