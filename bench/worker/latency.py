"""How long a decision takes until it is executed, and a kill switch flipped elsewhere until a stream is cut.

`python bench/worker/latency.py [--times N]`; writes bench/results/worker_latency.json. The switch is measured with the
bell (LISTEN on PostgreSQL, `PRAGMA data_version` on SQLite) and without it, by polling alone.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from bench.databases import both, database, p99  # noqa: E402 - the script is started by its path
from deputize.core.clock import SystemClock  # noqa: E402 - as above
from deputize.core.provider import ModelRequest, ProviderEvent, TextDelta  # noqa: E402 - as above
from deputize.engine import agents, runs, watching  # noqa: E402 - as above
from deputize.engine.hub import Hub  # noqa: E402 - as above
from deputize.store.bell import Bell  # noqa: E402 - as above
from deputize.testing.scripted import ScriptedProvider, calls, says  # noqa: E402 - as above
from tests.engine.desk import ANA, EVA, Desk, make_desk  # noqa: E402 - as above

RESULTS = ROOT / "bench" / "results" / "worker_latency.json"
GOALS = {("postgresql", "bell"): 100.0, ("sqlite", "bell"): 250.0, ("postgresql", "polling"): 1200.0}
"""Milliseconds, p99, from the switch's commit to the cut stream, on a quiet machine."""


class Endless(ScriptedProvider):
    """Speaks until it is cut."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.cut = asyncio.Event(), asyncio.Event()
        self.at = 0.0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        try:
            yield TextDelta("word ")
            self.begun.set()
            await asyncio.Event().wait()
        finally:
            self.at = time.perf_counter()
            self.cut.set()


def figures(seconds: list[float]) -> dict[str, float]:
    """Milliseconds."""
    ordered = sorted(seconds)
    return {"p50_ms": round(ordered[len(ordered) // 2] * 1000, 1), "p99_ms": round(p99(seconds) * 1000, 1)}


async def decisions(desk: Desk, times: int) -> dict[str, float]:
    """From the person's word to the committed write and the answer."""
    took = []
    assert isinstance(desk.provider, ScriptedProvider)
    for n in range(times):
        conversation = await desk.open(EVA)
        desk.provider.then(
            calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": f"t{n}"})), says("Done.")
        )
        told = await desk.say(EVA, conversation, "a task")
        begun = time.perf_counter()
        done = await desk.decide(EVA, told.card, True)
        took.append(time.perf_counter() - begun)
        assert done.outcome == "ok"
        await desk.read(EVA, told.run_id, told.last)
    return figures(took)


async def polling(desk: Desk) -> None:
    """The watch without a bell; each of its spells ends after a while, to try for one."""
    while True:
        await watching._watch(desk.w, Bell(hung=False), watching.EVERY)


async def switches(desk: Desk, provider: Endless, times: int, *, bell: bool) -> dict[str, float]:
    """From the commit of a switch on one process to the cut stream on another."""
    other = replace(desk.w, process="another", hub=Hub())
    watching_task = asyncio.create_task(watching.keep_watching(desk.w) if bell else polling(desk))
    took = []
    for n in range(times):
        provider.begun.clear()
        provider.cut.clear()
        conversation = await desk.open(EVA)
        run_id = await runs.start(desk.w, EVA, conversation, "hello", None, None)
        driver = desk.w.hub.tasks[run_id]
        await provider.begun.wait()
        await asyncio.sleep(0.037 * (n % 14))
        committed = 0.0

        def after(label: str) -> None:
            nonlocal committed
            committed = time.perf_counter() if label == "switch" else committed

        desk.w.db.after_commit = after
        await agents.flip(other, "*", "*", False, by="ops")
        await provider.cut.wait()
        took.append(provider.at - committed)
        await driver
        await agents.flip(other, "*", "*", True, by="ops")
    watching_task.cancel()
    await asyncio.gather(watching_task, return_exceptions=True)
    return figures(took)


def told(row: dict[str, Any]) -> dict[str, Any]:
    """A line as soon as it is measured, with its goal where there is one."""
    goal = GOALS.get((row["database"], row["what"]))
    said = "" if goal is None else f"  {'met' if row['p99_ms'] <= goal else 'MISSED'} (goal {goal:g})"
    print(f"{row['database']:<12}{row['what']:<12}{row['p50_ms']:>9}{row['p99_ms']:>9}{said}", flush=True)
    return row


async def table(times: int) -> list[dict[str, Any]]:
    """Every measurement, one after the other."""
    rows: list[dict[str, Any]] = []
    async with both() as all_databases:
        for databases in all_databases:
            async with database(databases) as engine:
                desk = await make_desk(engine, SystemClock())  # type: ignore[arg-type]  # any clock will do
                rows.append(told({"database": databases.name, "what": "decided", **await decisions(desk, times)}))
                await desk.deputy.close()
            for way in ("bell", "polling"):
                async with database(databases) as engine:
                    provider = Endless()
                    desk = await make_desk(engine, SystemClock(), provider=provider)  # type: ignore[arg-type]  # as above
                    seen = await switches(desk, provider, times, bell=way == "bell")
                    rows.append(told({"database": databases.name, "what": way, **seen}))
                    await desk.deputy.close()
    return rows


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=100)
    times = parser.parse_args().times
    print(f"{'database':<12}{'what':<12}{'p50 ms':>9}{'p99 ms':>9}")
    rows = asyncio.run(table(times))
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
