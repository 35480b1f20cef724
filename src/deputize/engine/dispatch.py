"""The one way of a call: to the door, then executed (a read) or staged (a write), and its result recorded."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from deputize.core.errors import DetectionFailed
from deputize.core.run import Outcome, Run, ToolCall
from deputize.core.tool import Refuse
from deputize.engine import door, staging, tracing, veil
from deputize.engine.door import Passed, Repeated, Shut
from deputize.engine.failures import as_refusal, log_failure
from deputize.engine.handler import call_handler
from deputize.engine.lease import fence
from deputize.engine.outgoing import hide_refusal
from deputize.engine.record import Finished, envelope, finish
from deputize.engine.results import finished
from deputize.engine.views import language
from deputize.engine.wiring import Wiring

WORDS = {
    "one_change_at_a_time": "Only one change can be proposed at a time; propose this one after the first is decided.",
    "not_run": "The request ended before this was run; nothing was done.",
}


async def dispatch(w: Wiring, run: Run, call: ToolCall) -> ToolCall | None:
    """Take one open call through the door; every exit is recorded (TOOL-4).

    The call as it now stands is returned, or None where the record must be read again. Raises Cancelled.
    """
    tool = w.registry.tools.get(call.tool)
    staged = tool is not None and tool.staged
    with tracing.tool_span(w, run, call, "stage_tool" if staged else "execute_tool") as span:
        after = await _dispatch(w, run, call)
        if after is not None and after.outcome is not None:
            tracing.finished(span, after.outcome.value)
    return after


async def _dispatch(w: Wiring, run: Run, call: ToolCall) -> ToolCall | None:
    started = w.clock.now()
    async with w.db.read() as conn:
        try:
            asked = await door.ask(w, conn, run, call)
        except DetectionFailed as error:
            asked = Shut(Outcome.FAILED, "detection_failed", "redaction", error.message)
        done: Finished | None = None
        if isinstance(asked, Passed) and not asked.tool.staged:
            session = w.db.host(conn, asked.actor)
            try:
                done = await _read(w, session, asked, call)
            finally:
                await session.close()
    if isinstance(asked, Passed) and asked.tool.staged:
        await staging.stage(w, run, call, asked)
        return None
    if done is None:
        done = _without_execution(asked)
    latency = int((w.clock.now() - started).total_seconds() * 1000)
    done = replace(done, latency_ms=latency)
    async with w.db.write(run.tenant, "call-result") as tx:
        await fence(w, tx, run.id)
        hidden = asked.veil if isinstance(asked, Passed) else asked.hidden if isinstance(asked, Shut) else None
        if hidden is not None:
            await veil.keep(w, tx, run.conversation_id, hidden)
        written = await finish(w, tx, run, call, done, by=run.actor_id, kind=_kind(done), via=run.via)
    return answered(call, done) if written else None


def answered(call: ToolCall, done: Finished) -> ToolCall:
    """The call with its one result."""
    return replace(
        call,
        outcome=done.outcome,
        code=done.code,
        result=done.result,
        sent=done.sent,
        truncated=done.truncated,
        from_record=done.from_record,
        latency_ms=done.latency_ms,
        links=tuple(done.links),
        arguments=call.arguments if done.arguments is None else done.arguments,
        key=call.key if done.arguments is None else done.key,
    )


def _kind(done: Finished) -> str:
    """The chain's word for the exit."""
    if done.from_record:
        return "tool_repeated"
    return "tool_executed" if done.outcome is Outcome.OK else f"tool_{done.outcome.value}"


async def _read(w: Wiring, session: AsyncSession, asked: Passed, call: ToolCall) -> Finished:
    """Run a read's handler in the read-only transaction; what it returns is plain before that ends (TOOL-14)."""
    tool = asked.tool
    more: dict[str, Any] = {"arguments": asked.arguments, "key": asked.key}
    try:
        result = await call_handler(
            session, tool, asked.args, actor=asked.actor, now=w.clock.now(), key=call.id, versions=asked.pinned.versions
        )
        return await finished(w, tool, result, asked.veil, language(asked.actor.locale), **more)
    except DetectionFailed as error:
        return _failed("detection_failed", error.message, more)
    except Exception as error:
        refusal = as_refusal(w, error)
        if refusal is not None:
            return await refused(w, refusal, asked, more)
        log_failure(f"tool {tool.name}", error)
        return _failed("handler_failed", "The application could not do this.", more)


async def refused(w: Wiring, refusal: Refuse, asked: Passed, more: Mapping[str, Any]) -> Finished:
    """A domain error: the model gets code, words and the legal alternatives, redacted (TOOL-11)."""
    try:
        message, alternatives = await hide_refusal(w, asked.veil, refusal)
    except DetectionFailed as error:
        return _failed("detection_failed", error.message, more)
    return Finished(
        Outcome.REFUSED,
        envelope(Outcome.REFUSED, code=refusal.code, message=message, alternatives=alternatives),
        code=refusal.code[:64],
        result={"message": refusal.message, "alternatives": dict(refusal.alternatives)},
        **more,
    )


def _failed(code: str, message: str, more: Mapping[str, Any]) -> Finished:
    return Finished(
        Outcome.FAILED,
        envelope(Outcome.FAILED, code=code, message=message),
        code=code,
        result={"message": message},
        entry={"door": "handler"},
        **more,
    )


def _without_execution(asked: Shut | Repeated | Passed) -> Finished:
    if isinstance(asked, Repeated):
        by = asked.by
        return Finished(
            by.outcome or Outcome.OK,
            by.sent or envelope(Outcome.OK),
            code=by.code,
            result=by.result,
            arguments=asked.arguments,
            key=asked.key,
            truncated=by.truncated,
            from_record=True,
            links=by.links,
            entry={"same_as": by.id},
        )
    assert isinstance(asked, Shut)
    return shut_result(asked)


def shut_result(asked: Shut) -> Finished:
    """The door's no as a result."""
    message, alternatives = asked.told or (asked.message, asked.alternatives)
    return Finished(
        asked.outcome,
        envelope(asked.outcome, code=asked.code, message=message, alternatives=dict(alternatives)),
        code=asked.code[:64],
        result={"message": asked.message, "alternatives": dict(asked.alternatives)},
        arguments=asked.arguments,
        key=asked.key,
        entry={"door": asked.door},
    )


async def answer(w: Wiring, run: Run, call: ToolCall, outcome: Outcome, code: str) -> ToolCall | None:
    """Give a call its result without taking it to the door; the call as it now stands, or None."""
    words = WORDS.get(code, "")
    done = Finished(outcome, envelope(outcome, code=code, message=words), code=code, result={"message": words})
    async with w.db.write(run.tenant, "call-answered") as tx:
        await fence(w, tx, run.id)
        written = await finish(w, tx, run, call, done, by=run.actor_id, kind=_kind(done), via=run.via)
    return answered(call, done) if written else None
