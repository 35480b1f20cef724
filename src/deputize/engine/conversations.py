"""Opening, listing, reading and ending conversations (RUN-10)."""

from typing import Any

from sqlalchemy.exc import IntegrityError

from deputize.core.actor import Actor
from deputize.core.chain import Draft
from deputize.core.clock import new_id
from deputize.core.conversation import Conversation, ConversationStatus, Screen
from deputize.core.errors import ApprovalPending
from deputize.engine import access, cancelling, screen
from deputize.engine.announce import announce
from deputize.engine.naming import names_of
from deputize.engine.views import conversation_dto, message_dtos
from deputize.engine.wiring import Wiring
from deputize.store import calls, conversations, runs


async def open_(
    w: Wiring, actor: Actor, surface: str, shown: Screen | None, *, ident: str | None = None
) -> Conversation:
    """A new active conversation; the former one is archived in the same transaction.

    `ident` is its id where a face derives it from a name of its client's own.

    Raises Disabled, Forbidden, Invalid (unknown surface), ApprovalPending while the former one has a run
    that is not over.
    """
    access.require(w, actor, "chat")
    access.surface(w, actor, surface)
    async with w.db.read() as conn:
        await access.require_on(w, conn, actor)
        session = w.db.host(conn, actor)
        try:
            loaded = await screen.load(w, session, actor, shown or Screen())
        finally:
            await session.close()
    now = w.clock.now()
    fresh = Conversation(
        id=ident or new_id(now),
        tenant=actor.tenant,
        actor_id=actor.id,
        surface=surface,
        status=ConversationStatus.ACTIVE,
        title="",
        created_at=now,
        updated_at=now,
        context=loaded.context,
    )
    try:
        async with w.db.write(actor.tenant, "open-conversation") as tx:
            former = await conversations.active(tx.conn, actor.tenant, actor.id, surface, lock=True)
            if former is not None:
                open_run = await runs.unfinished_in(tx.conn, actor.tenant, former.id)
                if open_run is not None:
                    raise ApprovalPending(runId=open_run)
                await conversations.set_status(tx, actor.tenant, former.id, ConversationStatus.ARCHIVED, now)
                announce(w, tx, "session_ended", _told(former))
            await conversations.create(tx, actor.tenant, fresh)
            announce(w, tx, "session_started", _told(fresh))
    except IntegrityError:
        raise ApprovalPending("Another window has just opened a conversation here; reload.") from None
    return fresh


def _told(conversation: Conversation) -> dict[str, str]:
    return {"session": conversation.id, "surface": conversation.surface, "user": conversation.actor_id}


async def page_of(w: Wiring, actor: Actor, page: int, size: int, *, everyone: bool = False) -> dict[str, Any]:
    """The actor's conversations, newest first; `everyone` is the tenant's, for `history.read_all`."""
    access.require_any(w, actor, *(("history.read_all",) if everyone else access.READING))
    async with w.db.read() as conn:
        found, total = await conversations.page_of(
            conn, actor.tenant, None if everyone else actor.id, (page - 1) * size, size
        )
    names = await names_of(w, actor, {one.actor_id for one in found})
    shown = [conversation_dto(one) for one in found]
    return {"items": shown, "total": total, "page": page, "pageSize": size, "names": names}


async def messages(w: Wiring, actor: Actor, conversation_id: str, page: int, size: int) -> dict[str, Any]:
    """Messages with their calls, oldest first; somebody else's only with `history.read_all`, and then recorded."""
    async with w.db.read() as conn:
        conversation = await access.readable_conversation(w, conn, actor, conversation_id)
        rows = await conversations.message_rows(conn, actor.tenant, conversation_id)
        made = await calls.of_conversation(conn, actor.tenant, conversation_id)
    if conversation.actor_id != actor.id:
        async with w.db.write(actor.tenant, "transcript-viewed") as tx:
            tx.note(Draft("transcript_viewed", actor.id, {"session": conversation_id, "owner": conversation.actor_id}))
    shown = message_dtos(w, rows, made, actor, conversation.actor_id)
    start = (page - 1) * size
    return {"items": shown[start : start + size], "total": len(shown), "page": page, "pageSize": size}


async def end(w: Wiring, actor: Actor, conversation_id: str) -> Conversation:
    """Archive; a pending card expires and a live run is aborted (RUN-9). Raises Forbidden, NotFound."""
    access.require(w, actor, "chat")
    async with w.db.read() as conn:
        conversation = await access.own_conversation(w, conn, actor, conversation_id)
    if conversation.status is ConversationStatus.ACTIVE:
        async with w.db.write(actor.tenant, "end-conversation") as tx:
            await conversations.set_status(
                tx, actor.tenant, conversation_id, ConversationStatus.ARCHIVED, w.clock.now()
            )
            announce(w, tx, "session_ended", _told(conversation))
    async with w.db.read() as conn:
        open_run = await runs.unfinished_in(conn, actor.tenant, conversation_id)  # none can begin any more
    if open_run is not None:
        await cancelling.stop(w, actor.tenant, open_run, by=actor.id, code="conversation_ended")
    async with w.db.read() as conn:
        return await access.own_conversation(w, conn, actor, conversation_id)
