"""Appends and verification beside their anchors of the same run: plain commit, single append, hash-and-parse loop.

Usage: `python -m bench.audit.measure [--appends 300] [--entries 1000000] [--json FILE]` from the repository's root.
Absolute figures move with the machine's load; the ratios are what is compared.
"""

import argparse
import asyncio
import hashlib
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.databases import both, database, door, p99, plain_commits
from deputize.core.chain import GENESIS, Draft, canonical, entry_hash, header, payload_hash
from deputize.core.merkle import Tree
from deputize.core.verify import Row, Verifier
from deputize.store import audit, audit_read
from deputize.store.appender import GroupAppender

DRAFT = Draft(
    "tool_executed",
    "7f3c9a52-user",
    {"tool": "search_patients", "outcome": "ok", "call": "0190c5a2-7b1c-7000-8000-000000000000", "digest": "f" * 64},
    run="0190c5a2-7b1c-7000-8000-000000000001",
)


async def single(engine: AsyncEngine, count: int) -> float:
    begun = time.perf_counter()
    for _ in range(count):
        async with engine.begin() as conn:
            await audit.append(conn, "single", [DRAFT], datetime.now(UTC))
    return count / (time.perf_counter() - begun)


async def writers(engine: AsyncEngine, tenants: int, callers: int, count: int, level: str | None = None) -> float:
    numbers, db = itertools.count(), door(engine)

    async def write() -> None:
        while (number := next(numbers)) < count:
            while True:
                if level is None:
                    async with db.write(f"w{number % tenants}", "append") as tx:
                        tx.note(DRAFT)
                    break
                try:
                    async with engine.connect() as conn:
                        await conn.execution_options(isolation_level=level)
                        await audit.append(conn, f"w{number % tenants}", [DRAFT], datetime.now(UTC))
                        await conn.commit()
                    break
                except DBAPIError as fault:
                    if "serialize" not in str(fault):
                        raise

    begun = time.perf_counter()
    await asyncio.gather(*(write() for _ in range(callers)))
    return count / (time.perf_counter() - begun)


async def grouped(engine: AsyncEngine, callers: int, count: int) -> tuple[float, float]:
    db = door(engine)
    appender = GroupAppender(db)
    waits: list[float] = []

    async def caller() -> None:
        for _ in range(count // callers):
            begun = time.perf_counter()
            await appender.append("group", DRAFT)
            waits.append(time.perf_counter() - begun)

    begun = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    rate = len(waits) / (time.perf_counter() - begun)
    await db.close()
    return rate, p99(waits) * 1000


async def appends(engine: AsyncEngine, count: int) -> dict[str, Any]:
    await single(engine, 20)
    await plain_commits(engine, 20)
    anchor, one = await plain_commits(engine, count), await single(engine, count)
    group, wait = await grouped(engine, 64, count * 20)
    grid = {
        f"{tenants} tenants, {callers} writers": round(await writers(engine, tenants, callers, count), 1)
        for tenants in (1, 64)
        for callers in (1, 4, 16)
    }
    if engine.dialect.name == "postgresql":
        for level in ("REPEATABLE READ", "SERIALIZABLE"):
            grid[f"1 tenant, 16 writers, {level}"] = round(await writers(engine, 1, 16, count // 3, level), 1)
    async with engine.connect() as conn:
        verdicts = {
            tenant: str(await audit_read.verify_database(conn, tenant)) for tenant in await audit_read.tenants(conn)
        }
    bad = [tenant for tenant, verdict in verdicts.items() if not verdict.startswith("verified")]
    hot = grid["1 tenants, 16 writers"] / grid["1 tenants, 1 writers"]
    return {
        "plain commits/s": round(anchor, 1),
        "appends/s": round(one, 1),
        "append : plain (goal 0.50)": round(one / anchor, 2),
        "group appends/s at 64 callers": round(group, 1),
        "group : single (goal 10)": round(group / one, 1),
        "group p99 ms (goal 50)": round(wait, 1),
        "hot tenant, 16 : 1 writers (goal 0.4)": round(hot, 2),
        "chains that do not verify (goal 0)": len(bad),
        **grid,
    }


def rows(count: int) -> Iterator[Row]:
    prev = GENESIS
    for seq in range(1, count + 1):
        salt, payload = seq.to_bytes(16, "big"), canonical(dict(DRAFT.payload))
        text = header(
            tenant="t", seq=seq, at=1_790_000_000_000_000, draft=DRAFT, payload=payload_hash(salt, payload), prev=prev
        )
        prev = entry_hash(text)
        yield Row(text.decode(), prev, payload.decode(), salt)


def verifying(count: int) -> dict[str, float]:
    sample = list(rows(count))
    best, anchor = 0.0, 0.0
    for _ in range(3):
        begun = time.process_time()
        verifier = Verifier("t")
        verifier._checkpoints = 1
        for row in sample:
            verifier.feed(row)
        assert verifier.finish().ok
        best = max(best, count / (time.process_time() - begun))
        begun = time.process_time()
        for row in sample:
            hashlib.sha256(row.header.encode()).hexdigest()
            hashlib.sha256((row.payload or "").encode()).hexdigest()
            json.loads(row.header)
        anchor = max(anchor, count / (time.process_time() - begun))
    tree, begun = Tree(), time.process_time()
    for row in sample:
        tree.append(bytes.fromhex(row.hash))
    return {
        "verified entries/s of CPU, tree included (goal 40000)": round(best),
        "anchor: sha256 + json loop/s": round(anchor),
        "verify : anchor": round(best / anchor, 2),
        "tree leaves/s": round(count / (time.process_time() - begun)),
    }


def resident(count: int) -> float:
    """Megabytes at most in use by a process that verifies `count` entries, from a generator."""
    code = f"import bench.audit.measure as m; print(m.stream({count}))"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def memory(name: str) -> float:
    """A figure of this process in megabytes, as the kernel has it (`VmRSS` now, `VmHWM` at most)."""
    lines = Path("/proc/self/status").read_text().split("\n")
    return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024


def stream(count: int) -> float:
    """Verify a chain of that length as it is made; how many megabytes the process grew by at most."""
    before = memory("VmRSS")
    verifier = Verifier("t")
    verifier._checkpoints = 1
    for row in rows(count):
        verifier.feed(row)
    assert verifier.finish().ok
    return round(memory("VmHWM") - before, 1)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--appends", type=int, default=300)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    found: dict[str, Any] = {"verify": verifying(30_000)}
    found["verify"][f"MB of growth over {chosen.entries} entries (goal 64)"] = resident(chosen.entries)
    async with both() as kinds:
        for kind in kinds:
            async with database(kind) as engine:
                found[kind.name] = await appends(engine, chosen.appends)
    text = json.dumps(found, indent=2)
    print(text)
    if chosen.json:
        chosen.json.write_text(text + "\n")


if __name__ == "__main__":
    asyncio.run(main())
