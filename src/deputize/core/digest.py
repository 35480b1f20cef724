"""What an approval freezes: plain values, placeholders for what the write generates, and the digest (APPR-2)."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import Any
from uuid import UUID

from deputize.core.chain import canonical
from deputize.core.clock import iso
from deputize.core.effect import Enqueued, Queued, RowImage
from deputize.core.preview import Change

ASSIGNED = "$assigned"
TEXT = "$text"
HASHED = "$sha256"
DOMAIN = b"deputize/approval/v1\n"
_SAFE = 2**53 - 1
_UNMISTAKABLE = 16
"""A generated key of so many characters is found inside other text without being mistaken for it."""
_DISTINCT = 6
_WORD = r"[0-9A-Za-z](?:[0-9A-Za-z_-]*[0-9A-Za-z])?"
_NUMBER = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z_/.-]*[0-9A-Za-z])?")
"""A key or number as it may stand in running text: `F-2026-0007`, `2026/0007`."""
_PLAIN_KEY = re.compile(r"[ -~]*")


def plain(value: Any) -> Any:
    """Any column or argument value as JSON that has one canonical form: ids, decimals and times as strings.

    Aware times become UTC with microseconds; bytes become hex; integers beyond 2^53 and floats strings.
    """
    if value is None or isinstance(value, bool):
        return value
    if type(value) is str and value.isascii():
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int):
        return int(value) if -_SAFE <= value <= _SAFE else str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Decimal | UUID):
        return str(value)
    return _plain_other(value)


def _plain_other(value: Any) -> Any:
    if isinstance(value, datetime):
        return iso(value) if value.tzinfo else value.isoformat(timespec="microseconds")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{value.days * 86_400_000_000 + value.seconds * 1_000_000 + value.microseconds}us"
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return {_key(name): plain(item) for name, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, Iterable):
        return [plain(item) for item in value]
    return str(value)


def _key(name: Any) -> str:
    text = str(name)
    return text if _PLAIN_KEY.fullmatch(text) else text.encode("unicode_escape").decode()


def digest_of(
    tool: str, schema: Any, arguments: Any, pre_images: Any, effect: Any, tenant: str, actor: str
) -> tuple[str, str]:
    """The lower-case hex SHA-256 and the RFC 8785 text that it was taken over.

    `schema` is the JSON schema of the arguments, `arguments` are validated and restored; `pre_images` and
    `effect` come from `frozen`.
    """
    text = canonical(
        plain(
            {
                "version": 1,
                "tool": tool,
                "schema": schema,
                "arguments": arguments,
                "preImages": pre_images,
                "effect": effect,
                "tenant": tenant,
                "actor": actor,
            }
        )
    )
    return hashlib.sha256(DOMAIN + text).hexdigest(), text.decode()


def frozen(
    rows: Sequence[RowImage],
    outgoing: Sequence[Queued] = (),
    events: Sequence[Enqueued] = (),
    own: Sequence[Change] = (),
    *,
    volatile: Mapping[str, frozenset[str]] | None = None,
    hidden: Iterable[str] = (),
    secret: frozenset[str] = frozenset(),
) -> tuple[list[Any], dict[str, Any]]:
    """Pre-images and effect as plain data for the digest, generated values as numbered placeholders.

    `volatile` maps a table to its columns that differ at every saving; `hidden` names tables whose rows are
    not shown and therefore not counted; `secret` names columns of which only a hash is kept. Rows that existed
    stand in the order of their keys, new ones in the order of their making.
    """
    unseen = frozenset(hidden)
    shown = [row for row in rows if row.table not in unseen]
    ordered = sorted((row for row in shown if row.before is not None), key=lambda row: (row.table, row.id))
    ordered += [row for row in shown if row.before is None]
    marks = _Placeholders(ordered, volatile or {}, secret)
    pre_images = [
        {"table": row.table, "key": row.key, "values": marks.before(row)} for row in ordered if row.before is not None
    ]
    effect = {
        "changes": [marks.change(row) for row in ordered],
        "outgoing": [
            {"channel": item.channel, "key": marks.text(item.key), "payload": marks.data(plain(item.payload))}
            for item in outgoing
        ],
        "events": [{"type": event.type, "subject": marks.text(event.subject)} for event in events],
        "own": [marks.data(plain(_told(change))) for change in own],
    }
    return pre_images, effect


def undeclared(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[str, ...]:
    """Where two previews of the same write differ: `table.column`, `outgoing`, …; the host declares these volatile.

    Both are effects from `frozen`, taken one after the other with nothing changed in between.
    """
    if first == second:
        return ()
    found = [part for part in ("outgoing", "events", "own") if first[part] != second[part]]
    if len(first["changes"]) != len(second["changes"]):
        return ("rows", *found)
    for one, other in zip(first["changes"], second["changes"], strict=True):
        before, after = one.get("values", {}), other.get("values", {})
        found += [f"{one['table']}.{name}" for name in {**before, **after} if before.get(name) != after.get(name)]
        if {**one, "values": 0} != {**other, "values": 0}:
            found.append(one["table"])
    return tuple(dict.fromkeys(found))


def _told(change: Change) -> dict[str, Any]:
    return {
        "op": change.op,
        "table": change.table,
        "id": change.id,
        "fields": [
            {"name": field.name, "before": field.before, "after": field.after}
            for field in change.fields
            if "assigned" not in field.marks
        ],
    }


class _Placeholders:
    """Numbers for generated values: a new key keeps its number wherever it is referred to."""

    def __init__(
        self, rows: Sequence[RowImage], volatile: Mapping[str, frozenset[str]], secret: frozenset[str]
    ) -> None:
        self.volatile = volatile
        self.secret = secret
        self.keys: dict[tuple[str, str], int] = {}
        self.any_table: dict[str, int] = {}
        self.texts: dict[str, int] = {}
        self.cells: dict[tuple[int, str], int] = {}
        count = 0
        for row in rows:
            for name in sorted(row.after or {}):
                if not self.generated(row, name):
                    continue
                count += 1
                self.cells[id(row), name] = count
                value = str((row.after or {})[name])
                if name in row.key and row.before is None:
                    self.keys[row.table, value] = count
                    self.any_table.setdefault(value, count)
                    if len(value) >= _UNMISTAKABLE:
                        self.texts.setdefault(value, count)
                elif len(value) >= _DISTINCT and _NUMBER.fullmatch(value) and any(c.isdigit() for c in value):
                    self.texts.setdefault(value, count)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Whole tokens, which are looked up; only numbers of an unusual shape stand in the pattern themselves."""
        unusual = [text for text in self.texts if not re.fullmatch(_WORD, text)]
        return re.compile("|".join([*map(re.escape, sorted(unusual, key=len, reverse=True)), _WORD]))

    def generated(self, row: RowImage, name: str) -> bool:
        if name in row.assigned or name in self.volatile.get(row.table, ()):
            return row.before is None or (row.after or {}).get(name) != row.before.get(name)
        return False

    def before(self, row: RowImage) -> dict[str, Any]:
        hidden = self.volatile.get(row.table, frozenset())
        return {name: self.sealed(name, value) for name, value in (row.before or {}).items() if name not in hidden}

    def sealed(self, name: str, value: Any) -> Any:
        """Only a hash of a secret is kept, so that its change still counts."""
        if value is None or name.lower() not in self.secret:
            return value
        return {HASHED: hashlib.sha256(DOMAIN + canonical(value)).hexdigest()}

    def change(self, row: RowImage) -> dict[str, Any]:
        made: dict[str, Any] = {"op": row.op, "table": row.table}
        if row.before is not None:
            made["key"] = row.key
        if row.after is not None:
            before = row.before
            made["values"] = {
                name: self.cell(row, name, value)
                for name, value in row.after.items()
                if before is None or before.get(name) != value
            }
        return made

    def cell(self, row: RowImage, name: str, value: Any) -> Any:
        number = self.cells.get((id(row), name))
        if number is not None:
            return {ASSIGNED: number}
        if name.lower() in self.secret:
            return self.sealed(name, value)
        target = row.references.get(name)
        if target is not None:
            number = self.keys.get((target, str(value)))
        elif name.endswith("_id"):
            number = self.any_table.get(str(value))
        return self.data(value) if number is None else {ASSIGNED: number}

    def data(self, value: Any, name: str = "") -> Any:
        """Plain data in which generated keys and numbers, wherever written out, are placeholders."""
        if isinstance(value, str):
            return self.text(value, inside=name == "id" or name.endswith("_id"))
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            number = self.any_table.get(str(value)) if name == "id" or name.endswith("_id") else None
            return value if number is None else {ASSIGNED: number}
        if isinstance(value, Mapping):
            return {key: self.data(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [self.data(item, name) for item in value]
        return value

    def text(self, value: str, *, inside: bool = True) -> Any:
        """`inside`: short keys count too where they are the text or a part of it between colons."""
        parts = value.split(":") if inside else []
        if not any(part in self.any_table for part in parts):
            return self._within(value)
        known = [self.any_table.get(part) for part in parts]
        found = [
            self._within(part) if number is None else {ASSIGNED: number}
            for part, number in zip(parts, known, strict=True)
        ]
        return found[0] if len(found) == 1 else {TEXT: found}

    def _within(self, value: str) -> Any:
        if not self.texts or len(value) < _DISTINCT:
            return value
        parts: list[Any] = []
        at = 0
        for found in self.pattern.finditer(value):
            if found.group() not in self.texts:
                continue
            parts += [value[at : found.start()], {ASSIGNED: self.texts[found.group()]}]
            at = found.end()
        if not parts:
            return value
        parts = [part for part in (*parts, value[at:]) if part != ""]
        return parts[0] if len(parts) == 1 else {TEXT: parts}
