"""Where effects arrive: a file with one line for each, by whom and when, and the rate that follows from it."""

import os
import time
from pathlib import Path


def line(sink: Path, key: str) -> None:
    """One effect has arrived now, sent by this process."""
    with sink.open("a") as file:
        file.write(f"{os.getpid()} {time.time():.6f} {key}\n")


def read(sink: Path) -> list[tuple[str, float]]:
    """By whom and when each arrived, in order of time."""
    if not sink.exists():
        return []
    lines = [text.split(" ", 2) for text in sink.read_text().splitlines()]
    return sorted(((who, float(when)) for who, when, _ in lines), key=lambda one: one[1])


def rate(arrived: list[tuple[str, float]]) -> float:
    """Effects a second from the moment at which every process was at work until the last one."""
    first: dict[str, float] = {}
    for who, when in arrived:
        first.setdefault(who, when)
    begun = max(first.values())
    counted = [when for _, when in arrived if when > begun]
    return len(counted) / (counted[-1] - begun) if len(counted) > 1 else 0.0
