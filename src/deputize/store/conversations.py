"""Queries of conversations and of their messages."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Text, bindparam, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import ReturningUpdate

from deputize.core.conversation import Conversation, ConversationStatus
from deputize.store.session import Tx, plain
from deputize.store.tables import conversations, messages

_ADD_MESSAGE = insert(messages)
_UPDATE_MESSAGE = update(messages).where(
    messages.c.tenant == bindparam("of_tenant"), messages.c.id == bindparam("of_id")
)
_PIECE = (
    update(messages)
    .where(messages.c.id == bindparam("of_id"), messages.c.reason.is_(None))
    .values(clear=bindparam("so_far", type_=Text))
)
_MESSAGES = (
    select(messages)
    .where(messages.c.tenant == bindparam("of_tenant"), messages.c.conversation_id == bindparam("of_conversation"))
    .order_by(messages.c.created_at, messages.c.run_id, messages.c.step)
)
_c = conversations.c
_MINE = (_c.tenant == bindparam("of_tenant"), _c.id == bindparam("of_id"))
_ONE = select(conversations).where(*_MINE)
_SET = update(conversations).where(*_MINE)
_CREATE = insert(conversations)
_ACTIVE = select(conversations).where(
    _c.tenant == bindparam("of_tenant"),
    _c.actor_id == bindparam("of_actor"),
    _c.surface == bindparam("of_surface"),
    _c.status == ConversationStatus.ACTIVE.value,
)
_ACTIVE_LOCKED = _ACTIVE.with_for_update()
"""Statements of every turn are made once: building one costs as much as running it."""


def _read(row: Any) -> Conversation:
    values = plain(row)
    return Conversation(**{**values, "status": ConversationStatus(values["status"])})


async def create(tx: Tx, tenant: str, conversation: Conversation) -> None:
    """Insert; a second active one of the same actor and surface breaks the unique index (RUN-10)."""
    c = conversation
    await tx.conn.execute(
        _CREATE,
        {
            "id": c.id,
            "tenant": tenant,
            "actor_id": c.actor_id,
            "surface": c.surface,
            "status": c.status.value,
            "title": c.title,
            "context": dict(c.context),
            "created_at": c.created_at,
            "updated_at": c.updated_at,
        },
    )


async def active(
    conn: AsyncConnection, tenant: str, actor_id: str, surface: str, *, lock: bool = False
) -> Conversation | None:
    """The actor's active conversation on the surface; with `lock` nobody changes it before this transaction ends."""
    whose = {"of_tenant": tenant, "of_actor": actor_id, "of_surface": surface}
    row = (await conn.execute(_ACTIVE_LOCKED if lock else _ACTIVE, whose)).first()
    return _read(row) if row else None


async def get(conn: AsyncConnection, tenant: str, conversation_id: str) -> Conversation | None:
    """One conversation of the tenant."""
    row = (await conn.execute(_ONE, {"of_tenant": tenant, "of_id": conversation_id})).first()
    return _read(row) if row else None


async def page_of(
    conn: AsyncConnection, tenant: str, actor_id: str | None, offset: int, limit: int
) -> tuple[list[Conversation], int]:
    """Newest first, with the total; of all actors where `actor_id` is None."""
    t = conversations.c
    where = [t.tenant == tenant, *([t.actor_id == actor_id] if actor_id is not None else [])]
    total = await conn.scalar(select(func.count()).select_from(conversations).where(*where))
    rows = await conn.execute(
        select(conversations).where(*where).order_by(t.updated_at.desc(), t.id.desc()).offset(offset).limit(limit)
    )
    return [_read(row) for row in rows], int(total or 0)


async def set_status(tx: Tx, tenant: str, conversation_id: str, status: ConversationStatus, now: datetime) -> None:
    """Move to another status."""
    moved = {"status": status.value, "updated_at": now}
    await tx.conn.execute(_SET, {"of_tenant": tenant, "of_id": conversation_id, **moved})


