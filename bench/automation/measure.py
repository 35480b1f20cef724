"""Automations over worker processes: events a second, how fast the switch stops everything, memory of a worker.

Each worker is a process of its own over one database; its model is asked over HTTP on the loopback. With kills some
of them are SIGKILLed on the way and replaced; every event must be handled exactly once all the same. The anchor is
the plain one-row commit of the same run.

    .venv/bin/python bench/automation/run.py [--events 300] [--kills 0] [--slow 0] [--workers 1 2 4] [--flips 10]

`--slow 50` makes each 50th answer of the model take three seconds.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.databases import both, database, plain_commits
from deputize.engine import agents
from deputize.store.tables import outbox
from tests.crash.calling import calling_depot
from tests.crash.counting import Model, model
from tests.engine.depot import Advice, Depot

ROOT = Path(__file__).resolve().parent.parent.parent
LANES = 4
POLL_MS = 500
"""`AGENT_POLL_INTERVAL_MS`; its default is ten times as long."""


def address(engine: AsyncEngine) -> str:
    return engine.url.render_as_string(hide_password=False)


async def start(engine: AsyncEngine, url: str) -> Process:
    """One worker process that has begun."""
    command = [sys.executable, "-m", "tests.crash.calling", address(engine), url, str(POLL_MS), str(LANES)]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=PIPE)
    assert process.stdout is not None
    await process.stdout.readline()
    return process


def megabytes(process: Process) -> float:
    """Resident memory of the process now."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


async def waiting(engine: AsyncEngine) -> int:
    async with engine.connect() as conn:
        query = select(func.count()).select_from(outbox).where(outbox.c.status.in_(["pending", "running"]))
        return int(await conn.scalar(query) or 0)


async def through(engine: AsyncEngine, counted: Model, workers: int, events: int, kills: int) -> dict[str, Any]:
    """`events` through that many workers, `kills` of which die on the way."""
    depot, dice = await calling_depot(address(engine), counted.url, POLL_MS), random.Random(events)
    for n in range(events):
        await depot.ticket(str(n))
    marks = sorted(dice.sample(range(events // 10, events), kills), reverse=True)
    await agents.flip(depot.w, "north", "triage", False, by="bench")
    asked, working = counted.calls, [await start(engine, counted.url) for _ in range(workers)]
    await agents.flip(depot.w, "north", "triage", True, by="bench")
    begun = time.perf_counter()
    while (left := await waiting(engine)) > 0:
        if marks and left <= marks[0]:
            marks.pop(0)
            victim = working.pop(0)
            victim.kill()
            await victim.wait()
            working.append(await start(engine, counted.url))
        await asyncio.sleep(0.02)
    seconds = time.perf_counter() - begun
    memory = [megabytes(process) for process in working]
    await stop(working)
    handled = Counter(advice.ticket for advice in await depot.all(Advice))
    found = {
        "events": events,
        "events/s": round(events / seconds, 1),
        "kills": kills,
        "lost (goal 0)": events - len(handled),
        "doubled (goal 0)": sum(count - 1 for count in handled.values()),
        "model calls beyond one an event": counted.calls - asked - events,
        "MB a worker": round(max(memory), 1),
    }
    await close(depot)
    return found


async def stop(working: list[Process]) -> None:
    for process in working:
        process.terminate()
    for process in working:
        await process.wait()


async def close(depot: Depot) -> None:
    await depot.deputy.close()
    await depot.engine.dispose()


async def switch(engine: AsyncEngine, counted: Model, workers: int, flips: int) -> dict[str, Any]:
    """From the flip until the last stream of the last worker is closed, and until the flip itself has returned."""
    depot = await calling_depot(address(engine), counted.url, POLL_MS)
    for n in range(workers * LANES):
        await depot.ticket(str(n))
    counted.hold, stopped = True, []
    working = [await start(engine, counted.url) for _ in range(workers)]
    for _ in range(flips):
        await counted.until(workers * LANES)
        counted.left.clear()
        begun = time.monotonic()
        await agents.flip(depot.w, "north", "triage", False, by="bench")
        await counted.until(0)
        stopped.append(max(counted.left) - begun)
        await agents.flip(depot.w, "north", "triage", True, by="bench")
    await counted.until(workers * LANES)
    counted.hold = False
    for process in working:
        process.kill()
        await process.wait()
    await counted.until(0)
    await close(depot)
    stopped.sort()
    return {
        "workers": workers,
        "streams open": workers * LANES,
        "flips": flips,
        "all stopped after, ms: median": round(1000 * stopped[len(stopped) // 2]),
        "all stopped after, ms: worst": round(1000 * stopped[-1]),
        f"worst : poll interval of {POLL_MS} ms (goal <= 1)": round(1000 * stopped[-1] / POLL_MS, 2),
    }


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=300)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--slow", type=int, default=0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--flips", type=int, default=10)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    found: dict[str, Any] = {}
    async with both() as kinds, model() as counted:
        counted.slow_every = chosen.slow
        for kind in (one for one in kinds if chosen.only in (None, one.name)):
            rows: dict[str, Any] = {}
            async with database(kind) as engine:
                anchor = await plain_commits(engine, 300)
            rows["plain commits/s"] = round(anchor)
            for workers in chosen.workers:
                async with database(kind) as engine:
                    row = await through(engine, counted, workers, chosen.events, chosen.kills)
                rows[f"{workers} workers"] = {**row, "events : plain commits": round(row["events/s"] / anchor, 3)}
                print(kind.name, workers, json.dumps(rows[f"{workers} workers"]), flush=True)
            if chosen.flips:
                async with database(kind) as engine:
                    rows["switch"] = await switch(engine, counted, max(chosen.workers), chosen.flips)
                print(kind.name, "switch", json.dumps(rows["switch"]), flush=True)
            found[kind.name] = rows
    answer = json.dumps(found, indent=2)
    print(answer)
    if chosen.json:
        chosen.json.write_text(answer + "\n")


if __name__ == "__main__":
    asyncio.run(main())
