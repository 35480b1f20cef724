"""Effects and passes a second with 1, 2 and 4 worker processes, beside DBOS Transact and Procrastinate.

`python bench/worker/run.py [--jobs N] [--workers 1,2,4] [--no-peers] [--short]`; the peers' environment is made at
first use. Rates count from the moment at which every process is at work; a peer's job is one durable step that writes
one line, ours is the outbox's effect with its chain entry, or a whole automation pass.
"""

import argparse
import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from sqlalchemy import URL  # noqa: E402 - the script is started by its path
from sqlalchemy.ext.asyncio import AsyncEngine  # noqa: E402 - as above

from bench.databases import both, database, plain_commits  # noqa: E402 - as above
from bench.peers import peers_python  # noqa: E402 - as above
from bench.worker import ours, sink  # noqa: E402 - as above
from tests.databases import Databases  # noqa: E402 - as above

HERE = Path(__file__).resolve().parent
RESULTS = ROOT / "bench" / "results" / "worker.json"
PEERS = {"sqlite": ("dbos",), "postgresql": ("dbos", "procrastinate")}
GOALS = {"sqlite": 50.0, "postgresql": 150.0}
"""Effects a second with two workers, on a quiet machine."""
STALLED = 240.0
"""Seconds without a line after which a measurement is given up."""


def plain_url(url: URL) -> str:
    """The address as the peers take it."""
    driver = "sqlite" if url.get_backend_name() == "sqlite" else "postgresql"
    return url.set(drivername=driver).render_as_string(hide_password=False)


async def timed(command: list[str], workers: int, jobs: int, into: Path) -> dict[str, Any]:
    """Start the workers, wait until everything has arrived, stop them; how fast it was."""
    working = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(workers)]
    try:
        seen, since = 0, time.monotonic()
        while seen < jobs and time.monotonic() - since < STALLED and all(one.poll() is None for one in working):
            await asyncio.sleep(0.05)
            now = len(sink.read(into))
            seen, since = now, (time.monotonic() if now > seen else since)
    finally:
        for one in working:
            one.send_signal(signal.SIGTERM)
    said = [await asyncio.to_thread(one.communicate) for one in working]
    arrived = sink.read(into)
    if len(arrived) < jobs:
        return {"error": f"{len(arrived)} of {jobs} arrived; {said[0][1].strip().splitlines()[-1:]}"}
    return {"rate": round(sink.rate(arrived), 1), "doubled": len(arrived) - jobs}


async def measure(databases: Databases, kind: str, workers: int, jobs: int) -> dict[str, Any]:
    """One line of the table: `effects` and `passes` are ours, anything else is a peer's name."""
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "sink"
        if kind in ("effects", "passes"):
            async with database(databases) as engine:
                address = engine.url.render_as_string(hide_password=False)
                await ours.fill(address, kind, jobs)
                return await timed([sys.executable, "-m", "bench.worker.ours", address, str(into)], workers, jobs, into)
        url = await databases.fresh("empty", _empty)
        command = [str(peers_python(HERE)), "-m", "bench.worker.peers", kind]
        filled = [*command, "fill", plain_url(url), str(into), str(jobs)]
        done = await asyncio.to_thread(subprocess.run, filled, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            return {"error": done.stderr.strip().split("\n")[-1][:200]}
        figures = await timed([*command, "work", plain_url(url), str(into), "0"], workers, jobs, into)
        await databases.drop(url)
        return figures


async def _empty(engine: AsyncEngine) -> None:
    """A database without anything; a first transaction makes SQLite's file."""
    async with engine.begin():
        pass


async def table(given: argparse.Namespace) -> list[dict[str, Any]]:
    """Every measurement, one after the other."""
    lines = []
    async with both() as all_databases:
        for databases in all_databases:
            async with database(databases) as engine:
                commits = round(await plain_commits(engine, 300), 1)
            kinds = ["effects", "passes", *(() if given.no_peers else PEERS[databases.name])]
            for kind in kinds:
                for workers in given.workers:
                    figures = await measure(databases, kind, workers, given.jobs)
                    row = {"database": databases.name, "kind": kind, "workers": workers, "commits": commits, **figures}
                    lines.append(row)
                    said = figures.get("error") or f"{figures['rate']:>9}{figures['rate'] / commits:>9.3f}"
                    print(f"{databases.name:<12}{kind:<16}{workers:>8}{commits:>10}{said}", flush=True)
    return lines


def verdicts(lines: list[dict[str, Any]]) -> list[str]:
    """Goals of a quiet machine, and the peers of the same run."""
    said = []
    for name, goal in GOALS.items():
        here = [row for row in lines if row["database"] == name and "rate" in row]
        seen = {(row["kind"], row["workers"]): row["rate"] for row in here}
        rate = seen.get(("effects", 2))
        if rate is None:
            continue
        said.append(f"{'met' if rate >= goal else 'MISSED'}: {name}, 2 workers, {rate} effects/s (goal {goal:g})")
        for peer in PEERS[name]:
            if (peer, 2) in seen:
                ratio = rate / seen[peer, 2]
                said.append(f"{'met' if ratio >= 1 else 'MISSED'}: {name}, {ratio:.2f} of {peer} (goal 1)")
    return said


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--workers", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2, 4])
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--short", action="store_true", help="200 jobs, two workers")
    given = parser.parse_args()
    if given.short:
        given.jobs, given.workers = 200, [2]
    print(f"{'database':<12}{'what':<16}{'workers':>8}{'commits/s':>10}{'a second':>9}{'of anchor':>10}")
    lines = asyncio.run(table(given))
    said = verdicts(lines)
    print("\n".join(said))
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps({"rows": lines, "verdicts": said}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
