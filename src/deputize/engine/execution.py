"""Executing an approved write: claim, authority again, the effect recomputed and compared, all in one commit."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy.exc import DBAPIError

from deputize.core.actor import Actor
from deputize.core.approval import Approval, ApprovalStatus, Decision
from deputize.core.chain import Draft
from deputize.core.effect import HandlerFailed, Observed, Refused
from deputize.core.errors import ApprovalStale, DetectionFailed
from deputize.core.event import ToolApprovalRequired
from deputize.core.run import Outcome, Run, ToolCall
from deputize.engine import door, staging, tracing, veil
from deputize.engine.dispatch import shut_result
from deputize.engine.door import Passed, Shut
from deputize.engine.emit import emit
from deputize.engine.failures import log_failure
from deputize.engine.fetching import fetch
from deputize.engine.lease import take_up
from deputize.engine.preview import again, observe
from deputize.engine.record import Finished, finish
from deputize.engine.results import finished
from deputize.engine.views import call_dto, language
from deputize.engine.wiring import Wiring
from deputize.store import approvals, calls, outbox, settings
from deputize.store.session import Tx

ATTEMPTS = 3
"""Whole transactions that are tried where the database reports a serialisation failure (APPR-5)."""


TOOL_CHANGED = Shut(
    Outcome.STALE, "tool_changed", "arguments", "The tool has changed since this was proposed; propose it again."
)
"""A tool that is gone, or takes other arguments than those that were shown."""


class _Serialisation(HandlerFailed):
    reason = "serialisation_failure"
    default = "The database could not order this change among others."


class _Changed(Exception):
    """What would happen is no longer what was shown; everything of this transaction is undone."""

    def __init__(self, asked: Passed) -> None:
        super().__init__("stale")
        self.asked = asked


async def lifted(w: Wiring, run: Run) -> veil.Veil:
    """The conversation's veil as the record has it now."""
    async with w.db.read() as conn:
        chosen = await settings.of_tenant(conn, run.tenant)
        surface = w.registry.surfaces[run.surface]
        return await veil.lift(w, conn, run.tenant, run.conversation_id, surface, chosen)


async def execute(w: Wiring, run: Run, call: ToolCall, approval: Approval, decider: Actor, decision: Decision) -> bool:
    """True once the decision and its outcome are committed; False where the claim was lost.

    Raises ApprovalStale with the new card where version, pre-image or effect differ (APPR-4).
    """
    with tracing.tool_span(w, run, call):
        return await _execute(w, run, call, approval, decider, decision)


async def _execute(w: Wiring, run: Run, call: ToolCall, approval: Approval, decider: Actor, decision: Decision) -> bool:
    hidden = await lifted(w, run)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            async with w.db.write(run.tenant, "execute") as tx:
                await settings.hold(tx.conn)
                if not await _claim(w, tx, approval, decider, decision):
                    return False
                outbound = await _attempt(w, tx, run, call, approval, decider, decision, hidden)
            if outbound is not None:
                await fetch(w, run, call, approval, outbound, decider, decision)
            return True
        except _Changed as changed:
            return await _restage(w, run, call, approval, changed.asked, decider)
        except DBAPIError as error:
            if not again(error):
                raise
            if attempt == ATTEMPTS:
                await _gave_up(w, run, call, approval, decider, decision, _Serialisation())
                return True
        except DetectionFailed:
            await _gave_up(w, run, call, approval, decider, decision, staging.Unread())
            return True
    return False


async def _claim(w: Wiring, tx: Tx, approval: Approval, decider: Actor, decision: Decision) -> bool:
    now, reason = w.clock.now(), decision.reason
    return await approvals.decide(
        tx, tx.tenant, approval, ApprovalStatus.APPROVED, by=decider.id, now=now, reason=reason, via=decision.via
    )


async def _attempt(
    w: Wiring,
    tx: Tx,
    run: Run,
    call: ToolCall,
    approval: Approval,
    decider: Actor,
    decision: Decision,
    hidden: veil.Veil,
) -> Passed | None:
    """Decide and execute; a read that goes out is only decided here, and given back to be asked after the commit."""
    entry = {
        "approval": approval.id,
        "digest_shown": approval.digest,
        "decided_by": decider.id,
        "versions": dict(approval.versions),
    }
    await take_up(w, tx, run)
    asked = await _again(w, tx, run, call, approval, hidden)
    if isinstance(asked, Shut):
        done = shut_result(await door.veiled(w, hidden, asked))
    elif asked.tool.effect == "read":
        await veil.keep(w, tx, run.conversation_id, hidden)
        tx.note(Draft("approval_approved", decider.id, {"owner": run.actor_id, "call": call.id, **entry}, run=run.id))
        return asked
    else:
        done = await _perform(w, tx, run, call, approval, asked)
    await veil.keep(w, tx, run.conversation_id, hidden)
    done = replace(done, entry={**done.entry, **entry})
    kind = "tool_executed" if done.outcome is Outcome.OK else f"tool_{done.outcome.value}"
    await finish(w, tx, run, call, done, by=decider.id, kind=kind, via=decision.via)
    return None


