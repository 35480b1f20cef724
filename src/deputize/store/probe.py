"""A boot probe: does a rolled-back savepoint really leave nothing behind on this engine?"""

from sqlalchemy import text

from deputize.store.session import Database, Undo

_TABLE = "deputize_probe"


async def probe(db: Database) -> list[str]:
    """Faults of the engine; a stock SQLite engine commits what a preview rolls back."""
    kept = 1
    async with db.write("*", "probe") as tx:
        await tx.conn.execute(text(f"CREATE TEMPORARY TABLE {_TABLE} (n INTEGER)"))
        async with tx.conn.begin_nested() as inner:
            await tx.conn.execute(text(f"INSERT INTO {_TABLE} VALUES (1)"))  # noqa: S608 - our own name
            await inner.rollback()
        kept = int(await tx.conn.scalar(text(f"SELECT count(*) FROM {_TABLE}")) or 0)  # noqa: S608
        raise Undo
    return ["a rolled-back savepoint left its rows: pass the engine through deputize.sqlite()"] if kept else []
