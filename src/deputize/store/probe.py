"""A boot probe: does a rolled-back savepoint leave nothing behind, and does a budget of 0 refuse?"""

from datetime import timedelta

from sqlalchemy import inspect, text

from deputize.core.budget import ScopeHold
from deputize.core.errors import BudgetExceeded
from deputize.store import ledger
from deputize.store.session import Database, Tx, Undo
from deputize.store.tables import reservations

_TABLE = "deputize_probe"
_SCOPE = "probe"


async def probe(db: Database) -> list[str]:
    """Faults of the database as it is wired."""
    return [*await _savepoints(db), *await _budget(db)]


async def _savepoints(db: Database) -> list[str]:
    """A stock SQLite engine commits what a preview rolls back."""
    kept = 1
    async with db.write("*", "probe") as tx:
        await tx.conn.execute(text(f"CREATE TEMPORARY TABLE {_TABLE} (n INTEGER)"))
        async with tx.conn.begin_nested() as inner:
            await tx.conn.execute(text(f"INSERT INTO {_TABLE} VALUES (1)"))  # noqa: S608 - our own name
            await inner.rollback()
        kept = int(await tx.conn.scalar(text(f"SELECT count(*) FROM {_TABLE}")) or 0)  # noqa: S608
        raise Undo
    return ["a rolled-back savepoint left its rows: pass the engine through deputize.sqlite()"] if kept else []


async def _budget(db: Database) -> list[str]:
    """The ledger's own check: a budget of 0 must refuse, one with room must not; nothing is kept.

    Nothing is said where our tables are missing.
    """
    refused: list[bool] = []
    async with db.read() as conn:
        if not await conn.run_sync(lambda sync: inspect(sync).has_table(reservations.name)):
            return []
    async with db.write("*", "probe-budget") as tx:
        for cap in (0, 1):
            refused.append(await _refuses(db, tx, cap))
        raise Undo
    return [] if refused == [True, False] else ["the ledger does not hold its caps: a budget of 0 must refuse"]


async def _refuses(db: Database, tx: Tx, cap: int) -> bool:
    now = db.clock.now()
    hold = ScopeHold("global", _SCOPE, "day", now.date().isoformat(), cap_micro=cap)
    try:
        await ledger.reserve(
            tx.conn,
            tx.tenant,
            [hold],
            cap,
            0,
            run_id=None,
            provider=_SCOPE,
            model="",
            now=now,
            expires_at=now + timedelta(minutes=1),
            reservation_id=f"{_SCOPE}-{cap}",
        )
    except BudgetExceeded:
        return True
    return False
