"""What an approval freezes: plain values, placeholders for what the write generates, and the digest (APPR-2)."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from deputize.core.chain import canonical
from deputize.core.clock import iso
from deputize.core.effect import Enqueued, Queued, RowImage
from deputize.core.placeholders import DOMAIN, Placeholders
from deputize.core.preview import Change

_SAFE = 2**53 - 1
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
    tables: Iterable[str] = (),
) -> tuple[list[Any], dict[str, Any]]:
    """Pre-images and effect as plain data for the digest, generated values as numbered placeholders.

    `volatile` maps a table to its columns that differ at every saving; `hidden` names tables whose rows are
    not shown and therefore not counted; `secret` names columns of which only a hash is kept; `tables` are all that
    the host has, by which undeclared references are told apart. Rows that existed stand in the order of their keys,
    new ones in the order of their making.
    """
    unseen = frozenset(hidden)
    shown = [row for row in rows if row.table not in unseen]
    ordered = sorted((row for row in shown if row.before is not None), key=lambda row: (row.table, row.id))
    ordered += [row for row in shown if row.before is None]
    marks = Placeholders(ordered, volatile or {}, secret, tables)
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
