"""Numbered placeholders for what a write generates, wherever else the write puts it (APPR-2)."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from deputize.core.chain import canonical
from deputize.core.effect import RowImage

ASSIGNED = "$assigned"
TEXT = "$text"
HASHED = "$sha256"
DOMAIN = b"deputize/approval/v1\n"
_UNMISTAKABLE = 16
"""A generated key of so many characters is found inside other text without being mistaken for it."""
_DISTINCT = 6
_WORD = r"[0-9A-Za-z](?:[0-9A-Za-z_-]*[0-9A-Za-z])?"
_NUMBER = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z_/.-]*[0-9A-Za-z])?")
"""A key or number as it may stand in running text: `F-2026-0007`, `2026/0007`."""
_IDENT = re.compile(r"(?:^|_)id$|(?<=[a-z0-9])Id$")
"""How payloads call what holds a key: `id`, `order_id`, `orderId`."""


class Placeholders:
    """Numbers for generated values: a new key keeps its number wherever it is referred to."""

    def __init__(
        self,
        rows: Sequence[RowImage],
        volatile: Mapping[str, frozenset[str]],
        secret: frozenset[str],
        tables: Iterable[str] = (),
    ) -> None:
        self.volatile = volatile
        self.secret = secret
        self.tables = frozenset(tables) | {row.table for row in rows}
        self.standing = {str(part) for row in rows if row.before is not None for part in row.key.values()}
        self.named: dict[str, list[str]] = {}
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
            number = self.referred(str(value), name.removesuffix("_id"))
        return self.data(value) if number is None else {ASSIGNED: number}

    def data(self, value: Any, name: str = "") -> Any:
        """Plain data in which generated keys and numbers, wherever written out, are placeholders."""
        if isinstance(value, str):
            return self.text(value, inside=_IDENT.search(name) is not None, named=_IDENT.sub("", name))
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            number = self.referred(str(value), _IDENT.sub("", name)) if _IDENT.search(name) else None
            return value if number is None else {ASSIGNED: number}
        if isinstance(value, Mapping):
            return {key: self.data(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [self.data(item, name) for item in value]
        return value

    def text(self, value: str, *, inside: bool = True, named: str = "") -> Any:
        """`inside`: short keys count too where they are the text or a part of it between colons.

        `named` is what the text is said to name; between colons it is the part before.
        """
        parts = value.split(":") if inside else []
        if not any(part in self.any_table for part in parts):
            return self._within(value)
        known = [self.referred(part, before) for before, part in zip([named, *parts], parts, strict=False)]
        found = [
            self._within(part) if number is None else {ASSIGNED: number}
            for part, number in zip(parts, known, strict=True)
        ]
        if all(number is None for number in known):
            return self._within(value)
        return found[0] if len(found) == 1 else {TEXT: found}

    def referred(self, value: str, named: str) -> int | None:
        """The number of the new key that an undeclared reference means; None where it means something else.

        A short key may equal another table's by chance. So the name of the reference decides where a table is
        called like it (`device_id`: `devices`); elsewhere a row that stands already is meant before a new one.
        """
        number = self.any_table.get(value)
        if number is None or len(value) >= _UNMISTAKABLE:
            return number
        if named not in self.named:
            self.named[named] = [table for table in self.tables if _called(table, named)]
        meant = self.named[named]
        if meant:
            return next((self.keys[table, value] for table in meant if (table, value) in self.keys), None)
        return None if value in self.standing else number

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


def _called(table: str, named: str) -> bool:
    """Whether the table holds what the name says: `work_order` is in `work_orders` and `order` may be, too."""
    bare, one = table.rpartition(".")[2].lower(), named.lower()
    several = {one, one + "s", one + "es", re.sub("y$", "ies", one)}
    return bool(one) and any(bare == name or bare.endswith("_" + name) for name in several)
