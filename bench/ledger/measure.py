"""What the ledger adds to a call, beside plain commits; and how far a naive ledger overspends in the same run.

Usage: `python -m bench.ledger.measure [--calls 200] [--json FILE]` from the repository's root. Sixty-four callers
want three times what the caps allow; the naive anchor reads the sum, compares, and adds after the call.
"""

import argparse
import asyncio
import itertools
import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.databases import both, database, door, plain_commits
from deputize.core.budget import Cap
from deputize.core.errors import BudgetExceeded
from deputize.core.usage import Usage
from deputize.policy.budget import Caps, holds
from deputize.store import ledger, usage
from deputize.store.session import Database
from deputize.store.tables import ledger_scopes

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
NUMBERS = itertools.count()


async def call(db: Database, caps: Caps, user: str = "u", work: float = 0.0) -> bool:
    """Reserve in one transaction, settle in another, as a turn does."""
    number = f"r{next(NUMBERS)}"
    mine = holds(tenant="t", user=user, time_zone="Europe/Madrid", now=NOW, caps=caps)
    try:
        async with db.write("t", "reserve") as tx:
            await ledger.reserve(
                tx.conn,
                "t",
                mine,
                100,
                10,
                run_id=None,
                provider="p",
                model="m",
                now=NOW,
                expires_at=NOW + timedelta(minutes=5),
                reservation_id=number,
                sent=True,
            )
    except BudgetExceeded:
        return False
    await asyncio.sleep(work)
    async with db.write("t", "settle") as tx:
        await ledger.settle(tx.conn, "t", number, Usage(input=10), 100, NOW)
    return True


async def naive(db: Database, cap: int) -> bool:
    """Check, call, then increment: atomic in each statement, and wrong."""
    s = ledger_scopes.c
    async with db.read() as conn:
        spent = (await conn.execute(select(s.spent_micro).where(s.key == "naive"))).scalar_one()
    if spent + 100 > cap:
        return False
    await asyncio.sleep(0.5)
    async with db.write("t", "increment") as tx:
        await tx.conn.execute(update(ledger_scopes).where(s.key == "naive").values(spent_micro=s.spent_micro + 100))
    return True


async def overshoot(engine: AsyncEngine, calls: int) -> dict[str, int]:
    admitted, db = calls // 3, door(engine)
    cap = admitted * 100
    four: Caps = {
        ("user", "month"): Cap(micro=cap),
        ("tenant", "day"): Cap(micro=cap + 100),
        ("tenant", "month"): Cap(micro=cap),
        ("global", "day"): Cap(tokens=10 * admitted),
    }
    async with engine.begin() as conn:
        await conn.execute(
            text(
                "INSERT INTO deputize_ledger_scopes (key, tenant, scope, scope_id, period, starts) "
                "VALUES ('naive', 't', 'user', 'n', 'day', '2026-05-04')"
            )
        )
    jobs = itertools.count()

    async def ours() -> int:
        done = 0
        while next(jobs) < calls:
            done += await call(db, four, "load", 0.5)
        return done

    async def theirs() -> int:
        done = 0
        while next(jobs) < 2 * calls:
            done += await naive(db, cap)
        return done

    right = sum(await asyncio.gather(*(ours() for _ in range(64))))
    jobs = itertools.count(calls)
    wrong = sum(await asyncio.gather(*(theirs() for _ in range(64))))
    async with engine.begin() as conn:
        mine = holds(tenant="t", user="load", time_zone="Europe/Madrid", now=NOW, caps=four)
        over = [
            max(0, state.spent_micro - state.hold.cap_micro)
            for state in await usage.state(conn, "t", mine)
            if state.hold.cap_micro is not None
        ]
        held = sum(state.held_micro for state in await usage.state(conn, "t", mine))
    return {
        "calls wanted": calls,
        "calls that fit": admitted,
        "ours: admitted": right,
        "ours: overshoot in micro-dollars (goal 0)": max(over),
        "ours: still held (goal 0)": held,
        "naive: calls over the cap (expected 30 and more)": wrong - admitted,
    }


async def cost(engine: AsyncEngine, calls: int) -> dict[str, float]:
    db = door(engine)
    for _ in range(10):
        await call(db, {})
    anchor = await plain_commits(engine, calls * 2)
    begun, cpu = time.perf_counter(), time.process_time()
    for _ in range(calls):
        await call(db, {("user", "day"): Cap(micro=10**12)})
    wall, cpu = time.perf_counter() - begun, time.process_time() - cpu
    return {
        "two plain commits, ms": round(2000 / anchor, 2),
        "reserve, settle: ms a call": round(wall * 1000 / calls, 2),
        "CPU ms a call": round(cpu * 1000 / calls, 2),
        "ledger : two plain commits": round(wall / calls * anchor / 2, 2),
    }


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    found: dict[str, Any] = {}
    async with both() as kinds:
        for kind in kinds:
            async with database(kind) as engine, database(kind) as loaded:
                found[kind.name] = {**await cost(engine, chosen.calls), **await overshoot(loaded, 300)}
    answer = json.dumps(found, indent=2)
    print(answer)
    if chosen.json:
        chosen.json.write_text(answer + "\n")


if __name__ == "__main__":
    asyncio.run(main())
