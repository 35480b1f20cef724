"""The one caller of a model: reserve, redact, stream, restore, settle (RUN-2)."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.actor import Actor
from deputize.core.clock import new_id
from deputize.core.errors import Cancelled, Disabled, Unavailable
from deputize.core.event import Token
from deputize.core.provider import (
    Done,
    ModelRequest,
    ProviderFailed,
    Reasoned,
    TextDelta,
    ToolUse,
    UsageReport,
)
from deputize.core.run import Run, Step, ToolCall
from deputize.core.usage import Usage
from deputize.engine import actors, calling, money, prompt, tracing, veil
from deputize.engine.emit import emit
from deputize.engine.model_words import Asking as Asking
from deputize.engine.model_words import Heard as Heard
from deputize.engine.model_words import Prepared as Prepared
from deputize.engine.model_words import Said as Said
from deputize.engine.model_words import Settled as Settled
from deputize.engine.outgoing import hide
from deputize.engine.wiring import Wiring
from deputize.store import calls, conversations, runs, settings
from deputize.store.session import Tx

MAX_CALLS = 32
"""Calls of one step that are taken at all; a model that emits more has lost its way."""


async def prepare(
    w: Wiring,
    asking: Asking,
    n: int,
    *,
    actor: Actor | None = None,
    words: tuple[str, str] | None = None,
    run: Run | None = None,
    said: Said | None = None,
) -> Prepared:
    """Load what the model is told, redact it, and work out the worst case to reserve.

    `run` is the record where the run is under way, `said` what came before it where that is known already.
    `words` are (clear, source) of a user's message that is not in the record yet. Raises Disabled where the
    actor lost the copilot meanwhile, Unavailable where no provider can serve, DetectionFailed (RED-6).
    """
    surface = w.registry.surfaces[asking.surface]
    async with w.db.read() as conn:
        actor = actor or await actors.fresh(w, conn, asking.tenant, asking.actor_id)
        standing = await settings.standing(conn, asking.tenant, asking.run_id)
        if standing.cancelled:
            raise Cancelled()
        if actor is None or not actor.ai_enabled or not standing.on:
            raise Disabled()
        chosen = standing.chosen
        hidden = await veil.lift(w, conn, asking.tenant, asking.conversation_id, surface, chosen, asking.run_id)
        said = said or await _said(conn, asking)
    provider = w.providers.get(chosen.provider or w.default_provider)
    if provider is None:
        raise Unavailable("The provider chosen for this tenant is not configured.")
    model = chosen.model or (w.default_model if chosen.provider is None else None) or provider.default_model
    hidden_words = await hide(w, hidden, words[0], "user") if words is not None else None
    if words is not None:
        own = {"role": "user", "run_id": asking.run_id, "step": 0, "clear": words[0], "sent": hidden_words}
        said = Said((*said.rows, {**own, "extra": None}), said.calls)
    rows, made = said.with_steps(run) if run is not None else (said.rows, said.calls)
    tools = prompt.tools_for(w, surface, actor, withhold_prose=hidden.withhold_prose)
    request = ModelRequest(
        model=model,
        system=hidden.hide(prompt.system_prompt(surface), "house"),
        situation=prompt.situation(w, actor, asking.context, hidden),
        messages=prompt.history(rows, made, hidden, w.limits.context_tokens),
        tools=[hidden.hide_schema(schema) for schema in prompt.schemas(tools)],
        max_output_tokens=w.limits.output_tokens,
    )
    price = w.prices(provider.name, model)
    hold = money.worst_case(w, actor, chosen, request, price)
    return Prepared(asking, n, new_id(w.clock.now()), actor, hidden, provider, request, hold, price, hidden_words, said)


async def _said(conn: AsyncConnection, asking: Asking) -> Said:
    rows = await conversations.message_rows(conn, asking.tenant, asking.conversation_id)
    made = await calls.of_conversation(conn, asking.tenant, asking.conversation_id)
    return Said(
        tuple(row for row in rows if row["run_id"] != asking.run_id or row["step"] == 0),
        tuple(call for call in made if call.run_id != asking.run_id),
    )


async def begin(w: Wiring, tx: Tx, p: Prepared) -> None:
    """Reserve in every scope, keep the vault's new tokens, and write down that the model will be asked."""
    await money.reserve(w, tx, p.asking.run_id, p.hold, p.provider.name, p.request.model)
    await veil.keep(w, tx, p.asking.conversation_id, p.veil)
    await conversations.add_message(
        tx,
        p.asking.tenant,
        id=p.message_id,
        conversation_id=p.asking.conversation_id,
        run_id=p.asking.run_id,
        step=p.n,
        role="assistant",
        clear="",
        sent="",
        reservation_id=p.hold.id,
        created_at=w.clock.now(),
    )
    if p.n > 1:
        await runs.set_values(tx, p.asking.tenant, p.asking.run_id, provider=p.provider.name, model=p.request.model)


