"""Measure every variant in turn against one loopback model, print the table, and hold the goals to it.

`python bench/turns/run.py [--turns N] [--no-peers]`; the peers' environment is made at first use.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.peers import peers_python  # noqa: E402 - the script is started by its path

HERE = Path(__file__).resolve().parent
RESULTS = ROOT / "bench" / "results" / "turns.json"
OURS = [
    ("variants_raw", "raw"),
    ("variants_deputize", "deputize, SQLite"),
    ("variants_deputize", "deputize, PostgreSQL"),
]
CPU_MS = {"deputize, SQLite": 30.0, "deputize, PostgreSQL": 40.0}
KEPT = ("openai-agents, SQLite session", "langgraph, SQLite", "pydantic-ai, history kept")
"""The peers' variants that keep what happened, as ours always does."""


@contextmanager
def model(tokens: int) -> Iterator[str]:
    """The stand-in in a process of its own; its base address."""
    command = [sys.executable, "-m", "bench.turns.model_server", "--tokens", str(tokens)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        port = (process.stdout.readline() if process.stdout else "").strip()
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


def one(python: Path | str, module: str, variant: str, base: str, given: argparse.Namespace) -> dict[str, Any]:
    """Figures of one variant, or its error."""
    sizes = ["--turns", str(given.turns), "--warm", str(given.warm), "--tokens", str(given.tokens)]
    command = [str(python), "-m", "bench.turns.measure", module, variant, base, *sizes]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        return {"variant": variant, "error": done.stderr.strip().split("\n")[-1][:200]}
    return {"variant": variant, **json.loads(done.stdout.strip().split("\n")[-1])}


def peer_variants(python: Path) -> list[str]:
    """The names of the peers' variants that can run there."""
    program = "import json; from bench.turns.variants_peers import VARIANTS; print(json.dumps(list(VARIANTS)))"
    done = subprocess.run([str(python), "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    names: list[str] = json.loads(done.stdout)
    return names


def verdicts(rows: list[dict[str, Any]]) -> list[str]:
    """Each goal with what was seen; absolute figures hold on a quiet machine, ratios in every run."""
    cpu = {row["variant"]: row["cpu_ms"] for row in rows if "cpu_ms" in row}
    said = [
        f"{'met' if cpu[name] <= goal else 'MISSED'}: {name} {cpu[name]} ms CPU a turn (goal {goal:g})"
        for name, goal in CPU_MS.items()
        if name in cpu
    ]
    kept = [cpu[name] for name in KEPT if name in cpu]
    if kept and "deputize, SQLite" in cpu:
        ratio = cpu["deputize, SQLite"] / min(kept)
        said.append(f"{'met' if ratio <= 1 / 3 else 'MISSED'}: {ratio:.2f} of the best peer that keeps (goal 0.33)")
    return said


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--warm", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--no-peers", action="store_true")
    given = parser.parse_args()
    with model(given.tokens) as base:
        rows = [one(sys.executable, module, variant, base, given) for module, variant in OURS]
        if not given.no_peers:
            python = peers_python(HERE)
            rows += [one(python, "variants_peers", name, base, given) for name in peer_variants(python)]
    print(f"{'variant':<32}{'CPU ms':>9}{'p50 ms':>9}{'p99 ms':>9}{'RSS MB':>9}")
    for row in rows:
        figures = "".join(f"{row[key]:>9}" for key in ("cpu_ms", "p50_ms", "p99_ms", "rss_mb") if key in row)
        print(f"{row['variant']:<32}{figures or '  ' + row['error']}")
    said = verdicts(rows)
    print("\n".join(said))
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps({"rows": rows, "verdicts": said}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
