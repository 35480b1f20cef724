"""Starting a run with a message, retrying one, and looking at them (RUN-8, RUN-10, RUN-11)."""

from typing import Any

from sqlalchemy.exc import IntegrityError

from deputize.core.actor import Actor
from deputize.core.chain import Draft
from deputize.core.clock import new_id
from deputize.core.conversation import Conversation, ConversationStatus, Screen
from deputize.core.errors import (
    ApprovalPending,
    BudgetExceeded,
    Invalid,
    MessageDuplicate,
    NotFound,
    RunNotActive,
    SessionFull,
)
from deputize.core.run import CLIENT, TERMINAL, RunStatus
from deputize.engine import access, loop, model_start, rates, screen, serving
from deputize.engine.naming import names_of
from deputize.engine.screen import Loaded
from deputize.engine.views import call_dto, message_dtos, run_dto
from deputize.engine.wiring import Wiring
from deputize.store import calls, conversations, runs

MAX_CONTENT = 4_000
MAX_KEY = 200


async def start(
    w: Wiring,
    actor: Actor,
    conversation_id: str,
    content: str,
    shown: Screen | None,
    key: str | None,
    peer: str | None = None,
) -> str:
    """Take a message and drive its run in a task of its own; the run's id is returned at once.

    `peer` is the address that it came from, where the face knows one (BUD-7).

    Everything that can be refused is refused here, before the first byte: NotFound, Disabled, Forbidden,
    Invalid (1 to 4,000 characters), MessageDuplicate (with `runId`), SessionFull, ApprovalPending,
    RunNotActive (the conversation has ended), RateLimited, BudgetExceeded, DetectionFailed, Unavailable.
    """
    access.require(w, actor, "chat")
    content = _checked(content, key)
    async with w.db.read() as conn:
        conversation = await access.own_conversation(w, conn, actor, conversation_id)
        await access.require_on(w, conn, actor)
        address = rates.address_key(w, peer)
        await may_start(w, conn, actor, conversation, address, key)
        session = w.db.host(conn, actor)
        try:
            loaded = await screen.load(w, session, actor, shown) if shown else Loaded(conversation.context, 0)
        finally:
            await session.close()
    run_id = new_id(w.clock.now())
    try:
        prepared, record = await model_start.begin(
            w, actor, conversation, run_id, content, loaded, key, address=address
        )
    except IntegrityError:
        async with w.db.read() as conn:
            former = await runs.by_key(conn, actor.tenant, actor.id, conversation_id, key or "")
        raise MessageDuplicate(runId=former) from None
    loop.spawn(w, actor.tenant, run_id, prepared, record)
    return run_id


def _checked(content: str, key: str | None) -> str:
    if not content.strip():
        raise Invalid("Write something first.", field="content", minimum=1, maximum=MAX_CONTENT)
    if len(content) > MAX_CONTENT:
        raise Invalid(f"At most {MAX_CONTENT} characters.", field="content", minimum=1, maximum=MAX_CONTENT)
    if key is not None and not 1 <= len(key) <= MAX_KEY:
        raise Invalid("The Idempotency-Key is too long.", field="Idempotency-Key", maximum=MAX_KEY)
    return content


async def may_start(
    w: Wiring, conn: Any, actor: Actor, conversation: Conversation, address: str | None, key: str | None = None
) -> None:
    """Refusals by the record: a replay first, then ended, full, a run that is not over, a live one, too many."""
    access.surface(w, actor, conversation.surface)
    busy = await runs.busy(
        conn, actor.tenant, actor.id, conversation.id, key=key, since=rates.since(w), address=address
    )
    if busy.former is not None:
        raise MessageDuplicate(runId=busy.former)
    if conversation.status is not ConversationStatus.ACTIVE:
        raise RunNotActive("This conversation has ended; start a new one.")
    surface = w.registry.surfaces.get(conversation.surface)
    if surface is None:
        raise NotFound()
    if conversation.messages >= (surface.max_messages or w.limits.messages_per_conversation):
        raise SessionFull()
    if busy.unfinished is not None:
        raise ApprovalPending(runId=busy.unfinished)
    if busy.live is not None:
        raise BudgetExceeded("Another answer of yours is still under way.", scope="user", period="run")
    rates.check(w, busy)


