"""The end of a run: open calls get their result, pending cards are closed, exactly one terminal event follows."""

from dataclasses import replace

from deputize.core.approval import ApprovalStatus
from deputize.core.chain import Draft
from deputize.core.event import BudgetExceededEvent, ErrorEvent, MessageDone, ToolApprovalExpired, UsageDto
from deputize.core.run import Outcome, Run, RunStatus
from deputize.engine.emit import emit
from deputize.engine.record import Finished, envelope, finish
from deputize.engine.wiring import Wiring
from deputize.policy.plan import End
from deputize.store import approvals, attachments, conversations, runs
from deputize.store.session import Tx

ERRORS = {
    "length": "The answer was cut because it became too long.",
    "content_filter": "The model's provider withheld the answer.",
    "stream_broken": "The connection to the model broke off.",
    "AI_UNAVAILABLE": "The model cannot be reached; try again later.",
    "unknown_tool": "The model kept asking for tools that do not exist.",
    "invalid_arguments": "The model kept sending arguments that do not fit.",
    "loop_detected": "The model was going in circles and was stopped.",
    "AI_DISABLED": "The copilot was switched off.",
    "RUN_LEASE_LOST": "The process that worked on this stopped; try again.",
    "detection_failed": "The text could not be checked for personal data and was not sent.",
}

SYSTEM = "system"
_LOST = "It was approved and may have gone out, but the answer was lost; it is not repeated."
LOST = Finished(
    Outcome.UNKNOWN_EFFECT,
    envelope(Outcome.UNKNOWN_EFFECT, code="unknown_effect", message=_LOST),
    code="unknown_effect",
    result={"message": _LOST},
)
"""An approved request to the outside whose process died before the answer was written down."""


async def end(
    w: Wiring,
    tx: Tx,
    run: Run,
    how: End,
    *,
    scope: str = "run",
    period: str = "run",
    resets_at: str | None = None,
    card: ApprovalStatus = ApprovalStatus.WITHDRAWN,
    by: str | None = None,
) -> None:
    """Close everything that is open and move the run to its end; raises IllegalMove if it already ended.

    Its entries name `by`, else the run's person; the system where time ran out or the process was lost (AUD-2).
    """
    now = w.clock.now()
    nobody = card is ApprovalStatus.EXPIRED or how.code == "RUN_LEASE_LOST"
    who = by or (SYSTEM if nobody else run.actor_id)
    staged = any(call.open and call.approval is not None for call in run.calls)
    closed = set(await approvals.close_pending(tx, run.tenant, run.id, card, now, by)) if staged else set()
    if how.status is RunStatus.ABORTED:
        how = replace(how, code=await attachments.why_asked(tx.conn, run.tenant, run.id) or how.code)
    await runs.move(tx, run.tenant, run.id, how.status, now, error_code=how.code)
    reason = "expired" if card is ApprovalStatus.EXPIRED else "cancelled"
    await emit(w, tx, run.id, [ToolApprovalExpired(call_id=ident, reason=reason) for ident in sorted(closed)])
    for call in run.calls:
        if not call.open:
            continue
        if call.approval is not None and call.approval.status is ApprovalStatus.APPROVED:
            await finish(w, tx, run, call, LOST, by=who, kind="tool_unknown_effect", via=run.via)
            continue
        code = reason if call.id in closed else "not_run"
        message = "The time to decide ran out; nothing was changed." if code == "expired" else "This was not run."
        done = Finished(
            Outcome.EXPIRED,
            envelope(Outcome.EXPIRED, code=code, message=message),
            code=code,
            result={"message": message},
        )
        await finish(w, tx, run, call, done, by=who, kind=f"approval_{reason}", via=run.via)
    last = run.steps[-1] if run.steps else None
    if how.notice is not None and last is not None:
        await conversations.update_message(tx, run.tenant, last.message_id, notice=how.notice)
    if run.conversation_id:
        await conversations.touch(
            tx,
            run.tenant,
            run.conversation_id,
            now,
            count=sum(bool(step.text) for step in run.steps),
            input_tokens=run.input_tokens,
            output_tokens=run.output_tokens,
            cost_micro=run.cost_micro,
        )
    if how.status is not RunStatus.COMPLETE:
        payload = {"owner": run.actor_id, "status": how.status.value, "code": how.code, "surface": run.surface}
        tx.note(Draft("run_ended", who, payload, run=run.id))
    await emit(w, tx, run.id, [_terminal(run, how, scope, period, resets_at)])
    tx.on_commit(lambda: w.meters.run_ended(how.status.value, run.mode))


def _terminal(
    run: Run, how: End, scope: str, period: str, resets_at: str | None
) -> MessageDone | BudgetExceededEvent | ErrorEvent:
    if how.status is RunStatus.BUDGET_EXCEEDED:
        return BudgetExceededEvent(scope=scope, period=period, resets_at=resets_at)
    if how.status is RunStatus.ERROR:
        code = how.code or "INTERNAL_ERROR"
        return ErrorEvent(code=code, message=ERRORS.get(code, "Something went wrong on our side."))
    usage = UsageDto(input_tokens=run.input_tokens, output_tokens=run.output_tokens, cost_micro_usd=run.cost_micro)
    message_id = run.steps[-1].message_id if run.steps else ""
    status = {RunStatus.COMPLETE: "complete", RunStatus.EXPIRED: "expired"}.get(how.status, "aborted")
    return MessageDone(message_id=message_id, status=status, usage=usage, notice=how.notice)  # type: ignore[arg-type]
