"""The outbox's queries: what leaves the house and what automations wait for, written with the deed itself."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.clock import new_id
from deputize.core.digest import plain
from deputize.core.effect import Enqueued, Queued
from deputize.store.dialect import upsert_ignore
from deputize.store.tables import outbox

EFFECT = "effect"
EVENT = "event"


async def put(
    conn: AsyncConnection,
    tenant: str,
    queued: Sequence[Queued],
    events: Sequence[Enqueued],
    now: datetime,
    *,
    run_id: str | None = None,
    call_id: str | None = None,
    actor_id: str | None = None,
) -> None:
    """Write effects and events in the caller's transaction; one that is already there (by key) is left alone."""
    rows = [_row(tenant, EFFECT, item.channel, item.key, None, plain(item.payload), now) for item in queued]
    rows += [_row(tenant, EVENT, item.type, item.subject, item.subject, None, now) for item in events]
    for row in rows:
        row |= {"run_id": run_id, "call_id": call_id, "actor_id": actor_id}
    if rows:
        await conn.execute(upsert_ignore(outbox, rows, conn.dialect.name))


def _row(
    tenant: str, kind: str, type_: str, key: str, subject: str | None, payload: Any, now: datetime
) -> dict[str, Any]:
    return {
        "id": new_id(now),
        "tenant": tenant,
        "kind": kind,
        "type": type_,
        "subject": subject,
        "key": key,
        "payload": payload,
        "not_before": now,
        "created_at": now,
    }
