"""The decision: one person, one card, one conditional update; approve executes in the same transaction."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from deputize.core.actor import Actor
from deputize.core.approval import Approval, ApprovalStatus, Decision
from deputize.core.chain import Draft
from deputize.core.errors import (
    ApprovalExpired,
    ApprovalResolved,
    ApprovalStale,
    ConfirmationMismatch,
    DeputizeError,
    Forbidden,
    Invalid,
    NotFound,
    RunNotActive,
)
from deputize.core.event import ToolCallDto
from deputize.core.run import Outcome, Run, RunStatus, ToolCall
from deputize.engine import access, execution, expiry, loop, serving, veil
from deputize.engine.lease import take_up
from deputize.engine.naming import names_of
from deputize.engine.outgoing import hide_reason
from deputize.engine.record import Finished, envelope, finish
from deputize.engine.views import call_dto
from deputize.engine.wiring import Wiring
from deputize.policy.friction import mismatch
from deputize.store import approvals, calls, runs

REASON_CHARS = 500


async def decide(
    w: Wiring, actor: Actor, call_id: str, decision: Decision, *, conversation_id: str | None = None
) -> ToolCallDto:
    """Decide a pending card (APPR-3); the call as it is now is returned, and the run goes on by itself.

    `conversation_id` is where the caller says that it was made; elsewhere there is none.

    A request that is cut off on the way changes nothing: the decision is seen through (RUN-9).

    Raises NotFound, Forbidden, Disabled, ApprovalResolved, ApprovalExpired, RunNotActive, Invalid,
    ApprovalStale (with the new card in `details.call`), ConfirmationMismatch.
    """
    return await w.hub.finished(_traced(w, actor, call_id, decision, conversation_id))


async def _traced(
    w: Wiring, actor: Actor, call_id: str, decision: Decision, conversation_id: str | None
) -> ToolCallDto:
    try:
        return await _decide(w, actor, call_id, decision, conversation_id)
    except DeputizeError as error:
        await _trace(w, actor, call_id, decision, error)
        raise


async def _trace(w: Wiring, actor: Actor, call_id: str, decision: Decision, error: DeputizeError) -> None:
    """An attempt that was turned away is an entry too; a made-up id is not repeated into the chain."""
    named = call_id if len(call_id) == 36 and all(c in "0123456789abcdef-" for c in call_id) else "unknown"
    payload = {"call": named, "approve": decision.approve, "code": error.code, "via": decision.via}
    async with w.db.write(actor.tenant, "decision-refused") as tx:
        tx.note(Draft("decision_refused", actor.id, payload))


@dataclass(frozen=True, slots=True)
class OpenCard:
    """A card that this person may decide, as the record has it; `now` is the database's time."""

    call: ToolCall
    owner: str
    run: Run
    approval: Approval
    now: datetime


async def open_card(w: Wiring, actor: Actor, call_id: str) -> OpenCard:
    """Raises NotFound where it is not visible, Forbidden to who is not the decider, Disabled (APPR-3)."""
    async with w.db.read() as conn:
        call, owner = await access.visible_call(w, conn, actor, call_id)
        if not access.decider(w, actor, call, owner):
            raise Forbidden("Another person decides this.")
        await access.require_on(w, conn, actor)
        run = await runs.load(conn, actor.tenant, call.run_id)
        now = await approvals.database_time(conn)
    assert run is not None
    assert call.approval is not None  # a decider was found, so there is a card
    return OpenCard(call, owner, run, call.approval, now)


async def still_open(w: Wiring, card: OpenCard) -> None:
    """Raises ApprovalExpired where it was withdrawn or its time is over (then the run ends), RunNotActive."""
    if card.approval.status is not ApprovalStatus.PENDING or card.now >= card.approval.expires_at:
        await expiry.expire(w, card.run.tenant, card.run.id)
        raise ApprovalExpired()
    if card.run.status is not RunStatus.AWAITING_APPROVAL:
        raise RunNotActive()


async def _decide(
    w: Wiring, actor: Actor, call_id: str, decision: Decision, conversation_id: str | None
) -> ToolCallDto:
    card = await open_card(w, actor, call_id)
    if conversation_id not in (None, card.run.conversation_id):
        raise NotFound()
    call, owner, run, approval = card.call, card.owner, card.run, card.approval
    answered = _already(w, actor, call, approval, decision)
    if answered is not None:
        return answered
    await still_open(w, card)
    if decision.digest is None:
        raise Invalid("The digest of the card is missing.", field="digest")
    if decision.digest != approval.digest:
        raise ApprovalStale(call=call_dto(w, call, actor, whole=True).model_dump(by_alias=True, mode="json"))
    if decision.approve and await serving.unseen(w, actor, approval):
        await serving.served_whole(w, actor, call, owner)
        raise ApprovalStale(
            "The card was cut; look at the whole of it first.",
            call=call_dto(w, call, actor, whole=True).model_dump(by_alias=True, mode="json"),
        )
    if decision.approve:
        wrong = mismatch(approval.preview.friction, decision.typed, approval.arguments)
        if wrong:
            raise ConfirmationMismatch(fields=list(wrong))
        done = await execution.execute(w, run, call, approval, actor, decision)
    else:
        done = await _reject(w, run, call, approval, actor, decision)
    if not done:
        return await _lost(w, actor, call_id, decision)
    loop.spawn(w, run.tenant, run.id)
    return await _now(w, actor, call_id)


