"""Reads the replay corpus: what vendors send, written down by us, and what must be understood."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deputize.core.provider import ProviderEvent
from deputize.providers.completions import ChatAssembly
from deputize.providers.lines import EventReader
from deputize.providers.messages import MessageAssembly
from deputize.providers.streaming import Assembly
from tests.providers.asked import Read

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True, slots=True)
class Case:
    """One file: `stream` as it is on the wire, `expect` as the last line says."""

    name: str
    wire: str
    rule: str
    stream: bytes
    expect: Mapping[str, Any]


def _bytes(line: Mapping[str, Any]) -> bytes:
    return str(line["raw"]).encode() if "raw" in line else f"data: {json.dumps(line['send'])}\n\n".encode()


def _case(path: Path) -> Case:
    head, *lines, last = (json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line)
    return Case(path.stem, head["wire"], head["rule"], b"".join(map(_bytes, lines)), last["expect"])


CASES = [_case(path) for path in sorted(CORPUS.glob("*.jsonl"))]


def assembly_of(wire: str) -> Assembly:
    """The state machine of a wire."""
    return ChatAssembly("here", {}) if wire == "openai" else MessageAssembly("here", {})


def replayed(wire: str, chunks: list[bytes]) -> Iterator[ProviderEvent]:
    """The events of a stream in these pieces, without any transport."""
    reader, assembly = EventReader(), assembly_of(wire)
    for chunk in chunks:
        for event in reader.feed(chunk):
            yield from assembly.take(event)
    for event in reader.close():
        yield from assembly.take(event)
    yield from assembly.close()


def check(read: Read, expect: Mapping[str, Any]) -> None:
    """Compare what was read with what the case expects."""
    assert read.text == expect.get("text", "")
    assert [[use.id, use.name, use.arguments] for use in read.calls] == expect.get("calls", [])
    assert read.reason == expect["reason"]
    assert bool(read.reasoned) == expect.get("reasoned", False)
    usage = read.usage
    counted = None if usage is None else [usage.input, usage.output, usage.cache_read, usage.cache_write]
    assert counted == expect.get("usage")
    extras: list[Any] = [next(iter(use.extra.values()), {}) for use in read.calls]
    assert extras == expect.get("extra", [{} for _ in read.calls])
    turn: Any = {} if read.done is None else next(iter(read.done.extra.values()), {})
    assert turn == expect.get("turn", {})
