"""An approved read that goes out: asked once, outside of any write transaction, its answer recorded after (TOOL-13)."""

import asyncio
from dataclasses import replace
from typing import Any

from deputize.core.actor import Actor
from deputize.core.approval import Approval, Decision
from deputize.core.errors import DetectionFailed
from deputize.core.run import Outcome, Run, ToolCall
from deputize.engine.dispatch import refused
from deputize.engine.door import Passed
from deputize.engine.failures import as_refusal, log_failure
from deputize.engine.handler import call_handler
from deputize.engine.lease import fence
from deputize.engine.record import Finished, envelope, finish
from deputize.engine.results import finished
from deputize.engine.views import language
from deputize.engine.wiring import Wiring

SHARE_OF_LEASE = 0.6
"""The answer must be there well before the lease of the run is over."""


async def fetch(
    w: Wiring, run: Run, call: ToolCall, approval: Approval, asked: Passed, decider: Actor, decision: Decision
) -> None:
    """Run the handler once and record what came; the decision was committed before.

    Where the process dies in between, nobody asks again: the call ends as `unknown_effect` with its run.
    """
    done = await _asked_outside(w, call, asked)
    entry = {
        **done.entry,
        "approval": approval.id,
        "digest_shown": approval.digest,
        "digest_executed": approval.digest,
        "decided_by": decider.id,
    }
    async with w.db.write(run.tenant, "fetched") as tx:
        await fence(w, tx, run.id)
        kind = "tool_executed" if done.outcome is Outcome.OK else f"tool_{done.outcome.value}"
        await finish(w, tx, run, call, replace(done, entry=entry), by=decider.id, kind=kind, via=decision.via)


async def _asked_outside(w: Wiring, call: ToolCall, asked: Passed) -> Finished:
    more: dict[str, Any] = {"arguments": asked.arguments, "key": asked.key}
    versions, now = asked.pinned.versions, w.clock.now()
    try:
        async with w.db.read() as conn, asyncio.timeout(w.limits.lease * SHARE_OF_LEASE):
            session = w.db.host(conn, asked.actor)
            try:
                with w.db.leaving("send-fetch"):
                    result = await call_handler(
                        session, asked.tool, asked.args, actor=asked.actor, now=now, key=call.id, versions=versions
                    )
            finally:
                await session.close()
        return await finished(w, asked.tool, result, asked.veil, language(asked.actor.locale), **more)
    except DetectionFailed as error:
        return _failed("detection_failed", error.message, more)
    except TimeoutError:
        return _failed("no_answer", "The outside did not answer in time.", more)
    except Exception as error:
        refusal = as_refusal(w, error)
        if refusal is not None:
            return await refused(w, refusal, asked, more)
        log_failure(f"tool {asked.tool.name}", error)
        return _failed("handler_failed", "The application could not do this.", more)


def _failed(code: str, message: str, more: dict[str, Any]) -> Finished:
    told = envelope(Outcome.FAILED, code=code, message=message)
    return Finished(Outcome.FAILED, told, code=code, result={"message": message}, entry={"door": "handler"}, **more)