def _already(w: Wiring, actor: Actor, call: ToolCall, approval: Approval, decision: Decision) -> ToolCallDto | None:
    """A decided card: the same decision by the same person is answered again, any other is refused."""
    if approval.status not in (ApprovalStatus.APPROVED, ApprovalStatus.REJECTED):
        return None
    same = (approval.status is ApprovalStatus.APPROVED) == decision.approve
    if same and approval.decided_by == actor.id and approval.digest == decision.digest:
        return call_dto(w, call, actor)
    raise ApprovalResolved()


async def _lost(w: Wiring, actor: Actor, call_id: str, decision: Decision) -> ToolCallDto:
    """Somebody else was first, or the time ran out meanwhile: answer by what the record says now."""
    async with w.db.read() as conn:
        call = await calls.get(conn, actor.tenant, call_id)
    assert call is not None
    assert call.approval is not None
    answered = _already(w, actor, call, call.approval, decision)
    if answered is not None:
        return answered
    if call.approval.status is ApprovalStatus.PENDING and call.approval.digest != decision.digest:
        raise ApprovalStale(call=call_dto(w, call, actor, whole=True).model_dump(by_alias=True, mode="json"))
    raise ApprovalExpired()


async def _now(w: Wiring, actor: Actor, call_id: str) -> ToolCallDto:
    async with w.db.read() as conn:
        call = await calls.get(conn, actor.tenant, call_id)
    assert call is not None
    return call_dto(w, call, actor)


async def _reject(w: Wiring, run: Run, call: ToolCall, approval: Approval, actor: Actor, decision: Decision) -> bool:
    """Nothing is executed; the model is told, with the person's reason marked as theirs (APPR-7)."""
    reason = (decision.reason or "").strip()[:REASON_CHARS] or None
    hidden = await execution.lifted(w, run)
    said = (await hide_reason(w, hidden, reason) or None) if reason else None
    async with w.db.write(run.tenant, "reject") as tx:
        claimed = await approvals.decide(
            tx,
            run.tenant,
            approval,
            ApprovalStatus.REJECTED,
            by=actor.id,
            now=w.clock.now(),
            reason=reason,
            via=decision.via,
        )
        if not claimed:
            return False
        await veil.keep(w, tx, run.conversation_id, hidden)
        await take_up(w, tx, run)
        done = Finished(
            Outcome.REJECTED,
            envelope(
                Outcome.REJECTED,
                code="rejected",
                message="The person rejected this change; nothing was changed.",
                reason_given_by_the_person=said,
            ),
            code="rejected",
            result={"reason": reason} if reason else {},
            entry={"approval": approval.id, "digest_shown": approval.digest, "decided_by": actor.id},
        )
        await finish(w, tx, run, call, done, by=actor.id, kind="approval_rejected", via=decision.via)
    return True


async def waiting(w: Wiring, actor: Actor) -> list[ToolCallDto]:
    """Cards that this person may decide now, oldest first."""
    return [card for card, _ in await _waiting(w, actor)]


async def waiting_list(w: Wiring, actor: Actor) -> dict[str, Any]:
    """The same as a list; `owners` says by call who asked, `names` are people's by id."""
    found = await _waiting(w, actor)
    return {
        "items": [card.model_dump(by_alias=True, mode="json") for card, _ in found],
        "total": len(found),
        "page": 1,
        "pageSize": max(len(found), 1),
        "owners": {card.id: owner for card, owner in found},
        "names": await names_of(w, actor, {owner for _, owner in found}),
    }


async def _waiting(w: Wiring, actor: Actor) -> list[tuple[ToolCallDto, str]]:
    async with w.db.read() as conn:
        found = await approvals.waiting_for(conn, actor.tenant, None)
        owners = {call.id: await runs.row(conn, actor.tenant, call.run_id) for call in found}
    return [
        (call_dto(w, call, actor, owner=str(row["actor_id"])), str(row["actor_id"]))
        for call in found
        if (row := owners[call.id]) is not None and access.decider(w, actor, call, str(row["actor_id"]))
    ]
