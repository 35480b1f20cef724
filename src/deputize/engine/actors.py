"""The actor, loaded afresh from the host by id: never from a token, a request or the run (TOOL-3)."""

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.actor import Actor
from deputize.engine.wiring import Wiring


async def fresh(w: Wiring, conn: AsyncConnection, tenant: str, actor_id: str) -> Actor | None:
    """The actor as the host knows them now; None where it no longer does, or names somebody else."""
    asking = Actor(id=actor_id, tenant=tenant)
    session = w.db.host(conn, asking)
    try:
        actor = await w.reload(session, tenant, actor_id)
    finally:
        await session.close()
    if actor is None or actor.id != actor_id or actor.tenant != tenant or actor.kind != "human":
        return None
    return actor