async def retry(w: Wiring, actor: Actor, run_id: str, peer: str | None = None) -> str:
    """A new run over the same record; no executed call is repeated (RUN-8). Raises as `start` does."""
    access.require(w, actor, "chat")
    async with w.db.read() as conn:
        row = await access.own_run(w, conn, actor, run_id)
        await access.require_on(w, conn, actor)
        if RunStatus(row["status"]) not in TERMINAL:
            raise ApprovalPending(runId=run_id)
        gone = row["conversation_id"] is None or row["purged_at"] is not None or row["provider"] == CLIENT
        if RunStatus(row["status"]) is RunStatus.COMPLETE or gone:
            raise RunNotActive("This run has its answer; ask again instead.")
        conversation = await access.own_conversation(w, conn, actor, row["conversation_id"])
        address = rates.address_key(w, peer)
        await may_start(w, conn, actor, conversation, address)
        session = w.db.host(conn, actor)
        try:
            loaded = await screen.load(w, session, actor, screen.named(row["context"]))
        finally:
            await session.close()
    fresh = new_id(w.clock.now())
    prepared, record = await model_start.begin(
        w, actor, conversation, fresh, None, loaded, None, retry_of=run_id, address=address
    )
    loop.spawn(w, actor.tenant, fresh, prepared, record)
    return fresh


async def page_of(w: Wiring, actor: Actor, page: int, size: int, *, everyone: bool = False) -> dict[str, Any]:
    """The actor's runs, newest first; `everyone` is the tenant's, for `supervise`. `names` are people's by id."""
    access.require_any(w, actor, *(("supervise",) if everyone else access.READING))
    async with w.db.read() as conn:
        rows, total = await runs.page_of(
            conn, actor.tenant, None if everyone else actor.id, (page - 1) * size, size, mode="copilot"
        )
    names = await names_of(w, actor, {row["actor_id"] for row in rows})
    return {"items": [run_dto(row) for row in rows], "total": total, "page": page, "pageSize": size, "names": names}


async def one(w: Wiring, actor: Actor, run_id: str) -> dict[str, Any]:
    """A run with its messages and calls; somebody else's only with `supervise`, and then recorded. Raises NotFound."""
    async with w.db.read() as conn:
        row = await access.visible_run(w, conn, actor, run_id)
        made = await calls.of_run(conn, actor.tenant, run_id)
        rows = await conversations.message_rows(conn, actor.tenant, row["conversation_id"] or "", [run_id])
    owner = str(row["actor_id"])
    if owner != actor.id:
        async with w.db.write(actor.tenant, "run-viewed") as tx:
            tx.note(Draft("transcript_viewed", actor.id, {"owner": owner}, run=run_id))
    shown = [call_dto(w, call, actor, owner=owner).model_dump(by_alias=True, mode="json") for call in made]
    names = await names_of(w, actor, {owner, *(call.approval.decided_by or "" for call in made if call.approval)})
    return {
        **run_dto(row),
        "messages": message_dtos(w, rows, made, actor, owner),
        "toolCalls": shown,
        "names": names,
    }


async def call(w: Wiring, actor: Actor, call_id: str) -> dict[str, Any]:
    """One call with its whole preview; serving it whole lets a long card be approved (APPR-1). Raises NotFound."""
    async with w.db.read() as conn:
        found, owner = await access.visible_call(w, conn, actor, call_id)
    await serving.served_whole(w, actor, found, owner)
    return call_dto(w, found, actor, whole=True, owner=owner).model_dump(by_alias=True, mode="json")
