"""Runs `bench.ledger.measure` from the repository's root and keeps its figures in bench/results/ledger.json."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "bench" / "results" / "ledger.json"

if __name__ == "__main__":
    RESULTS.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "bench.ledger.measure", "--json", str(RESULTS), *sys.argv[1:]]
    sys.exit(subprocess.run(command, check=False, cwd=ROOT).returncode)
