"""SQLite: temporary triggers hand every changed row to us, those changed by triggers and cascades included."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import OperationalError
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Table
from sqlalchemy.util import await_only

from deputize.core.clock import SystemClock
from deputize.core.effect import UnseenChanges
from deputize.store import images
from deputize.store.images import Key, Values
from deputize.store.statements import words
from deputize.store.watch import Findings, Statement

_Reader = Callable[[Any], Any] | None
_TOLD = "deputize_told"
_MOST = 60
"""SQLite functions take 127 arguments: both keys and all columns must fit."""
_REFERENCES = re.compile(r"references\s+[\"`\[]?(\w+)", re.I)


@dataclass(frozen=True, slots=True)
class Catalog:
    """What the database says of itself: tables, and which others a change of each may change too."""

    tables: frozenset[str]
    virtual: frozenset[str]
    unwatched: frozenset[str]
    """Virtual tables and views, which bear no triggers of this kind."""
    leads: dict[str, frozenset[str]]
    cascades: dict[str, frozenset[str]]
    deferred: dict[str, frozenset[str]]
    """Tables with deferred foreign keys → the tables that these point to."""

    def closure(self, names: Iterable[str], *, deletes: bool = True) -> set[str]:
        """The tables themselves and all that triggers may reach from them, and cascades where rows are deleted."""
        found = set(names)
        rest = [(name, deletes) for name in found]
        while rest:
            name, also_cascades = rest.pop()
            reached = self.leads.get(name, frozenset())
            if also_cascades:
                reached |= self.cascades.get(name, frozenset())
            rest += [(other, True) for other in reached - found]
            found |= reached
        return found


_catalogs: WeakKeyDictionary[Engine, tuple[int, Catalog]] = WeakKeyDictionary()


def catalog(conn: Connection) -> Catalog:
    """The catalogue, read again only where the schema has changed."""
    version = int(conn.exec_driver_sql("PRAGMA main.schema_version").scalar_one())
    kept = _catalogs.get(conn.engine)
    if kept is not None and kept[0] == version:
        return kept[1]
    rows = conn.exec_driver_sql("SELECT type, name, tbl_name, coalesce(sql, '') FROM main.sqlite_master").all()
    tables = {name: sql for kind, name, _, sql in rows if kind in {"table", "view"}}
    by_folded = {name.lower(): name for name in tables}
    leads: dict[str, set[str]] = {}
    cascades: dict[str, set[str]] = {}
    deferred: dict[str, frozenset[str]] = {}
    for kind, name, of, sql in rows:
        if kind == "trigger":
            leads.setdefault(of, set()).update(by_folded[word] for word in words(sql) if word in by_folded)
        parents = {by_folded[p.lower()] for p in _REFERENCES.findall(sql) if p.lower() in by_folded}
        if kind == "table" and parents:
            for parent in parents:
                cascades.setdefault(parent, set()).add(name)
            if "initially deferred" in " ".join(sql.lower().split()):
                deferred[name] = frozenset(parents)
    virtual = frozenset(name for name, sql in tables.items() if sql.lower().lstrip().startswith("create virtual"))
    made = Catalog(
        frozenset(tables),
        virtual,
        virtual | {name for kind, name, _, _ in rows if kind == "view"},
        {name: frozenset(reached) for name, reached in leads.items()},
        {name: frozenset(reached) for name, reached in cascades.items()},
        deferred,
    )
    _catalogs[conn.engine] = (version, made)
    return made


@dataclass(frozen=True, slots=True)
class _Told:
    index: int
    op: str
    values: tuple[Any, ...]


class Capture:
    """The finder for SQLite. The count held against is `total_changes()` of the connection."""

    def __init__(self, conn: Connection, findings: Findings) -> None:
        self.conn = conn
        self.found = findings
        self.driver: Any = conn.connection.driver_connection
        self.watched: list[tuple[Table, str]] = []
        self.indexes: dict[str, int] = {}
        self.triggers: list[str] = []
        self.readers: list[tuple[list[_Reader], list[_Reader]]] = []
        self.told: list[_Told] = []
        self.counted = 0
        self.imaged = 0
        self.settled = 0
        self.mark = 0
        self.begun = SystemClock().now()

    def begin(self) -> None:
        """Learn the schema and offer the function that the triggers call."""
        self.catalog = catalog(self.conn)
        await_only(self.driver.create_function(_TOLD, -1, self._tell))
        self.settled = self.driver.total_changes

    def _tell(self, index: int, op: str, *values: Any) -> None:
        self.told.append(_Told(index, op, values))

    def before(self, statement: Statement) -> None:
        """See to it that every table that the statement may reach has its triggers."""
        self._install({statement.name}, deletes=statement.op == "delete")
        self.mark = len(self.told)

    def before_text(self, sql: str) -> None:
        """The same for the tables that the text names."""
        said = set(words(sql))
        self._install({name for name in self.catalog.tables if name.lower() in said})
        self.mark = len(self.told)

    def after_text(self) -> None:
        """What a statement by hand changed is never shown, on this database as on the others."""
        touched = {self.watched[told.index][1] for told in self.told[self.mark :]}
        self.found.by_hand |= {name for name in touched if not images.ours(name)}
        if not touched and self.driver.total_changes != self.settled:
            self.found.by_hand.add("a statement by hand")

    def after(self, statement: Statement, result: Any) -> None:
        """The rows of the statement's own table that were told since it began."""
        self._digest()
        op = statement.op
        for told in self.told[self.mark :]:
            name = self.watched[told.index][1]
            if name == statement.name and told.op in {op, "update" if op == "insert" else op}:
                statement.keys.append(self._key(told))

    def check(self) -> None:
        """No statement may have changed more rows than were told; virtual tables tell nothing."""
        total = self.driver.total_changes
        if total - self.settled > len(self.told) - self.counted:
            reached = self.catalog.closure(self.indexes) & self.catalog.virtual
            self.found.unseen |= (reached - self.found.hidden) if reached else {"a table that cannot be watched"}
        for told in self.told[self.counted :]:
            name = self.watched[told.index][1]
            self.found.counts[name, told.op] = self.found.counts.get((name, told.op), 0) + 1
        self.settled, self.counted = total, len(self.told)

    def undone(self) -> None:
        """Triggers made inside the savepoint are gone with it: begin anew, so that none stands twice."""
        self._drop()
        self.indexes.clear()

    def finish(self) -> tuple[datetime, datetime]:
        """Everything has been told; only deferred foreign keys are left to be asked."""
        self._digest()
        self._ask_deferred()
        return self.begun, SystemClock().now()

    def close(self) -> None:
        """Take the triggers and their function away."""
        self._drop()
        with suppress(OperationalError):  # a statement that is still being read keeps the function; it is harmless
            await_only(self.driver.create_function(_TOLD, -1, None))

    def _drop(self) -> None:
        self._run([f"DROP TRIGGER IF EXISTS temp.{name}" for name in self.triggers])
        self.triggers.clear()

    def _ask_deferred(self) -> None:
        touched = {name for name, _ in self.found.rows}
        for child, parents in self.catalog.deferred.items():
            if child not in touched and not parents & touched:
                continue
            if self.conn.exec_driver_sql(f"PRAGMA foreign_key_check({_quoted(child)})").first() is not None:
                raise UnseenChanges("A foreign key would be broken at the commit.")

    def _digest(self) -> None:
        """Turn what was told into first images; an insert told after its own trigger's updates is still first."""
        batch = [(told, self._key(told)) for told in self.told[self.imaged :]]
        self.imaged = len(self.told)
        gone = {(told.index, key) for told, key in batch if told.op == "delete"}
        born = {(told.index, key) for told, key in batch if told.op == "insert"} - gone
        for told, key in batch:
            table, name = self.watched[told.index]
            before = None if told.op == "insert" or (told.index, key) in born else self._values(told)
            self.found.see(table, name, key, before)
            if told.op == "update" and (new := self._moved(told)) != key:
                self.found.see(table, name, new, None)

    def _install(self, names: set[str], *, deletes: bool = True) -> None:
        reached = self.catalog.closure(names, deletes=deletes)
        made: list[str] = []
        for name in sorted(reached - self.indexes.keys() - self.catalog.unwatched):
            if images.ours(name) or name.startswith("sqlite_"):
                continue
            table = self.found.tables.get(name)
            if table is None:
                continue
            if len(table.columns) > _MOST:
                self.found.unseen.add(name)
                continue
            made += self._watch(table, name)
        self._run(made)

    def _run(self, statements: list[str]) -> None:
        """All in one visit to the driver's thread, since each costs more than the statements themselves."""
        if statements:

            def run() -> None:
                for statement in statements:
                    self.driver._conn.execute(statement)

            await_only(self.driver._execute(run))

    def _watch(self, table: Table, name: str) -> list[str]:
        index = len(self.watched)
        keys = [_quoted(column.name) for column in images.key_columns(table)]
        old = ", ".join([f"OLD.{key}" for key in keys] + [f"NEW.{key}" for key in keys])
        columns = ", ".join(f"OLD.{_quoted(column.name)}" for column in table.columns)
        born = ", ".join(f"NEW.{key}" for key in keys)
        gone = ", ".join(f"OLD.{key}" for key in keys)
        made: list[str] = []
        for op, when, told in (
            ("insert", "AFTER", born),
            ("update", "BEFORE", f"{old}, {columns}"),
            ("delete", "BEFORE", f"{gone}, {columns}"),
        ):
            self.triggers.append(f"deputize_{op}_{index}")
            made.append(
                f"CREATE TEMP TRIGGER {self.triggers[-1]} {when} {op.upper()} ON main.{_quoted(name)} "
                f"BEGIN SELECT {_TOLD}({index}, '{op}', {told}); END"
            )
        self.watched.append((table, name))
        self.indexes[name] = index
        self.readers.append(
            (
                [_reader(column, self.conn) for column in images.key_columns(table)],
                [_reader(column, self.conn) for column in table.columns],
            )
        )
        return made

    def _key(self, told: _Told) -> Key:
        return self._typed_key(told, 0)

    def _moved(self, told: _Told) -> Key:
        return self._typed_key(told, len(self.readers[told.index][0]))

    def _typed_key(self, told: _Told, at: int) -> Key:
        return tuple(_read(reader, told.values[at + n]) for n, reader in enumerate(self.readers[told.index][0]))

    def _values(self, told: _Told) -> Values:
        table = self.watched[told.index][0]
        key_readers, readers = self.readers[told.index]
        keys = len(key_readers) * (2 if told.op == "update" else 1)
        return {
            column.key: _read(reader, value)
            for column, reader, value in zip(table.columns, readers, told.values[keys:], strict=True)
        }


def _reader(column: Any, conn: Connection) -> _Reader:
    reader: _Reader = column.type.dialect_impl(conn.dialect).result_processor(conn.dialect, None)
    return reader


def _read(reader: _Reader, value: Any) -> Any:
    return value if reader is None else reader(value)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
