"""One call that a person's own client makes: a run of one step, which nobody is asked for words about (API-5).

The client stands where a model stands: it is offered the same tools, its calls take the same door, a change waits for
the same card, and what it gets back is what a model would get, hidden and capped. The call stands in the person's
conversation on that surface, so that they see it, and its card, in the drawer.
"""

import asyncio
from typing import Any

from deputize.core.actor import Actor
from deputize.core.clock import new_id
from deputize.core.conversation import Conversation
from deputize.core.errors import (
    ApprovalPending,
    BudgetExceeded,
    DeputizeError,
    Disabled,
    NotFound,
    RunNotActive,
    SessionFull,
)
from deputize.core.provider import ToolSchema, ToolUse
from deputize.core.run import CLIENT, RunStatus, ToolCall
from deputize.core.tool import Tool
from deputize.engine import access, attachment, calling, conversations, loop, model_start, prompt, rates, runs, veil
from deputize.engine.emit import emit
from deputize.engine.model_words import Asking
from deputize.engine.readers import Reader
from deputize.engine.views import tool_title
from deputize.engine.wiring import Wiring
from deputize.store import calls, leases, settings
from deputize.store import conversations as stored
from deputize.store import runs as stored_runs
from deputize.store.session import Tx

TURNS = 100
"""How often it is asked whether the person's former call is over, a twentieth of a second apart."""


async def offered(w: Wiring, actor: Actor, surface: str) -> list[tuple[Tool, ToolSchema]]:
    """The tools that this person's client may call there, as it may read them. Raises Forbidden, Disabled, Invalid."""
    access.require(w, actor, "chat")
    place = access.surface(w, actor, surface)
    async with w.db.read() as conn:
        await access.require_on(w, conn, actor)
        chosen = await settings.of_tenant(conn, actor.tenant)
        found = await stored.active(conn, actor.tenant, actor.id, surface)
        hidden = await veil.lift(w, conn, actor.tenant, found.id if found else "", place, chosen)
    tools = prompt.tools_for(w, place, actor, withhold_prose=hidden.withhold_prose)
    return [(tool, hidden.hide_schema(schema)) for tool, schema in zip(tools, prompt.schemas(tools), strict=True)]


async def call(w: Wiring, actor: Actor, surface: str, name: str, raw: str, peer: str | None = None) -> ToolCall:
    """Make the call and wait until it has its result or its card; `raw` are the arguments as JSON text.

    Calls of one person are made one after the other. Raises Forbidden, Disabled, Invalid (unknown surface),
    ApprovalPending, RateLimited, BudgetExceeded (the former call does not end).
    """
    access.require(w, actor, "chat")
    access.surface(w, actor, surface)
    for turn in range(TURNS):
        try:
            run_id, call_id = await _begin(w, actor, surface, ToolUse("", name, raw), rates.address_key(w, peer))
            break
        except (BudgetExceeded, ApprovalPending, RunNotActive) as busy:
            if turn == TURNS - 1 or not await _under_way(w, actor, busy):
                raise
            await asyncio.sleep(0.05)
    loop.spawn(w, actor.tenant, run_id)
    try:
        async for _ in Reader(w, actor, run_id):
            pass
    finally:
        attachment.left(w, actor, run_id)  # a client that has gone: as for any reader (RUN-9)
    return await made(w, actor, call_id)


async def _under_way(w: Wiring, actor: Actor, busy: DeputizeError) -> bool:
    """Whether what stands in the way passes: a run that is being driven, or a conversation opened just now.

    A card that waits for a person, or a cap, does not.
    """
    if isinstance(busy, BudgetExceeded):
        return busy.details.get("period") == "run"
    if isinstance(busy, RunNotActive):
        return True
    async with w.db.read() as conn:
        row = await stored_runs.row(conn, actor.tenant, str(busy.details.get("runId", "")))
    return row is None or row["status"] != RunStatus.AWAITING_APPROVAL.value


async def made(w: Wiring, actor: Actor, call_id: str) -> ToolCall:
    """A call that this person's client made, as it is now; anything else is NotFound."""
    async with w.db.read() as conn:
        found = await calls.get(conn, actor.tenant, call_id)
        row = await access.own_run(w, conn, actor, found.run_id) if found else None
    if found is None or row is None or row["provider"] != CLIENT:
        raise NotFound()
    return found


async def _begin(w: Wiring, actor: Actor, surface: str, use: ToolUse, address: str | None) -> tuple[str, str]:
    conversation = await _here(w, actor, surface, address)
    run_id, now = new_id(w.clock.now()), w.clock.now()
    asking = Asking(actor.tenant, run_id, conversation.id, actor.id, surface, conversation.context)
    row = calling.call_row(w, asking, 1, use, 0)
    async with w.db.read() as conn:
        chosen = await settings.of_tenant(conn, actor.tenant)
        hidden = await veil.lift(w, conn, actor.tenant, conversation.id, w.registry.surfaces[surface], chosen)
    async with w.db.write(actor.tenant, "start-call") as tx:
        await settings.hold(tx.conn)
        if not await settings.switched_on(tx.conn, actor.tenant):
            raise Disabled()
        held = await stored.active(tx.conn, actor.tenant, actor.id, surface, lock=True)
        if held is None or held.id != conversation.id:
            raise RunNotActive("This conversation has ended; start a new one.")
        await leases.begin(
            tx,
            actor.tenant,
            w.process,
            w.limits.lease,
            id=run_id,
            conversation_id=conversation.id,
            actor_id=actor.id,
            surface=surface,
            provider=CLIENT,
            model="",
            context=dict(conversation.context),
            created_at=now,
            address=address,
        )
        await _write(w, tx, actor, asking, row)
        await emit(w, tx, run_id, [calling.started(w, hidden, actor, row)])
        await model_start.alone(w, tx, actor, conversation, run_id, address)
    return run_id, str(row["id"])


async def _write(w: Wiring, tx: Tx, actor: Actor, asking: Asking, row: dict[str, Any]) -> None:
    """What stands for the person's words: the tool's title and nothing of the client's; then the step with its call."""
    words = f"→ {tool_title(w, row['tool'], actor.locale)}" if row["kind"] != "unknown" else "→ ?"
    now = w.clock.now()
    own = {"conversation_id": asking.conversation_id, "run_id": asking.run_id, "created_at": now}
    said = {"step": 0, "role": "user", "clear": words, "sent": words}
    asked = {"step": 1, "role": "assistant", "clear": "", "sent": ""}
    await stored.add_message(tx, actor.tenant, id=new_id(now), **said, **own)
    message_id = new_id(now)
    await stored.add_message(tx, actor.tenant, id=message_id, **asked, **own)
    await stored.update_message(tx, actor.tenant, message_id, reason="tools")
    await calls.insert_calls(tx, actor.tenant, [row])
    await stored.touch(tx, actor.tenant, asking.conversation_id, now, title=words, context=asking.context, count=1)


async def _here(w: Wiring, actor: Actor, surface: str, address: str | None) -> Conversation:
    """The person's conversation there, a new one where there is none or it is full. Raises as a start does."""
    async with w.db.read() as conn:
        await access.require_on(w, conn, actor)
        found = await stored.active(conn, actor.tenant, actor.id, surface)
        if found is not None:
            try:
                await runs.may_start(w, conn, actor, found, address)
                return found
            except SessionFull:
                pass
    return await conversations.open_(w, actor, surface, None)
