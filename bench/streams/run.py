"""Measure waiting and talking streams of one served process beside a plain StreamingResponse, and print the table.

`python bench/streams/run.py [--short] [--talking 500]`. Goals: 75 kB for each of 500 waiting streams and 140 MB in all;
with 1,000 streams of 20 events a second a 99th percentile of the gaps of 60 ms; both on a quiet machine. Where a
process cannot hold so many its readers are turned away and come back, so `--talking` says how many are asked for.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from bench.streams.clients import many  # noqa: E402 - the repository's root is found first

RESULTS = ROOT / "bench" / "results" / "streams.json"
PAGE = os.sysconf("SC_PAGE_SIZE")


@contextmanager
def process(kind: str, rate: float) -> Iterator[tuple[int, int]]:
    """Port and process id of a fresh server."""
    environment = {**os.environ, "RATE": str(rate), "AI_ENTITY_MODEL": "off"}
    command = [sys.executable, "-m", "bench.streams.app", kind]
    child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        yield int(child.stdout.readline() if child.stdout else "0"), child.pid
    finally:
        child.kill()
        child.wait()


def resident(pid: int) -> int:
    """Bytes of memory that the process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


def used(pid: int) -> float:
    """Seconds of CPU that the process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def waiting(kind: str, count: int) -> dict[str, Any]:
    """What each of so many streams costs that have said one word and wait; ten opened before are not counted."""
    with process(kind, 0) as (port, pid):
        warm = await many(port, 10)
        before = resident(pid)
        streams = await many(port, count, first=len(warm))
        after = resident(pid)
        for one in [*warm, *streams]:
            one.writer.close()
    return {
        "kind": kind,
        "streams": count,
        "kB each": round((after - before) / count / 1000, 1),
        "MB in all": round(after / 1e6, 1),
        "MB before": round(before / 1e6, 1),
    }


async def talking(kind: str, count: int, rate: float, seconds: float) -> dict[str, Any]:
    """Gaps between the events of so many streams at once, and the CPU time of each event."""
    with process(kind, rate) as (port, pid):
        streams = await many(port, count)
        await asyncio.gather(*(one.listen(time.perf_counter() + 2) for one in streams))  # what came while others opened
        cpu, begun = used(pid), time.perf_counter()
        for one in streams:
            one.last, one.gaps, one.events = begun, [], 0
        await asyncio.gather(*(one.listen(begun + seconds) for one in streams))
        took, spent = time.perf_counter() - begun, used(pid) - cpu
        for one in streams:
            one.writer.close()
    gaps = sorted(gap for one in streams for gap in one.gaps[1:])
    events = sum(one.events for one in streams)
    return {
        "kind": kind,
        "streams": count,
        "events/s": round(events / took),
        "of wanted": round(events / took / (count * rate), 2),
        "p50 gap ms": round(gaps[len(gaps) // 2] * 1000, 1) if gaps else None,
        "p99 gap ms": round(gaps[int(len(gaps) * 0.99)] * 1000, 1) if gaps else None,
        "CPU us/event": round(spent / max(events, 1) * 1e6, 1),
    }


def table(rows: list[dict[str, Any]]) -> None:
    """The rows, and the ratio of ours to the anchor in each figure."""
    names = list(rows[0])
    by = {row["kind"]: row for row in rows}
    ratio = {"kind": "ratio"}
    for name in names[1:]:
        ours, anchor = by["deputize"][name], by["plain"][name]
        ratio[name] = f"{ours / anchor:.2f}" if ours and anchor else "-"
    print("".join(f"{name:>14}" for name in names))
    for row in [*rows, ratio]:
        print("".join(f"{row[name]!s:>14}" for name in names))
    print()


def main() -> None:
    """Both measures, the anchor first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="50 waiting and 100 talking streams")
    parser.add_argument("--talking", type=int, default=1000)
    given = parser.parse_args()
    short = given.short
    wait, talk, rate, seconds = (50, 100, 10.0, 4.0) if short else (500, given.talking, 20.0, 15.0)
    quiet = [asyncio.run(waiting(kind, wait)) for kind in ("plain", "deputize")]
    table(quiet)
    busy = [asyncio.run(talking(kind, talk, rate, seconds)) for kind in ("plain", "deputize")]
    table(busy)
    RESULTS.parent.mkdir(exist_ok=True)
    kept = {"short": short, "waiting": quiet, "talking": busy, "load": os.getloadavg()[0]}
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
