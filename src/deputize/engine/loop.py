"""The one loop: it asks the plan for the next move until the run pauses or ends (RUN-1)."""

import asyncio
import logging
from dataclasses import replace

from deputize.core.errors import (
    BudgetExceeded,
    Cancelled,
    DeputizeError,
    DetectionFailed,
    Disabled,
    IllegalMove,
    Unavailable,
)
from deputize.core.event import ToolApprovalRequired
from deputize.core.run import Run, RunStatus, ToolCall
from deputize.engine import actors, model_call
from deputize.engine.dispatch import answer, dispatch
from deputize.engine.emit import emit
from deputize.engine.ending import end
from deputize.engine.failures import log_failure
from deputize.engine.lease import fence
from deputize.engine.model_call import Asking, Prepared, Settled
from deputize.engine.veil import Displaced
from deputize.engine.views import call_dto
from deputize.engine.wiring import Wiring
from deputize.policy.plan import Answer, CallModel, Dispatch, End, Pause, Stop, next_move
from deputize.store import calls, runs
from deputize.store.leases import LeaseLost

log = logging.getLogger("deputize.loop")


def spawn(w: Wiring, tenant: str, run_id: str, first: Prepared | None = None, record: Run | None = None) -> None:
    """Drive the run in a task of its own, which owns its database connections (SSE-3)."""
    task = asyncio.create_task(drive(w, tenant, run_id, first, record), name=f"run {run_id}")
    w.hub.tasks[run_id] = task

    def done(finished: asyncio.Task[None]) -> None:
        if w.hub.tasks.get(run_id) is finished:
            w.hub.release(run_id)

    task.add_done_callback(done)


async def drive(w: Wiring, tenant: str, run_id: str, first: Prepared | None = None, record: Run | None = None) -> None:
    """Make moves until the run pauses or ends. `first` is a step that is reserved and written down already.

    The record is read at the start, unless it was only just written, and wherever a deed does not say what
    it has become.
    """
    try:
        run = record or await _record(w, tenant, run_id)
        if run is not None and first is not None:
            w.hub.veils[run_id], w.hub.said[run_id] = first.veil, first.said
            run = await _ask_model(w, replace(run, steps=tuple(s for s in run.steps if s.n != first.n)), first)
        while run is not None:
            run = await _move(w, run)
    except asyncio.CancelledError:
        raise
    except LeaseLost:
        log.warning("a run was taken over or ended elsewhere; its former driver stops")
    except Exception as error:
        log_failure("a run", error)
        await _crashed(w, tenant, run_id)


async def _record(w: Wiring, tenant: str, run_id: str) -> Run | None:
    async with w.db.read() as conn:
        return await runs.load(conn, tenant, run_id)


async def _move(w: Wiring, run: Run) -> Run | None:
    """One move; the record as it then is, or None once there is nothing more to do."""
    try:
        match next_move(run, w.limits):
            case CallModel(n):
                return await _step(w, run, n)
            case Dispatch(call):
                return await _with(w, run, await dispatch(w, run, call))
            case Answer(call, outcome, code):
                return await _with(w, run, await answer(w, run, call, outcome, code))
            case Pause(call):
                if run.status is RunStatus.RUNNING:
                    await _pause(w, run, call)
            case End() as how:
                await _end(w, run, how)
            case Stop():
                return None
    except Displaced:
        w.hub.veils.pop(run.id, None)
        return await _record(w, run.tenant, run.id)
    except Cancelled:
        await _end(w, run, End(RunStatus.ABORTED, "cancelled"))
    return None


async def _with(w: Wiring, run: Run, call: ToolCall | None) -> Run | None:
    """The record with this call answered; read again where that is not known."""
    if call is None:
        return await _record(w, run.tenant, run.id)
    last = run.steps[-1]
    changed = replace(last, calls=tuple(call if other.id == call.id else other for other in last.calls))
    return replace(run, steps=(*run.steps[:-1], changed))


