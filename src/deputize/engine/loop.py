"""The one loop: it asks the plan for the next move until the run pauses or ends (RUN-1)."""

import asyncio
import logging

from deputize.core.errors import BudgetExceeded, DeputizeError, DetectionFailed, Disabled, IllegalMove, Unavailable
from deputize.core.event import ToolApprovalRequired
from deputize.core.run import Run, RunStatus, ToolCall
from deputize.engine import actors, model_call
from deputize.engine.dispatch import answer, dispatch
from deputize.engine.emit import emit
from deputize.engine.ending import end
from deputize.engine.failures import log_failure
from deputize.engine.model_call import Asking, Prepared
from deputize.engine.veil import Displaced
from deputize.engine.views import call_dto
from deputize.engine.wiring import Wiring
from deputize.policy.plan import Answer, CallModel, Dispatch, End, Pause, Stop, next_move
from deputize.store import calls, runs

log = logging.getLogger("deputize.loop")


def spawn(w: Wiring, tenant: str, run_id: str, first: Prepared | None = None) -> None:
    """Drive the run in a task of its own, which owns its database connections (SSE-3)."""
    task = asyncio.create_task(drive(w, tenant, run_id, first), name=f"run {run_id}")
    w.hub.tasks[run_id] = task

    def done(finished: asyncio.Task[None]) -> None:
        if w.hub.tasks.get(run_id) is finished:
            w.hub.release(run_id)

    task.add_done_callback(done)


async def drive(w: Wiring, tenant: str, run_id: str, first: Prepared | None = None) -> None:
    """Make moves until the run pauses or ends. `first` is a step that is reserved and written down already."""
    try:
        if first is not None:
            await _ask_model(w, first)
        while await _move(w, tenant, run_id):
            pass
    except asyncio.CancelledError:
        raise
    except Exception as error:
        log_failure("a run", error)
        await _crashed(w, tenant, run_id)


async def _move(w: Wiring, tenant: str, run_id: str) -> bool:
    """One move; False once there is nothing more to do."""
    async with w.db.read() as conn:
        run = await runs.load(conn, tenant, run_id)
    if run is None:
        return False
    match next_move(run, w.limits):
        case CallModel(n):
            return await _step(w, run, n)
        case Dispatch(call):
            await dispatch(w, run, call)
            return True
        case Answer(call, outcome, code):
            await answer(w, run, call, outcome, code)
            return True
        case Pause(call):
            if run.status is RunStatus.RUNNING:
                await _pause(w, run, call)
            return False
        case End() as how:
            await _end(w, run, how)
            return False
        case Stop():
            return False


async def _step(w: Wiring, run: Run, n: int) -> bool:
    """Prepare, reserve and ask for step `n`; what cannot be asked ends the run."""
    if run.steps and run.steps[-1].reason == "failed":
        await asyncio.sleep(w.limits.retry_pause * 2 ** max(n - 2, 0))
    asking = Asking(run.tenant, run.id, run.conversation_id, run.actor_id, run.surface, run.context)
    try:
        prepared = await _reserved(w, asking, n)
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
        return False
    except Disabled:
        await _end(w, run, End(RunStatus.ABORTED, "AI_DISABLED"))
        return False
    except DetectionFailed:
        await _end(w, run, End(RunStatus.ERROR, "detection_failed"))
        return False
    except (Unavailable, DeputizeError) as error:
        await _end(w, run, End(RunStatus.ERROR, error.code))
        return False
    await _ask_model(w, prepared)
    return True


async def _reserved(w: Wiring, asking: Asking, n: int) -> Prepared:
    """Prepared and reserved; where another process gave a value another token first, it is redacted anew."""
    for _ in range(3):
        prepared = await model_call.prepare(w, asking, n)
        try:
            async with w.db.write(asking.tenant, "model-intent") as tx:
                await model_call.begin(w, tx, prepared)
        except Displaced:
            continue
        return prepared
    raise Unavailable()


async def _ask_model(w: Wiring, prepared: Prepared) -> None:
    heard = await model_call.listen(w, prepared)
    async with w.db.write(prepared.asking.tenant, "model-result") as tx:
        await model_call.settle(w, tx, prepared, heard)


async def _pause(w: Wiring, run: Run, call: ToolCall) -> None:
    """Wait for the decision: no lease, no task, no open stream is needed for it (RUN-9)."""
    async with w.db.write(run.tenant, "pause") as tx:
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
