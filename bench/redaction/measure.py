"""Measures redaction over the sets in a folder: `measure.py FOLDER [--ner] [--directory] [--misses KIND] [--set NAME]`.

The sets are JSON lines `{id, lang, text, spans: [[start, end, kind, label], …]}`. Measures: R is the share of
gold spans whose every letter and digit is covered by a find of any kind; P the share of finds that lie at least
half on gold; leak the share of texts with a missed PERSON, PHONE, EMAIL or ID; over the share of letters and
digits outside gold that are masked; throughput in characters per CPU second of one thread; p50 and p99 in ms.
"""

import argparse
import gc
import json
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from deputize.redaction.entities import EntityDetector
from deputize.redaction.known import Directory, DirectoryRow
from deputize.redaction.lexicon import sections
from deputize.redaction.redactor import Redactor
from deputize.redaction.spans import Span
from deputize.redaction.vault import Vault

LEAKS = ("PERSON", "PHONE", "EMAIL", "ID")


def load(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def strangers(count: int, seed: int = 7) -> Iterator[DirectoryRow]:
    """Made-up records whose names are drawn from the word lists of the package."""
    rng = random.Random(seed)
    pools = [(sorted(sections(name)["given"]), sorted(sections(name)["surname"])) for name in ("names_us", "names_es")]
    for number in range(count):
        given, surnames = pools[number % 2]
        name = f"{rng.choice(given).title()} {rng.choice(surnames).title()}"
        if number % 2:
            name += " " + rng.choice(surnames).title()
        phone = f"+346{rng.randrange(10**8):08d}" if number % 2 else f"+1212{rng.randrange(2_000_000, 9_999_999)}"
        values = (("NAME", name), ("PHONE", phone), ("EMAIL", f"p{number}@example.org"))
        yield DirectoryRow("patient", f"stranger-{number}", values)


def named(docs: Sequence[dict[str, Any]], share: float, seed: int = 11) -> Iterator[DirectoryRow]:
    """Records of that share of the people named in a set, with the names, phones and mails beside them."""
    rng = random.Random(seed)
    kinds = {"PERSON": "NAME", "PHONE": "PHONE", "EMAIL": "EMAIL", "ID": "ID"}
    for doc in docs:
        for index, (start, end, kind, _) in enumerate(doc["spans"]):
            if kind in kinds and rng.random() < share:
                yield DirectoryRow("patient", f"{doc['id']}-{index}", ((kinds[kind], doc["text"][start:end]),))


class Remembering:
    """Answers a repeated question from memory: each text is read by the model once, in the timed call."""

    multilingual = True

    def __init__(self, detector: EntityDetector) -> None:
        self._detector, self._answers = detector, dict[str, list[Span]]()

    def find(self, text: str, language: str) -> list[Span]:
        if text not in self._answers:
            self._answers = {text: self._detector.find(text, language)}
        return list(self._answers[text])


def redacted_spans(redactor: Redactor, text: str) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.kind) for span in redactor.spans(text)]


def _speed(times: list[float], chars: int) -> dict[str, float]:
    """Characters for each second of CPU, and milliseconds for each document."""
    ordered = sorted(times)
    return {
        "chars_per_s": round(chars / max(1e-9, sum(ordered))),
        "p50_ms": round(statistics.median(ordered) * 1000, 2),
        "p99_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1000, 2),
    }


Found = list[tuple[int, int, str]]
Reader = Callable[[dict[str, Any]], tuple[Found, float]]
"""Takes a document; gives what it would mask and the CPU seconds that it took."""


def ours(directory: Directory | None, detectors: list[EntityDetector]) -> Reader:
    """Our redactor, with a new vault for each document."""

    def read(doc: dict[str, Any]) -> tuple[Found, float]:
        redactor = Redactor(Vault(b"bench-secret-0123", kinds=("patient",)), directory, detectors, (doc["lang"],))
        before = time.process_time()
        redactor.text(doc["text"])
        spent = time.process_time() - before
        return redacted_spans(redactor, doc["text"]), spent

    return read


def measure(docs: Sequence[dict[str, Any]], reader: Reader) -> dict[str, Any]:
    """Every measure of a reader over one set."""
    total: Counter[str] = Counter()
    gold, covered = Counter(), Counter()
    misses: dict[str, list[str]] = defaultdict(list)
    times = []
    person = Counter()
    for doc in docs:
        text = doc["text"]
        found, spent = reader(doc)
        times.append(spent)
        masked = set().union(*(range(start, end) for start, end, _ in found)) if found else set()
        on_gold: set[int] = set()
        leaked = False
        for start, end, kind, label in doc["spans"]:
            on_gold.update(range(start, end))
            if kind == "NEUTRAL":
                continue
            gold[kind] += 1
            if all(not text[at].isalnum() or at in masked for at in range(start, end)):
                covered[kind] += 1
            else:
                misses[kind].append(
                    f"{label}: …{text[max(0, start - 30) : start]}[{text[start:end]}]{text[end : end + 20]}…"
                )
                leaked |= kind in LEAKS
        total["leak"] += leaked
        for start, end, kind in found:
            hit = sum(at in on_gold for at in range(start, end)) * 2 >= end - start
            total["finds"] += 1
            total["right"] += hit
            if kind in ("PERSON", "NAME"):
                person["finds"] += 1
                person["right"] += hit
            if not hit:
                misses["FALSE"].append(
                    f"{kind}: …{text[max(0, start - 25) : start]}[{text[start:end]}]{text[end : end + 20]}…"
                )
        outside = [at for at, char in enumerate(text) if char.isalnum() and at not in on_gold]
        total["outside"] += len(outside)
        total["over"] += sum(at in masked for at in outside)
        total["chars"] += len(text)
    recall = {kind: round(covered[kind] / count, 3) for kind, count in sorted(gold.items())}
    precision = total["right"] / max(1, total["finds"])
    overall = sum(covered.values()) / max(1, sum(gold.values()))
    return {
        "docs": len(docs),
        "leak": round(total["leak"] / len(docs), 3),
        "R": recall,
        "P": round(precision, 3),
        "P_person": round(person["right"] / max(1, person["finds"]), 3),
        "F2": round(5 * precision * overall / max(1e-9, 4 * precision + overall), 3),
        "over": round(total["over"] / max(1, total["outside"]), 4),
        **_speed(times, total["chars"]),
        "misses": misses,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ner", action="store_true", help="with the entity model")
    parser.add_argument("--directory", action="store_true", help="20,000 strangers and 95 %% of the named people")
    parser.add_argument("--misses", metavar="KIND", help="print what was missed of a kind, or FALSE for wrong finds")
    parser.add_argument("--set", dest="only", help="one set alone")
    options = parser.parse_args()
    detectors: list[EntityDetector] = []
    if options.ner:
        from deputize.redaction.rampart import Rampart

        detectors.append(Remembering(Rampart()))
    crowd = list(strangers(20_000)) if options.directory else []
    Redactor(Vault(b"bench-secret-0123"), None, detectors).text("Ana Ruiz")
    gc.freeze()
    for path in sorted(options.folder.glob("*.jsonl")):
        if options.only and options.only not in path.name:
            continue
        docs = load(path)
        directory = Directory.build([*crowd, *named(docs, 0.95)]) if options.directory else None
        result = measure(docs, ours(directory, detectors))
        misses = result.pop("misses")
        print(path.stem, json.dumps(result))
        for line in misses.get(options.misses or "", ()):
            print("   ", line.replace("\n", "⏎"))


if __name__ == "__main__":
    main()
