"""Taking up a chore that is due once in a while: one process of all gets it."""

from datetime import datetime, timedelta

from sqlalchemy import update

from deputize.store.dialect import upsert_ignore
from deputize.store.session import Tx
from deputize.store.tables import chores


async def take(tx: Tx, name: str, process: str, now: datetime, every: timedelta) -> bool:
    """True where the chore, which serves all tenants, was last begun `every` ago or never; it then counts as begun."""
    fresh = await tx.conn.execute(
        upsert_ignore(chores, {"name": name, "begun_at": now, "by_process": process}, tx.dialect)
    )
    if fresh.rowcount == 1:
        return True
    taken = await tx.conn.execute(
        update(chores)
        .where(chores.c.name == name, chores.c.begun_at <= now - every)
        .values(begun_at=now, by_process=process)
    )
    return taken.rowcount == 1
