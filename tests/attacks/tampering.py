"""What an attacker with the database's own password does: triggers off, then raw SQL, then chains linked anew."""

from collections.abc import Sequence

from sqlalchemy import Connection, insert, inspect, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.verify import Row
from deputize.store.tables import audit_entries, audit_heads

TABLES = ("deputize_audit_entries", "deputize_audit_heads")


async def unguarded(database: AsyncEngine, *statements: str) -> None:
    """Run raw SQL as someone who first takes the guards away."""
    async with database.begin() as conn:
        await conn.run_sync(_disarm)
        for statement in statements:
            await conn.execute(text(statement))


def _disarm(conn: Connection) -> None:
    if conn.dialect.name == "postgresql":
        for table in TABLES:
            conn.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
        return
    names = conn.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars().all()
    for name in names:
        conn.execute(text(f"DROP TRIGGER {name}"))


async def replace_chain(database: AsyncEngine, tenant: str, rows: Sequence[Row]) -> None:
    """Put other rows, and the head that fits them, in place of the tenant's chain."""
    await unguarded(
        database,
        f"DELETE FROM deputize_audit_entries WHERE tenant = '{tenant}'",
        f"DELETE FROM deputize_audit_heads WHERE tenant = '{tenant}'",
    )
    async with database.begin() as conn:
        values = []
        for row in rows:
            seq, kind, at, actor, run = row.columns or (0, "", 0, "", None)
            values.append(
                {
                    "tenant": tenant,
                    "seq": seq,
                    "header": row.header,
                    "hash": row.hash,
                    "payload": row.payload,
                    "salt": row.salt,
                    "kind": kind,
                    "at": at,
                    "actor_id": actor,
                    "run_id": run,
                }
            )
        if values:
            await conn.execute(insert(audit_entries), values)
            await conn.execute(
                insert(audit_heads), {"tenant": tenant, "seq": values[-1]["seq"], "hash": values[-1]["hash"]}
            )


async def has_guards(database: AsyncEngine) -> bool:
    """Whether the tables exist and a plain delete would still be refused."""
    async with database.connect() as conn:
        tables = await conn.run_sync(lambda sync: inspect(sync).get_table_names())
        if database.dialect.name == "sqlite":
            found = (await conn.execute(text("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"))).scalar_one()
        else:
            found = (
                await conn.execute(text("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'deputize_audit%'"))
            ).scalar_one()
        _ = (await conn.execute(select(audit_heads.c.tenant))).all()
    return set(TABLES) <= set(tables) and found >= 4
