"""Runs `bench.preview.measure` from the repository's root and keeps its figures in bench/results/preview.json."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "bench" / "results" / "preview.json"

if __name__ == "__main__":
    RESULTS.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "bench.preview.measure", "--json", str(RESULTS), *sys.argv[1:]]
    sys.exit(subprocess.run(command, check=False, cwd=ROOT).returncode)