async def _again(w: Wiring, tx: Tx, run: Run, call: ToolCall, approval: Approval, hidden: veil.Veil) -> Passed | Shut:
    """Authority, arguments, pinning, version and guard once more, inside the executing transaction (APPR-4)."""
    allowed = await door.authority(w, tx.conn, run, call.tool)
    if isinstance(allowed, Shut):
        return TOOL_CHANGED if allowed.door == "known" else allowed
    owner, tool = allowed
    checked = door.check_arguments(tool, approval.arguments)
    if isinstance(checked, Shut):
        return TOOL_CHANGED
    args, plain = checked
    pinned = await door.pinned(w, tx.conn, run, tool, plain)
    if isinstance(pinned, Shut):
        return pinned
    places = await door.proven(w, tx.conn, run, tool, plain)
    asked = Passed(owner, tool, args, plain, call.key or "", pinned, places, hidden)
    versions = await staging.under_locks(w, tx, asked, call.id)
    if isinstance(versions, Shut):
        return versions
    if overtaken(approval, versions):
        raise _Changed(asked)
    return asked


def overtaken(approval: Approval, versions: Mapping[str, str]) -> bool:
    """Whether a target's version, under lock, is no longer the one that the card was made for (APPR-4)."""
    return any(versions.get(entity) != version for entity, version in approval.versions.items())


async def _perform(w: Wiring, tx: Tx, run: Run, call: ToolCall, approval: Approval, asked: Passed) -> Finished:
    """The handler for real; its effect is compared with what was shown before anything may stand."""
    more: dict[str, Any] = {"arguments": asked.arguments, "key": asked.key}
    try:
        observed = await observe(
            w, tx, asked.actor, asked.tool, asked.args, now=w.clock.now(), key=call.id, versions=approval.versions
        )
    except Refused as refusal:
        return await staging.domain_refusal(w, refusal, asked, more)
    except HandlerFailed as failure:
        log_failure(f"tool {asked.tool.name}", failure.__cause__ or failure)
        return staging.failed(failure, more)
    digest, _ = staging.digest(run, asked, observed)
    if digest != approval.digest:
        raise _Changed(asked)
    await _keep_deeds(w, tx, run, call, observed)
    spoken = language(asked.actor.locale)
    done = await finished(w, asked.tool, observed.result, asked.veil, spoken, call.edited, **more)
    return replace(
        done,
        executed_version=",".join(approval.versions.values())[:80] or None,
        entry={"digest_executed": digest, "rows": _rows(observed.rows)},
    )


async def _keep_deeds(w: Wiring, tx: Tx, run: Run, call: ToolCall, observed: Observed) -> None:
    """What the services left to be done commits with the write (APPR-5)."""
    now = w.clock.now()
    await outbox.put(
        tx.conn,
        run.tenant,
        observed.outgoing,
        observed.events,
        now,
        run_id=run.id,
        call_id=call.id,
        actor_id=run.actor_id,
    )
    for draft in observed.notes:
        tx.note(replace(draft, run=draft.run or run.id))
    for hook in observed.hooks:
        tx.on_commit(hook)


def _rows(rows: Any) -> list[str]:
    """Which rows were changed, by table and key, for the chain."""
    return [f"{row.op} {row.table}:{row.id}" for row in rows][:200]


async def _restage(w: Wiring, run: Run, call: ToolCall, approval: Approval, asked: Passed, decider: Actor) -> bool:
    """The same call gets a new card; the old one stays in the record as stale (APPR-4)."""
    current = replace(asked, pinned=replace(asked.pinned, versions={}))
    shown = await staging.rehearse(w, run, call, current)
    async with w.db.write(run.tenant, "restage") as tx:
        claimed = await approvals.decide(
            tx, run.tenant, approval, ApprovalStatus.STALE, by=decider.id, now=w.clock.now(), via=run.via
        )
        if not claimed:
            return False
        if isinstance(shown, Finished):
            await take_up(w, tx, run)
            kind = f"tool_{shown.outcome.value}"
            await finish(w, tx, run, call, shown, by=decider.id, kind=kind, via=run.via)
            return True
        await staging.freeze(w, tx, run, call, asked.tool, asked.arguments, shown, kind="approval_stale")
        fresh = await calls.get(tx.conn, run.tenant, call.id)
        assert fresh is not None
        await emit(w, tx, run.id, [ToolApprovalRequired(call=call_dto(w, fresh, asked.actor))])
    raise ApprovalStale(call=call_dto(w, fresh, decider, whole=True).model_dump(by_alias=True, mode="json"))


async def _gave_up(
    w: Wiring,
    run: Run,
    call: ToolCall,
    approval: Approval,
    decider: Actor,
    decision: Decision,
    why: HandlerFailed,
) -> None:
    """The decision stands, the call failed, nothing was executed: three serialisation failures, or RED-6."""
    async with w.db.write(run.tenant, "execute-failed") as tx:
        if not await _claim(w, tx, approval, decider, decision):
            return
        await take_up(w, tx, run)
        await finish(w, tx, run, call, staging.failed(why, {}), by=decider.id, kind="tool_failed", via=decision.via)