async def listen(w: Wiring, p: Prepared) -> Heard:
    """Stream the call in a task of its own, which `interrupt` may cancel; no database connection is held."""
    heard = Heard()
    began = time.monotonic()
    with tracing.model_span(
        p.provider.name, p.request.model, p.asking.run_id, p.asking.conversation_id, p.request.max_output_tokens
    ) as span:
        await _listen(w, p, heard)
        tracing.answered(span, heard.usage, heard.reason)
    w.meters.answered(p.provider.name, time.monotonic() - began)
    return heard


async def _listen(w: Wiring, p: Prepared, heard: Heard) -> None:
    task = asyncio.create_task(_consume(w, p, heard), name=f"model-call {p.asking.run_id}")
    w.hub.streams[p.asking.run_id] = task
    try:
        await asyncio.wait({task})
    finally:
        w.hub.streams.pop(p.asking.run_id, None)
        if not task.done():
            task.cancel()
    if task.cancelled():
        heard.reason = "broken"
    else:
        task.result()


async def _consume(w: Wiring, p: Prepared, heard: Heard) -> None:
    restorer = p.veil.stream()
    run_id, message_id = p.asking.run_id, p.message_id
    topic = w.hub.topic(run_id)
    topic.message_id, topic.text, topic.written = message_id, "", 0

    def show(text: str) -> None:
        if text:
            heard.clear.append(text)
            w.hub.publish(run_id, Token(message=message_id, at=heard.shown, text=text), None)
            heard.shown += len(text)
            topic.text += text

    stream: Any = None
    try:
        with w.db.leaving("send-model"):
            stream = p.provider.stream(p.request)
            async for event in stream:
                match event:
                    case TextDelta(text):
                        heard.sent.append(text)
                        show(restorer.feed(text))
                    case ToolUse():
                        heard.uses.append(event)
                    case UsageReport(usage):
                        if usage.total or heard.usage is None:
                            heard.usage = usage
                    case Reasoned():
                        heard.reasoned = True
                    case Done(reason, extra):
                        heard.reason, heard.extra = reason, extra
        show(restorer.finish())
        heard.reason = heard.reason or "broken"
    except ProviderFailed as failure:
        heard.reached_vendor = failure.sent
        show(restorer.finish())
        silent = not heard.sent and not heard.uses
        heard.reason = ("failed" if failure.transient else "unavailable") if silent else "broken"
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


async def bill(w: Wiring, tx: Tx, p: Prepared, heard: Heard) -> tuple[Usage, int]:
    """Only the money, even where the run is no longer this process's to write: what was used was used (BUD-2)."""
    usage = heard.usage or money.estimate(p.request, "".join(heard.sent), reached=heard.reached_vendor)
    cost = p.price.cost(usage)
    await money.settle(w, tx, p.hold, usage, cost, reached=heard.reached_vendor or heard.usage is not None)
    tx.on_commit(lambda: w.meters.billed(p.provider.name, usage, cost))
    return usage, cost


async def settle(w: Wiring, tx: Tx, p: Prepared, heard: Heard) -> Settled:
    """Bill what was used, and write the step: its text twice, its calls, their events (RED-8, RUN-7)."""
    usage, cost = await bill(w, tx, p, heard)
    await conversations.update_message(
        tx,
        p.asking.tenant,
        p.message_id,
        clear="".join(heard.clear),
        sent="".join(heard.sent),
        reasoned=heard.reasoned,
        reason=heard.reason,
        extra=dict(heard.extra) or None,
        input_tokens=usage.total - usage.output,
        output_tokens=usage.output,
        cost_micro=cost,
        estimated=usage.estimated,
    )
    rows = [calling.call_row(w, p.asking, p.n, use, position) for position, use in enumerate(heard.uses[:MAX_CALLS])]
    await calls.insert_calls(tx, p.asking.tenant, rows)
    input_tokens = usage.total - usage.output
    cancelled = await runs.add_usage(tx, p.asking.tenant, p.asking.run_id, input_tokens, usage.output, cost)
    await emit(w, tx, p.asking.run_id, [calling.started(w, p.veil, p.actor, row) for row in rows])
    return Settled(_step(p, heard, rows), input_tokens, usage.output, cost, cancelled)


def _step(p: Prepared, heard: Heard, rows: Sequence[Mapping[str, Any]]) -> Step:
    """The step as the record has it now."""
    made = tuple(
        ToolCall(
            id=row["id"],
            run_id=row["run_id"],
            step=row["step"],
            position=row["position"],
            tool=row["tool"],
            kind=row["kind"],
            raw=row["raw"],
            provider_id=row["provider_id"],
            extra=row["extra"] or {},
            created_at=row["created_at"],
        )
        for row in rows
    )
    return Step(
        n=p.n,
        message_id=p.message_id,
        text="".join(heard.clear),
        sent="".join(heard.sent),
        reasoned=heard.reasoned,
        reason=heard.reason,
        calls=made,
        extra=dict(heard.extra),
    )
