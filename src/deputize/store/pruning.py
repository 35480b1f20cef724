"""Taking away the oldest part of a chain: the only delete of entries there is, for the tables' owner only (AUD-5)."""

from datetime import datetime

from sqlalchemy import delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.chain import GENESIS, PRUNED, Draft
from deputize.core.merkle import Tree
from deputize.core.prefix import Prefix
from deputize.store import audit, audit_read
from deputize.store.dialect import micros
from deputize.store.session import Tx
from deputize.store.tables import audit_entries, audit_heads
from deputize.store.tables.chain_guards import sqlite_entries

_e = audit_entries.c
_ENTRIES, _HEADS = audit_entries.name, audit_heads.name


async def old_enough(conn: AsyncConnection, tenant: str, before: datetime) -> int:
    """The last number of the unbroken beginning whose entries are all older than `before`; 0 where there is none.

    A clock that went back does not make a young entry old: the first young one ends the beginning.
    """
    young = select(func.min(_e.seq)).where(_e.tenant == tenant, _e.at >= micros(before))
    first = (await conn.execute(young)).scalar_one()
    if first is not None:
        return int(first) - 1
    return int((await conn.execute(select(func.max(_e.seq)).where(_e.tenant == tenant))).scalar_one() or 0)


async def prefix_of(conn: AsyncConnection, tenant: str, size: int) -> Prefix:
    """What will stand for the first `size` entries, read off them. Raises ValueError where they are not all there."""
    gone = await audit_read.prefix(conn, tenant)
    tree, last = (Tree(), GENESIS) if gone is None else (gone.tree(), gone.last)
    path: tuple[bytes, ...] = ()
    async for batch in audit_read.stream(conn, tenant, after=tree.size, until=size):
        for row in batch:
            path = tuple(reversed(tree.peaks))
            tree.append(bytes.fromhex(row.hash))
            last = row.hash
    if tree.size != size or not path:
        raise ValueError("the entries to be pruned are not all there")
    return Prefix(size, last, tuple(tree.peaks), path)


async def prune(tx: Tx, tenant: str, prefix: Prefix, now: datetime, *, by: str) -> int:
    """Delete the entries that `prefix` stands for, after an entry that says so; how many they were.

    The database's own guard is lifted for this transaction and put back before its end, which only the owner of
    the tables may do. The caller has verified the chain and the checkpoint over exactly these entries.
    """
    await _only_we_write(tx)
    await audit.append(tx.conn, tenant, [Draft(PRUNED, by, prefix.said())], now)
    await _guard(tx, on=False)
    done = await tx.conn.execute(delete(audit_entries).where(_e.tenant == tenant, _e.seq <= prefix.size))
    await _guard(tx, on=True)
    return int(done.rowcount)


async def _only_we_write(tx: Tx) -> None:
    """PostgreSQL: no appender is under way while the guard is off. They lock a head first, so we lock all heads."""
    if tx.dialect == "postgresql":
        await tx.conn.execute(text(f"LOCK TABLE {_HEADS} IN EXCLUSIVE MODE"))


async def _guard(tx: Tx, *, on: bool) -> None:
    if tx.dialect == "postgresql":
        done = "ENABLE" if on else "DISABLE"
        await tx.conn.execute(text(f"ALTER TABLE {_ENTRIES} {done} TRIGGER {_ENTRIES}_guard"))
    elif on:
        await tx.conn.execute(text(sqlite_entries(_ENTRIES)[0]))
    else:
        await tx.conn.execute(text(f"DROP TRIGGER IF EXISTS {_ENTRIES}_no_delete"))
