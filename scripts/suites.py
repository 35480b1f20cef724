"""Run the stages of `make check`, `test` and the rest; all run, and any failure is the exit code.

The tests come last, so that the closing line of the output is pytest's own.
"""

import compileall
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
COVERED = ["core", "policy", "redaction"]
"""Suites whose layers are to be covered branch by branch by their own tests; the floor rises until it is 100."""

QUICK = ["core", "policy", "redaction", "store", "engine", "providers", "cli", "house"]
"""Suites of `make check`: the layers on SQLite, the wires, the house rules; hosts, faces, crashes, attacks are CI's."""
TUTORIAL = "tests/house/test_readme.py::test_the_tutorials_program_runs_from_check_to_an_approved_change"
UNHURRIED = ["tests/providers/offline", "tests/store/test_ledger_processes.py", TUTORIAL]
"""Left out of them all the same: whole conversations, processes that are killed, a tutorial that is followed."""

Stage = tuple[str, list[list[str]], str]
"""A name, its commands, and the folder to run them in."""


def program(name: str, *arguments: str) -> list[str]:
    """A command of the environment that runs this script."""
    return [str(BIN / name), *arguments]


def pytest(*arguments: str) -> list[str]:
    """pytest as a command of two processes; a file's tests stay together, so that its server is shared.

    On shared machines a failed test is tried once more, and every test that needed it is named in the summary.
    """
    again = ["--reruns", "1", "-rR"] if os.environ.get("CI") else []
    return [sys.executable, "-m", "pytest", "--quiet", "-n", "2", "--dist", "loadfile", *again, *arguments]


def coverage() -> Stage:
    """Own tests of the pure layers under branch coverage, started before anything of ours is imported."""
    suites = [f"tests/{name}" for name in COVERED if (ROOT / "tests" / name).is_dir()]
    layers = ",".join(f"deputize.{Path(suite).name}" for suite in suites)
    run = [
        "-m",
        "coverage",
        "run",
        "--branch",
        f"--source={layers}",
        "-m",
        "pytest",
        "--quiet",
        "-m",
        "not long",
        *suites,
    ]
    report = ["-m", "coverage", "report", "--show-missing", "--skip-covered", "--fail-under=99"]
    return "coverage", [[sys.executable, *run], [sys.executable, *report]], "."


def lint() -> Stage:
    """Style, format, types and the import contract."""
    commands = [
        program("ruff", "check", "--quiet", "."),
        program("ruff", "format", "--quiet", "--check", "."),
        program("mypy", "--no-error-summary"),
        program("lint-imports", "--no-cache", "--no-logo"),
    ]
    return "lint", commands, "."


def web(*scripts: str) -> Stage:
    """The front end's own checks and tests."""
    return "web", [["npm", "run", "--silent", script] for script in scripts], "web"


def quick_paths() -> list[str]:
    """What of the tests the quick look takes, as pytest's arguments."""
    suites = [f"tests/{name}" for name in QUICK if (ROOT / "tests" / name).is_dir()]
    return [*suites, *(f"--deselect={path}" for path in UNHURRIED)]


def stages(what: str) -> list[Stage]:
    """The stages of a target, in order."""
    quick = "not browser and not postgresql and not long"
    plans: dict[str, list[Stage]] = {
        "lint": [lint()],
        "coverage": [coverage()],
        "check": [lint(), web("check"), ("tests", [pytest("-m", quick, *quick_paths())], ".")],
        "test": [
            lint(),
            web("check", "test"),
            ("tests", [pytest("-m", "not long", "--durations", "10")], "."),
        ],
        "long": [("tests", [pytest("-m", "long", "--timeout", "3600", "--durations", "10")], ".")],
    }
    return plans[what]


def run(stage: Stage) -> tuple[float, bool]:
    """Seconds that the stage took, and whether every command of it succeeded."""
    _, commands, folder = stage
    begun = time.monotonic()
    codes = [subprocess.run(command, cwd=ROOT / folder, check=False).returncode for command in commands]
    return time.monotonic() - begun, not any(codes)


def main(what: str) -> int:
    """0 where every stage succeeded; 1 otherwise, and the failed ones are named on stderr.

    Sources are compiled first: child processes start many times, also where Python is told to write no bytecode.
    """
    os.environ["PATH"] = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    for folder in ("src", "tests"):
        compileall.compile_dir(ROOT / folder, quiet=2)
    failed = []
    for stage in stages(what):
        print(f"== {stage[0]}", flush=True)
        seconds, good = run(stage)
        if stage[0] != "tests":
            print(f"== {stage[0]}: {'ok' if good else 'FAILED'} in {seconds:.1f} s", flush=True)
        if not good:
            failed.append(stage[0])
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
