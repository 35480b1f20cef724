"""Conversations under a client's own names, and where one stands: for faces that have threads (API-5)."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from deputize.core.actor import Actor
from deputize.core.conversation import Conversation, Screen
from deputize.core.errors import NotFound
from deputize.core.run import RunStatus
from deputize.engine import access
from deputize.engine.conversations import open_
from deputize.engine.views import message_dtos
from deputize.engine.wiring import Wiring
from deputize.store import calls, conversations, runs


@dataclass(frozen=True, slots=True)
class Standing:
    """A conversation as its owner sees it now, and the run that goes on from there, if one does.

    `saying` is the message under way, which `messages` leaves out; `position` the run's newest durable id that
    `messages` shows; `pending` the call that waits for a decision.
    """

    messages: list[dict[str, Any]]
    run_id: str | None = None
    status: RunStatus | None = None
    position: int = 0
    pending: str | None = None
    saying: str | None = None


def named(actor: Actor, surface: str, thread: str) -> str:
    """The id of the conversation that this actor's client calls `thread`; another actor's is another one."""
    words = json.dumps([actor.tenant, actor.id, surface, thread])
    return str(uuid5(NAMESPACE_URL, words))


async def find(w: Wiring, actor: Actor, surface: str, thread: str) -> Conversation | None:
    """The actor's own conversation by its id, or by the client's name for it."""
    async with w.db.read() as conn:
        for ident in (thread, named(actor, surface, thread)):
            found = await conversations.get(conn, actor.tenant, ident)
            if found is not None and found.actor_id == actor.id and found.surface == surface:
                return found
    return None


async def find_or_open(w: Wiring, actor: Actor, surface: str, thread: str, shown: Screen | None) -> Conversation:
    """The same, opened where there is none yet. Raises as `conversations.open_` does."""
    found = await find(w, actor, surface, thread)
    return found or await open_(w, actor, surface, shown, ident=named(actor, surface, thread))


async def standing(w: Wiring, actor: Actor, conversation: Conversation, run_id: str | None = None) -> Standing:
    """Where the actor's own conversation stands; `run_id` names the run that counts, else the one that is not over."""
    if conversation.actor_id != actor.id:
        raise NotFound()
    access.require_any(w, actor, *access.READING)
    async with w.db.read() as conn:
        run_id = run_id or await runs.unfinished_in(conn, actor.tenant, conversation.id)
        run = await runs.row(conn, actor.tenant, run_id) if run_id else None
        rows = await conversations.message_rows(conn, actor.tenant, conversation.id)
        made = await calls.of_conversation(conn, actor.tenant, conversation.id)
    if run is None:
        return Standing(message_dtos(w, rows, made, actor, actor.id))
    status = RunStatus(run["status"])
    under_way = [row["id"] for row in rows if row["run_id"] == run_id and row["role"] == "assistant"]
    last = rows[-1] if rows else None
    saying = last["id"] if last and under_way and last["id"] == under_way[-1] and last["reason"] is None else None
    kept = [row for row in rows if row["id"] != saying]
    waiting = [one.id for one in made if one.run_id == run_id and one.approval and one.outcome is None]
    return Standing(
        message_dtos(w, kept, made, actor, actor.id),
        run_id,
        status,
        int(run["last_event"]),
        waiting[-1] if waiting and status is RunStatus.AWAITING_APPROVAL else None,
        saying,
    )
