"""The first transaction of a run: the run, the user's words, the screen's records, and the first reservation."""

from datetime import datetime

from deputize.core.actor import Actor
from deputize.core.chain import Draft
from deputize.core.clock import new_id
from deputize.core.conversation import Conversation
from deputize.core.errors import ApprovalPending, BudgetExceeded, Disabled, RunNotActive, Unavailable
from deputize.core.run import Run, RunStatus
from deputize.engine import model_call, rates
from deputize.engine.model_call import Asking, Prepared
from deputize.engine.screen import Loaded
from deputize.engine.veil import Displaced
from deputize.engine.wiring import Wiring
from deputize.store import conversations, leases, runs, settings, sightings
from deputize.store.session import Tx

TITLE_CHARS = 80


async def begin(
    w: Wiring,
    actor: Actor,
    conversation: Conversation,
    run_id: str,
    content: str | None,
    loaded: Loaded,
    key: str | None,
    *,
    retry_of: str | None = None,
    address: str | None = None,
) -> tuple[Prepared, Run | None]:
    """Write all of it or nothing. Raises BudgetExceeded before anything is shown (BUD-8), DetectionFailed.

    Asked again inside the commit: is everything switched on (AUTO-7), has the conversation not ended (RUN-10)?

    `address` is the keyed hash of where the message came from.
    """
    asking = Asking(actor.tenant, run_id, conversation.id, actor.id, conversation.surface, loaded.context)
    for _ in range(3):
        words = None if content is None else (content, "user")
        prepared = await model_call.prepare(w, asking, 1, actor=actor, words=words)
        try:
            async with w.db.write(actor.tenant, "start") as tx:
                await _write(w, tx, actor, conversation, prepared, content, loaded, key, retry_of, address)
        except Displaced:
            continue
        return prepared, _record(prepared, retry_of)
    raise Unavailable()


def _record(prepared: Prepared, retry_of: str | None) -> Run | None:
    """The record as it has just been written; a retry inherits calls and is read instead."""
    if retry_of is not None:
        return None
    asking = prepared.asking
    return Run(
        id=asking.run_id,
        tenant=asking.tenant,
        conversation_id=asking.conversation_id,
        actor_id=asking.actor_id,
        surface=asking.surface,
        status=RunStatus.RUNNING,
        model=prepared.request.model,
        provider=prepared.provider.name,
        context=asking.context,
    )


async def _write(
    w: Wiring,
    tx: Tx,
    actor: Actor,
    conversation: Conversation,
    prepared: Prepared,
    content: str | None,
    loaded: Loaded,
    key: str | None,
    retry_of: str | None,
    address: str | None,
) -> None:
    run_id, now = prepared.asking.run_id, w.clock.now()
    await settings.hold(tx.conn)
    if not await settings.switched_on(tx.conn, actor.tenant):
        raise Disabled()
    await leases.begin(
        tx,
        actor.tenant,
        w.process,
        w.limits.lease,
        id=run_id,
        conversation_id=conversation.id,
        actor_id=actor.id,
        surface=conversation.surface,
        idempotency_key=key,
        retry_of=retry_of,
        provider=prepared.provider.name,
        model=prepared.request.model,
        context=dict(loaded.context),
        created_at=now,
        address=address,
    )
    await _say(tx, actor.tenant, conversation.id, prepared, content, loaded, now)
    seeded = [(one["kind"], one["id"], one.get("version"), False) for one in loaded.context.get("entities", ())]
    await sightings.see(tx, actor.tenant, conversation.id, run_id, seeded)
    if loaded.dropped:
        tx.note(Draft("context_dropped", actor.id, {"session": conversation.id, "records": loaded.dropped}, run=run_id))
    await model_call.begin(w, tx, prepared)
    await alone(w, tx, actor, conversation, run_id, address)


async def _say(
    tx: Tx,
    tenant: str,
    conversation_id: str,
    prepared: Prepared,
    content: str | None,
    loaded: Loaded,
    now: datetime,
) -> None:
    """The user's message, unless the run is a retry, in a conversation that has not ended meanwhile."""
    if content is not None:
        await conversations.add_message(
            tx,
            tenant,
            id=new_id(now),
            conversation_id=conversation_id,
            run_id=prepared.asking.run_id,
            step=0,
            role="user",
            clear=content,
            sent=prepared.words or "",
            created_at=now,
        )
    active = await conversations.touch(
        tx,
        tenant,
        conversation_id,
        now,
        title=prepared_title(content),
        context=loaded.context,
        count=1 if content is not None else 0,
    )
    if not active:
        raise RunNotActive("This conversation has ended; start a new one.")


async def alone(w: Wiring, tx: Tx, actor: Actor, conversation: Conversation, run_id: str, address: str | None) -> None:
    """Asked again once the ledger's rows are locked: no other run of theirs is being driven (BUD-7, RUN-10)."""
    busy = await runs.busy(
        tx.conn, actor.tenant, actor.id, conversation.id, since=rates.since(w), address=address, but=run_id
    )
    if busy.live is not None:
        raise BudgetExceeded("Another answer of yours is still under way.", scope="user", period="run")
    if busy.unfinished is not None:
        raise ApprovalPending(runId=busy.unfinished)
    rates.check(w, busy, counted=1)


def prepared_title(content: str | None) -> str | None:
    """The conversation's title: the first words of its first message."""
    if content is None:
        return None
    line = " ".join(content.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"
