"""What watching a handler costs: the same writes bare and watched, for 1, 10 and 200 rows, on both databases.

Usage: `python -m bench.preview.run [--runs 40]` from the repository's root; `--runs 8` is the short mode. Each run
opens a transaction, lets the handler insert or update that many rows through the ORM, and rolls back (the preview)
or commits (the execution); the bare variant does this in a savepoint without watching. Times are wall-clock
milliseconds; the ratio is what holds over machines.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.tool import Context, Tool
from deputize.engine.escape import guarded
from deputize.engine.wiring import Wiring
from deputize.store.session import Undo
from tests.databases import Databases, SqliteFiles, connect
from tests.engine.shop import ACTOR, ANA, LINES, NOW, Anything, Done, Line, Order, dry, made, opened, real, wiring
from tests.postgresql import server

ROWS = (1, 10, 200)


def updates(count: int) -> Tool:
    async def change(ctx: Any, args: Anything) -> Done:
        for line in await ctx.session.scalars(select(Line).where(Line.sku == "bulk").limit(count)):
            line.amount += 1
        return Done()

    return made(change)


def inserts(count: int) -> Tool:
    async def add(ctx: Any, args: Anything) -> Done:
        ctx.session.add_all([Order(tenant="north", customer_id=ANA, note=str(n)) for n in range(count)])
        return Done()

    return made(add)


async def bare(w: Wiring, it: Tool, *, commits: bool = False) -> None:
    async with w.db.write(ACTOR.tenant, "bare") as tx:
        async with tx.conn.begin_nested():
            session = w.db.host(tx.conn, ACTOR)
            await it.handler(Context(session=session, actor=ACTOR, now=NOW), Anything())
            await session.commit()
            await session.close()
        if not commits:
            raise Undo


async def bare_commit(w: Wiring, it: Tool) -> None:
    await bare(w, it, commits=True)


async def watched(w: Wiring, it: Tool) -> None:
    await dry(w, it)


async def executed(w: Wiring, it: Tool) -> None:
    await real(w, it)


STAGES = (("preview", bare, watched), ("execution", bare_commit, executed))
"""What is timed, the service's bare call in the same kind of transaction, and ours."""


async def timed(run: Callable[[Wiring, Tool], Awaitable[None]], w: Wiring, it: Tool, runs: int) -> list[float]:
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        await run(w, it)
        taken.append((time.perf_counter() - start) * 1000)
    return taken


def summary(taken: list[float]) -> dict[str, float]:
    ordered = sorted(taken)
    return {
        "p50": round(statistics.median(ordered), 2),
        "p99": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], 2),
    }


async def measure(databases: Databases, runs: int) -> list[dict[str, Any]]:
    async def prepare(engine: AsyncEngine) -> None:
        await opened(engine)
        async with engine.begin() as conn:
            await conn.execute(insert(Line), [{"order_id": 1, "sku": "bulk", "amount": n} for n in range(LINES)])

    url = await databases.fresh("preview", prepare)
    engine = connect(url)
    w = wiring(engine)
    found = []
    for kind, make in (("insert", inserts), ("update", updates)):
        for rows in ROWS:
            it = make(rows)
            for stage, alone, ours in STAGES:
                for run in (alone, ours):
                    await timed(run, w, it, 3)
                plain = summary(await timed(alone, w, it, runs))
                seen = summary(await timed(ours, w, it, runs))
                found.append(
                    {
                        "database": databases.name,
                        "stage": stage,
                        "what": kind,
                        "rows": rows,
                        "bare": plain,
                        "watched": seen,
                        "ratio": round(seen["p50"] / plain["p50"], 2),
                    }
                )
    await w.db.close()
    await engine.dispose()
    await databases.drop(url)
    return found


async def guard_cost(times: int = 20_000) -> float:
    """Microseconds that a guarded block costs."""
    start = time.perf_counter()
    for _ in range(times):
        with guarded():
            pass
    return round((time.perf_counter() - start) / times * 1e6, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(SqliteFiles(Path(folder)), options.runs))
    with server() as databases:
        found += asyncio.run(measure(databases, options.runs))
    guard = asyncio.run(guard_cost())
    head = f"{'database':<12}{'stage':<11}{'what':<8}{'rows':>5}{'bare p50':>10}{'p99':>9}"
    print(f"{head}{'watched p50':>13}{'p99':>9}{'ratio':>7}")
    for line in found:
        print(
            f"{line['database']:<12}{line['stage']:<11}{line['what']:<8}{line['rows']:>5}"
            f"{line['bare']['p50']:>10}{line['bare']['p99']:>9}"
            f"{line['watched']['p50']:>13}{line['watched']['p99']:>9}{line['ratio']:>7}"
        )
    print(f"guard against escapes: {guard} µs a block")
    if options.json:
        options.json.write_text(json.dumps({"preview": found, "guard_us": guard}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
