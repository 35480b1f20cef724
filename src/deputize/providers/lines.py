"""Reads server-sent events from raw bytes, however they were cut, and gives the JSON of each.

Source: the WHATWG rules for event streams; field cases E2, E5; contract PROV-3. Only LF, CRLF and CR end a
line. A vendor that leaves the blank line between two events out is understood as well.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

DONE = b"[DONE]"
BOM = b"\xef\xbb\xbf"


class Malformed(Exception):
    """The endpoint sent what no rule can read; the text says nothing of what it was."""


def parse_object(data: bytes) -> dict[str, Any]:
    """Read one JSON object. Raises Malformed."""
    try:
        value = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Malformed("the data of an event is not JSON") from None
    if not isinstance(value, dict):
        raise Malformed("the data of an event is not a JSON object")
    return value


class LineSplitter:
    """Cuts bytes into lines; a CR that ends a chunk may be the first half of a CRLF."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._after_cr = False
        self._first = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines which this chunk completes, without their ends."""
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        last = lines.pop()
        if lines and self._rest:
            lines[0] = b"".join((*self._rest, lines[0]))
            self._rest = []
        if last:
            self._rest.append(last)
        if self._first and lines:
            self._first = False
            lines[0] = lines[0].removeprefix(BOM)
        return lines

    def close(self) -> bytes:
        """What came after the last line end."""
        line, self._rest = b"".join(self._rest), []
        return line.removeprefix(BOM) if self._first else line


class EventReader:
    """Turns chunks of an event stream into JSON objects; `done` is set by a `[DONE]`.

    The field `event:` is not read: both wires repeat it inside their data.
    """

    def __init__(self) -> None:
        self._lines = LineSplitter()
        self._data: list[bytes] = []
        self.done = False

    def feed(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """The objects which this chunk completes. Raises Malformed."""
        for line in self._lines.feed(chunk):
            if not line:
                if self._data:
                    yield from self._dispatch()
            elif line.startswith(b"data"):
                yield from self._take(line)

    def close(self) -> Iterator[dict[str, Any]]:
        """The last event, though no blank line followed it; one that was cut off is dropped (E5)."""
        line = self._lines.close()
        try:
            if line.startswith(b"data"):
                yield from self._take(line)
            yield from self._dispatch()
        except Malformed:
            self._data = []

    def _take(self, line: bytes) -> Sequence[dict[str, Any]]:
        name, _, value = line.partition(b":")
        if name != b"data":
            return ()
        whole = self._whole() if self._data else ()
        self._data.append(value.removeprefix(b" "))
        return whole

    def _whole(self) -> Sequence[dict[str, Any]]:
        """Dispatch what is held if it is complete in itself: the blank line was forgotten."""
        if self._joined().strip() == DONE:
            return self._dispatch()
        try:
            value = parse_object(self._joined())
        except Malformed:
            return ()
        self._data = []
        return () if self.done else (value,)

    def _dispatch(self) -> Sequence[dict[str, Any]]:
        data, self._data = self._joined().strip(), []
        if self.done or not data:
            return ()
        if data == DONE:
            self.done = True
            return ()
        return (parse_object(data),)

    def _joined(self) -> bytes:
        return self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
