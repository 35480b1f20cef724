"""Measure one variant in a process of its own and print the figures as one line of JSON.

`python -m bench.turns.measure MODULE VARIANT BASE --turns 100 --warm 20`
"""

import argparse
import asyncio
import gc
import importlib
import json
import resource
import statistics
import tempfile
import time
from pathlib import Path

from bench.turns.model_server import answer_text
from bench.turns.task import Turn, Variant


async def run(turn: Turn, numbers: range, expected: str) -> list[float]:
    """Wall seconds of each turn; raises where a variant did not show the whole answer."""
    took = []
    for number in numbers:
        begun = time.perf_counter()
        text = await turn(number)
        took.append(time.perf_counter() - begun)
        if text != expected:
            raise RuntimeError(f"turn {number} showed {len(text)} characters of {len(expected)}")
    return took


async def measure(variant: Variant, base: str, turns: int, warm: int, expected: str) -> dict[str, float]:
    """CPU (this process, its threads included), median and 99th percentile in milliseconds, peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        async with variant(base, Path(folder)) as turn:
            await run(turn, range(warm), expected)
            gc.collect()
            before = time.process_time()
            took = await run(turn, range(warm, warm + turns), expected)
            spent = time.process_time() - before
    ordered = sorted(took)
    return {
        "cpu_ms": round(spent / turns * 1000, 2),
        "p50_ms": round(statistics.median(took) * 1000, 2),
        "p99_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1000, 2),
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("variant")
    parser.add_argument("base")
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--warm", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=200)
    given = parser.parse_args()
    variants: dict[str, Variant] = importlib.import_module(f"bench.turns.{given.module}").VARIANTS
    figures = measure(variants[given.variant], given.base, given.turns, given.warm, answer_text(given.tokens))
    print(json.dumps(asyncio.run(figures)))


if __name__ == "__main__":
    main()