async def touch(
    tx: Tx,
    tenant: str,
    conversation_id: str,
    now: datetime,
    *,
    title: str | None = None,
    context: Mapping[str, Any] | None = None,
    count: int = 0,
    input_tokens: int = 0,
    output_tokens: int = 0,
    cost_micro: int = 0,
) -> bool:
    """Add to the totals; set the title only where there is none yet, the context whenever one is given.

    Whether the conversation is active; nobody changes that before this transaction ends.
    """
    values: dict[str, Any] = {
        "of_tenant": tenant,
        "of_id": conversation_id,
        "updated_at": now,
        "more_messages": count,
        "more_input": input_tokens,
        "more_output": output_tokens,
        "more_cost": cost_micro,
    }
    if title is not None:
        values["first_title"] = title
    if context is not None:
        values["context"] = dict(context)
    status = await tx.conn.scalar(_touching(title is not None), values)
    return bool(status == ConversationStatus.ACTIVE.value)


@cache
def _touching(titled: bool) -> ReturningUpdate[str]:
    values: dict[str, Any] = {
        "messages": _c.messages + bindparam("more_messages", type_=BigInteger),
        "input_tokens": _c.input_tokens + bindparam("more_input", type_=BigInteger),
        "output_tokens": _c.output_tokens + bindparam("more_output", type_=BigInteger),
        "cost_micro": _c.cost_micro + bindparam("more_cost", type_=BigInteger),
    }
    if titled:
        values["title"] = func.coalesce(func.nullif(_c.title, ""), bindparam("first_title", type_=Text))
    return _SET.values(**values).returning(_c.status)


async def add_message(tx: Tx, tenant: str, **values: Any) -> None:
    """Insert one message row (a user's words, or a step that is about to be asked of the model)."""
    await tx.conn.execute(_ADD_MESSAGE, {"tenant": tenant, **values})


async def update_message(tx: Tx, tenant: str, message_id: str, **values: Any) -> None:
    """Fill in what a step has produced."""
    await tx.conn.execute(_UPDATE_MESSAGE, {"of_tenant": tenant, "of_id": message_id, **values})


async def write_pieces(tx: Tx, pieces: Sequence[tuple[str, str]]) -> None:
    """Set the text so far of messages (id, text) that are still being said, over all tenants."""
    given = [{"of_id": ident, "so_far": text} for ident, text in pieces]
    await tx.conn.execute(_PIECE, given)


async def message_rows(
    conn: AsyncConnection, tenant: str, conversation_id: str, run_ids: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """All message rows of the conversation (or of some of its runs), in the order in which they were made."""
    query = _MESSAGES if run_ids is None else _MESSAGES.where(messages.c.run_id.in_(run_ids))
    rows = await conn.execute(query, {"of_tenant": tenant, "of_conversation": conversation_id})
    return [plain(row) for row in rows]


async def of_run(conn: AsyncConnection, tenant: str, run_id: str) -> list[dict[str, Any]]:
    """All message rows of one run, whether it has a conversation or not (an automation's pass has none)."""
    t = messages.c
    rows = await conn.execute(select(messages).where(t.tenant == tenant, t.run_id == run_id).order_by(t.step))
    return [plain(row) for row in rows]


async def user_words(conn: AsyncConnection, tenant: str, conversation_id: str) -> list[str]:
    """The user's own messages in clear (what they said counts for provenance, TOOL-7)."""
    t = messages.c
    rows = await conn.execute(
        select(t.clear).where(t.tenant == tenant, t.conversation_id == conversation_id, t.role == "user")
    )
    return [str(row[0]) for row in rows]


async def who_talked(conn: AsyncConnection, most: int = 50) -> list[tuple[str, str]]:
    """`(tenant, actor id)` of people who have talked here, over all tenants, whoever did last first."""
    c = conversations.c
    query = select(c.tenant, c.actor_id).group_by(c.tenant, c.actor_id).order_by(func.max(c.updated_at).desc())
    return [(row.tenant, row.actor_id) for row in await conn.execute(query.limit(most))]
