"""Measures the directory (build, memory, search), the restorer and the vault: `speed.py [PEOPLE]`."""

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable

from measure import strangers

from deputize.redaction.known import Directory
from deputize.redaction.lexicon import listed
from deputize.redaction.restore import StreamRestorer
from deputize.redaction.vault import Vault


def seconds(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def main(people: int) -> None:
    listed()
    rows = list(strangers(people))
    spent = seconds(lambda: Directory.build(rows))
    gc.collect()
    tracemalloc.start()
    directory = Directory.build(rows)
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    print(f"directory of {people:,}: built in {spent:.2f} s, {size / 1e6:.1f} MB")
    prose = (
        "The valve in room five leaks again, please look at it before noon and tell the tenant. "
        "Mueve la limpieza del martes al jueves a las cuatro y avisa por correo si no hay hueco libre esta semana. "
    ) * 2000
    print(f"  find in prose: {len(prose) / seconds(lambda: directory.find(prose)):,.0f} characters/s")
    named = " ".join(f"Call {dict(row.values)['NAME']} about the invoice." for row in rows[:4000])
    print(f"  find in names: {len(named) / seconds(lambda: directory.find(named)):,.0f} characters/s")
    vault = Vault(b"bench-secret-0123", kinds=("patient",))
    token = vault.token_for("NAME", "Ana Ruiz", "patient:1")
    deltas = ["The ", "visit ", "of ", token[:3], token[3:], " is ", "at ", "ten", ". ", "Please "] * 5000
    stream = StreamRestorer(vault)
    spent = seconds(lambda: [stream.feed(delta) for delta in deltas])
    print(f"restorer: {spent / len(deltas) * 1e6:.1f} µs a delta")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
