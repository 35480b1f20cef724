"""Who may use, see and supervise what (API-2); a thing that is not visible is not there."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.actor import Actor
from deputize.core.conversation import Conversation
from deputize.core.errors import Disabled, Forbidden, Invalid, NotFound
from deputize.core.run import ToolCall
from deputize.core.toolset import Surface
from deputize.engine.wiring import Wiring
from deputize.policy.permissions import allows, allows_all
from deputize.store import calls, conversations, runs, settings


def may(w: Wiring, actor: Actor, right: str) -> bool:
    """Whether the actor holds one of our rights (`chat`, `history.read`, `supervise`, …) under the host's prefix."""
    return actor.kind == "human" and allows(actor.grants, f"{w.prefix}.{right}")


def require(w: Wiring, actor: Actor, right: str) -> None:
    """Raise Forbidden unless the actor holds the right."""
    if not may(w, actor, right):
        raise Forbidden(permission=f"{w.prefix}.{right}")


READING = ("history.read", "chat")
"""One's own conversations and runs are read by whoever chats, or may still look back."""


def require_any(w: Wiring, actor: Actor, *rights: str) -> None:
    """Raise Forbidden unless the actor holds one of the rights; the first is the one that is named."""
    if not any(may(w, actor, right) for right in rights):
        raise Forbidden(permission=f"{w.prefix}.{rights[0]}")


def surfaces(w: Wiring, actor: Actor) -> dict[str, Surface]:
    """The surfaces that the actor's grants reach, by name; one that asks for nothing is everybody's."""
    every = w.registry.surfaces.items()
    return {name: one for name, one in every if not one.permissions or allows_all(actor.grants, one.permissions)}


def surface(w: Wiring, actor: Actor, name: str) -> Surface:
    """The surface of that name. Raises Invalid where there is none for this actor, naming those that there are."""
    reached = surfaces(w, actor)
    if name not in reached:
        raise Invalid("There is no such surface.", field="surface", known=sorted(reached))
    return reached[name]


async def require_on(w: Wiring, conn: AsyncConnection, actor: Actor) -> None:
    """Raise Disabled where the copilot is off: for everybody, by the switch, or for this person (AUTO-4, AUTO-7)."""
    if not w.enabled or not actor.ai_enabled or not await settings.switched_on(conn, actor.tenant):
        raise Disabled()


async def own_conversation(w: Wiring, conn: AsyncConnection, actor: Actor, conversation_id: str) -> Conversation:
    """The actor's own conversation; anybody else's is NotFound."""
    found = await conversations.get(conn, actor.tenant, conversation_id)
    if found is None or found.actor_id != actor.id:
        raise NotFound()
    return found


async def readable_conversation(w: Wiring, conn: AsyncConnection, actor: Actor, conversation_id: str) -> Conversation:
    """The actor's own with `history.read`, or any of the tenant with `history.read_all`."""
    found = await conversations.get(conn, actor.tenant, conversation_id)
    if found is None:
        raise NotFound()
    if found.actor_id == actor.id and any(may(w, actor, right) for right in READING):
        return found
    if may(w, actor, "history.read_all"):
        return found
    raise NotFound()


async def own_run(w: Wiring, conn: AsyncConnection, actor: Actor, run_id: str) -> dict[str, Any]:
    """The actor's own run row; anybody else's is NotFound."""
    row = await runs.row(conn, actor.tenant, run_id)
    if row is None or row["actor_id"] != actor.id:
        raise NotFound()
    return row


async def visible_run(w: Wiring, conn: AsyncConnection, actor: Actor, run_id: str) -> dict[str, Any]:
    """The actor's own run, for whoever reads their own, or any of the tenant with `supervise`."""
    row = await runs.row(conn, actor.tenant, run_id)
    if row is None or not (may(w, actor, "supervise") or _reads(w, actor, row["actor_id"])):
        raise NotFound()
    return row


def _reads(w: Wiring, actor: Actor, owner: str) -> bool:
    return owner == actor.id and any(may(w, actor, right) for right in READING)


async def visible_call(w: Wiring, conn: AsyncConnection, actor: Actor, call_id: str) -> tuple[ToolCall, str]:
    """A call and its owner's id: the actor's own, one they may decide, or any with `supervise`; else NotFound."""
    call = await calls.get(conn, actor.tenant, call_id)
    row = await runs.row(conn, actor.tenant, call.run_id) if call else None
    if call is None or row is None:
        raise NotFound()
    owner = str(row["actor_id"])
    if _reads(w, actor, owner) or may(w, actor, "supervise") or decider(w, actor, call, owner):
        return call, owner
    raise NotFound()


def decider(w: Wiring, actor: Actor, call: ToolCall, owner: str) -> bool:
    """Whether the actor is the person that the tool names (APPR-3)."""
    if call.approval is None or actor.kind != "human":
        return False
    if call.approval.by == "actor":
        return actor.id == owner and may(w, actor, "chat")
    tool = w.registry.tools.get(call.tool)
    return (
        actor.id != owner
        and tool is not None
        and allows(actor.grants, call.approval.by)
        and allows_all(actor.grants, tool.permissions)
    )
