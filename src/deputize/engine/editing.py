"""The person changes a proposal's arguments: their own words pass the whole door and make a new card (APPR-7)."""

from collections.abc import Mapping
from typing import Any

from deputize.core.actor import Actor
from deputize.core.approval import Approval, ApprovalStatus
from deputize.core.errors import ApprovalResolved, ApprovalStale, DeputizeError, InjectionBlocked, Invalid
from deputize.core.event import ToolApprovalRequired, ToolCallDto
from deputize.core.run import Outcome, Run, ToolCall
from deputize.engine import door, execution, staging
from deputize.engine.approvals import open_card, still_open
from deputize.engine.door import Passed, Shut
from deputize.engine.emit import emit
from deputize.engine.record import Finished
from deputize.engine.staging import Rehearsed
from deputize.engine.views import call_dto
from deputize.engine.wiring import Wiring
from deputize.policy import arguments as rules
from deputize.policy.friction import value_at
from deputize.store import approvals, calls


async def edit(w: Wiring, actor: Actor, call_id: str, digest: str, changed: Mapping[str, Any]) -> ToolCallDto:
    """The same call with a new card; the old one ends as rejected (edited).

    What the door or the host refuses is Invalid with the reason, and the old card stays as it was; an id that was
    never shown is InjectionBlocked. Raises
    NotFound, Forbidden, Disabled, ApprovalResolved, ApprovalExpired, RunNotActive, ApprovalStale.
    """
    card = await open_card(w, actor, call_id)
    call, run, approval = card.call, card.run, card.approval
    if approval.status in (ApprovalStatus.APPROVED, ApprovalStatus.REJECTED):
        raise ApprovalResolved()
    await still_open(w, card)
    if digest != approval.digest:
        raise ApprovalStale(call=call_dto(w, call, actor, whole=True).model_dump(by_alias=True, mode="json"))
    hidden = await execution.lifted(w, run)
    async with w.db.read() as conn:
        allowed = await door.authority(w, conn, run, call.tool)
        if isinstance(allowed, Shut):
            raise _no(allowed)
        person, tool = allowed
        checked = door.check_arguments(tool, changed)
        if isinstance(checked, Shut):
            raise _no(checked)
        args, plain = checked
        pinned = await door.pinned(w, conn, run, tool, plain)
        if isinstance(pinned, Shut):
            raise _no(pinned)
        fields = tuple(sorted(name for name in {*plain, *approval.arguments} if _differs(name, plain, approval)))
        if not fields:
            raise Invalid("Nothing was changed.", field="arguments")
        places = tuple(path for path in await door.proven(w, conn, run, tool, plain) if _same(path, plain, approval))
    key = rules.call_key(tool.name, plain)
    asked = Passed(person, tool, args, plain, key, pinned, places, hidden)
    shown = await staging.rehearse(w, run, call, asked)
    if isinstance(shown, Finished):
        raise Invalid(str((shown.result or {}).get("message", "")), code=shown.code, outcome=shown.outcome.value)
    return await _replace(w, run, call, approval, asked, shown, actor, fields)


def _no(no: Shut) -> DeputizeError:
    """What the door said, as an answer to a request: what it blocks has a code of its own (TOOL-4)."""
    details: dict[str, Any] = {"code": no.code, "door": no.door, **no.alternatives}
    if no.outcome is Outcome.INVALID:
        details["fields"] = [fault["field"] for fault in no.alternatives.get("faults", ())]
    kind = InjectionBlocked if no.outcome is Outcome.BLOCKED else Invalid
    return kind(no.message, **details)


def _differs(name: str, plain: Mapping[str, Any], approval: Approval) -> bool:
    return (name in plain) != (name in approval.arguments) or plain.get(name) != approval.arguments.get(name)


def _same(path: str, plain: Mapping[str, Any], approval: Approval) -> bool:
    """A destination that the person did not type here is as unproven as it was."""
    return value_at(plain, path) == value_at(approval.arguments, path)


async def _replace(
    w: Wiring,
    run: Run,
    call: ToolCall,
    approval: Approval,
    asked: Passed,
    shown: Rehearsed,
    actor: Actor,
    fields: tuple[str, ...],
) -> ToolCallDto:
    async with w.db.write(run.tenant, "edit") as tx:
        now = w.clock.now()
        claimed = await approvals.decide(
            tx, run.tenant, approval, ApprovalStatus.REJECTED, by=actor.id, now=now, reason="edited", via="http"
        )
        if not claimed:
            raise ApprovalResolved()
        every = sorted({*call.edited, *fields})
        await calls.update_call(tx, run.tenant, call.id, arguments=dict(asked.arguments), key=asked.key, edited=every)
        await staging.freeze(w, tx, run, call, asked.tool, asked.arguments, shown, kind="approval_edited")
        fresh = await calls.get(tx.conn, run.tenant, call.id)
        assert fresh is not None
        await emit(w, tx, run.id, [ToolApprovalRequired(call=call_dto(w, fresh, asked.actor, owner=run.actor_id))])
    return call_dto(w, fresh, actor, whole=True)