async def _step(w: Wiring, run: Run, n: int) -> Run | None:
    """Prepare, reserve and ask for step `n`; what cannot be asked ends the run."""
    if run.steps and run.steps[-1].reason == "failed":
        await asyncio.sleep(w.limits.retry_pause * 2 ** max(n - 2, 0))
    asking = Asking(run.tenant, run.id, run.conversation_id, run.actor_id, run.surface, run.context)
    try:
        prepared = await _reserved(w, run, asking, n)
    except BudgetExceeded as error:
        details = error.details
        await _end(
            w,
            run,
            End(RunStatus.BUDGET_EXCEEDED, "AI_BUDGET_EXCEEDED"),
            scope=str(details.get("scope", "run")),
            period=str(details.get("period", "run")),
            resets_at=details.get("resetsAt"),
        )
        return None
    except Cancelled:
        raise
    except Disabled:
        await _end(w, run, End(RunStatus.ABORTED, "AI_DISABLED"))
        return None
    except DetectionFailed:
        await _end(w, run, End(RunStatus.ERROR, "detection_failed"))
        return None
    except (Unavailable, DeputizeError) as error:
        await _end(w, run, End(RunStatus.ERROR, error.code))
        return None
    return await _ask_model(w, run, prepared)


async def _reserved(w: Wiring, run: Run, asking: Asking, n: int) -> Prepared:
    """Prepared and reserved; where another process gave a value another token first, it is redacted anew."""
    for _ in range(3):
        prepared = await model_call.prepare(w, asking, n, run=run, said=w.hub.said.get(run.id))
        w.hub.said[run.id] = prepared.said
        try:
            async with w.db.write(asking.tenant, "model-intent") as tx:
                await fence(w, tx, asking.run_id)
                await model_call.begin(w, tx, prepared)
        except Displaced:
            w.hub.veils.pop(asking.run_id, None)
            continue
        return prepared
    raise Unavailable()


async def _ask_model(w: Wiring, run: Run, prepared: Prepared) -> Run | None:
    """Listen, then settle; where that was the last word the run ends in the same transaction."""
    heard = await model_call.listen(w, prepared)
    try:
        async with w.db.write(run.tenant, "model-result") as tx:
            await fence(w, tx, run.id)
            after = _after(run, await model_call.settle(w, tx, prepared, heard))
            how = next_move(after, w.limits)
            if isinstance(how, End):
                await end(w, tx, after, how)
    except (IllegalMove, LeaseLost):
        async with w.db.write(run.tenant, "model-bill") as tx:
            await model_call.bill(w, tx, prepared, heard)
        return None
    return None if isinstance(how, End) else after


def _after(run: Run, settled: Settled) -> Run:
    """The record with the new step."""
    return replace(
        run,
        steps=(*run.steps, settled.step),
        input_tokens=run.input_tokens + settled.input_tokens,
        output_tokens=run.output_tokens + settled.output_tokens,
        cost_micro=run.cost_micro + settled.cost_micro,
        cancel_requested=run.cancel_requested or settled.cancelled,
    )


async def _pause(w: Wiring, run: Run, call: ToolCall) -> None:
    """Wait for the decision: no lease, no task, no open stream is needed for it (RUN-9)."""
    async with w.db.write(run.tenant, "pause") as tx:
        await fence(w, tx, run.id)
        viewer = await actors.fresh(w, tx.conn, run.tenant, run.actor_id)
        staged = await calls.get(tx.conn, run.tenant, call.id)
        if viewer is None or staged is None:
            await end(w, tx, run, End(RunStatus.ABORTED, "AI_DISABLED"))
            return
        await runs.move(tx, run.tenant, run.id, RunStatus.AWAITING_APPROVAL, w.clock.now(), lease_owner=None)
        shown = call_dto(w, staged, viewer, owner=run.actor_id)
        await emit(w, tx, run.id, [ToolApprovalRequired(call=shown)])


async def _end(
    w: Wiring, run: Run, how: End, *, scope: str = "run", period: str = "run", resets_at: str | None = None
) -> None:
    try:
        async with w.db.write(run.tenant, "end") as tx:
            await fence(w, tx, run.id)
            await end(w, tx, run, how, scope=scope, period=period, resets_at=resets_at)
    except IllegalMove:
        log.info("a run had already ended")


async def _crashed(w: Wiring, tenant: str, run_id: str) -> None:
    """Our own fault: the run ends with an error that everybody sees, rather than hanging."""
    try:
        async with w.db.read() as conn:
            run = await runs.load(conn, tenant, run_id)
        if run is not None and run.status is RunStatus.RUNNING:
            await _end(w, run, End(RunStatus.ERROR, "INTERNAL_ERROR"))
    except Exception as error:
        log_failure("ending a failed run", error)
