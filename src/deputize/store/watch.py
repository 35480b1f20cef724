"""Listens to one connection while a handler runs, and tells which rows it touched and whether these are all."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import Connection, Delete, Insert, MetaData, Table, TextClause, Update, event
from sqlalchemy.sql.dml import UpdateBase

from deputize.core.clock import ahead_of_utc
from deputize.core.effect import HandlerFailed, UnseenChanges
from deputize.store import fired, images
from deputize.store.images import Key, Seen, Tables, Values
from deputize.store.statements import kind_of

Counts = Mapping[tuple[str, str], int]
"""(table, op) → rows, attempts in rolled-back savepoints included."""


@dataclass(slots=True)
class Statement:
    """One write in the expression language, on its way: its table, its parameters, the rows it was found to touch."""

    clause: UpdateBase
    table: Table
    name: str
    params: list[dict[str, Any]]
    given: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    keys: list[Key] = field(default_factory=list)
    counted: int = 0

    @property
    def op(self) -> str:
        """What it does to rows."""
        if isinstance(self.clause, Insert):
            return "insert"
        return "delete" if isinstance(self.clause, Delete) else "update"


class Finder(Protocol):
    """How one kind of database tells which rows a statement touches."""

    def begin(self) -> None:
        """Take the first count."""

    def before(self, statement: Statement) -> None:
        """Right before a write in the expression language."""

    def after(self, statement: Statement, result: Any) -> None:
        """Right after it; `keys` of the statement are the rows that it touched itself, as far as known."""

    def before_text(self, sql: str) -> None:
        """Right before a write by hand."""

    def after_text(self) -> None:
        """Right after it."""

    def check(self) -> None:
        """After every statement: hold the count against what was seen."""

    def undone(self) -> None:
        """A savepoint inside was rolled back."""

    def finish(self) -> tuple[datetime, datetime]:
        """Find the rest, and name what cannot be found; begin and end of the writes on the database's clock."""

    def close(self) -> None:
        """Leave the connection as it was."""


@dataclass(slots=True)
class Findings:
    """What the finder and the listener have put together."""

    tables: Tables
    own: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    rows: dict[tuple[str, Key], Seen] = field(default_factory=dict)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    unseen: set[str] = field(default_factory=set)
    by_hand: set[str] = field(default_factory=set)
    ahead: timedelta = field(default_factory=ahead_of_utc)
    """How far naive times of the database's own clock are ahead of UTC."""

    def see(self, table: Table, name: str, key: Key, before: Values | None) -> Seen:
        """Keep the first image of a row; later ones are the handler's own doing."""
        row = self.rows.get((name, key))
        if row is None:
            row = self.rows[name, key] = Seen(table, name, key, before)
        return row

    def ignores(self, name: str) -> bool:
        """Rows of our tables, and of tables that a preview of the tool's own explains, are not looked at."""
        return images.ours(name) or name in self.own


class Watch:
    """One watched stretch of a connection; made inside `run_sync`, since its listeners run on the driver's greenlet."""

    def __init__(self, conn: Connection, findings: Findings, finder: Finder) -> None:
        self.conn = conn
        self.found = findings
        self.finder = finder
        self.busy = False
        self.statement: Statement | None = None
        self.text = False
        self.refused: HandlerFailed | None = None
        self.listeners = (
            ("before_execute", self._before_execute),
            ("after_execute", self._after_execute),
            ("before_cursor_execute", self._before_cursor),
            ("after_cursor_execute", self._after_cursor),
            ("rollback_savepoint", self._undone),
        )

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Our own statements on the connection are not the handler's."""
        was, self.busy = self.busy, True
        try:
            yield
        finally:
            self.busy = was

    def begin(self) -> None:
        """Start to listen."""
        with self.quiet():
            self.finder.begin()
        for name, listener in self.listeners:
            event.listen(self.conn, name, listener)

    def stop(self) -> None:
        """Stop listening and leave nothing behind."""
        for name, listener in self.listeners:
            if event.contains(self.conn, name, listener):
                event.remove(self.conn, name, listener)
        with self.quiet():
            self.finder.close()

    def finish(self) -> list[Seen]:
        """The rows that have changed, with both images, hidden ones included.

        Raises UnseenChanges where the database counted more than can be shown.
        """
        if self.refused is not None:  # a handler may have swallowed it
            raise self.refused
        with self.quiet():
            begun, ended = self.finder.finish()
            lost = (self.found.unseen | self.found.by_hand) - self.found.hidden - self.found.own
            if lost:
                named = tuple(sorted(lost))
                raise UnseenChanges(f"Changes that cannot be shown: {', '.join(named)}.", tables=named)
            rows = [row for row in self.found.rows.values() if not self.found.ignores(row.name)]
            images.select_after(self.conn, rows)
        changed = [row for row in rows if row.op is not None]
        for row in changed:
            _mark(row, begun, ended, self.found.ahead)
        return changed

    def _before_execute(self, conn: Any, clause: Any, many: Any, one: Any, options: Any) -> None:
        if self.busy:
            return
        self.statement = None
        if not isinstance(clause, Update | Delete | Insert):
            return
        table = clause.table
        if not isinstance(table, Table):
            self.found.unseen.add(str(getattr(table, "name", "a join")))
            return
        table = table.metadata.tables.get(table.key, table)
        name = self.found.tables.add(table)
        params = [dict(each) for each in many] if many else [dict(one)] if one else [{}]
        statement = Statement(clause, table, name, params)
        if images.ours(name):
            return
        statement.given = _given(statement)
        if statement.op != "delete":
            statement.made = fired.columns(table, statement.given, insert=statement.op == "insert")
        if statement.op == "update" and statement.given & {column.key for column in table.primary_key.columns}:
            self.found.unseen.add(name)
        self.statement = statement
        with self.quiet():
            self.finder.before(statement)

    def _after_execute(self, conn: Any, clause: Any, many: Any, one: Any, options: Any, result: Any) -> None:
        if self.busy:
            return
        statement, self.statement = self.statement, None
        if statement is None or statement.clause is not clause:
            return
        with self.quiet():
            self.finder.after(statement, result)
        for key in statement.keys:
            row = self.found.rows.get((statement.name, key))
            if row is not None:
                row.given |= statement.given | statement.made
                row.fired |= statement.made

    def _before_cursor(self, conn: Any, cursor: Any, sql: str, parameters: Any, context: Any, many: bool) -> None:
        if self.busy:
            return
        try:
            self.text = _by_hand(sql, context)
        except HandlerFailed as refusal:
            self.refused = refusal
            raise
        if self.text:
            with self.quiet():
                self.finder.before_text(sql)

    def _undone(self, conn: Any, name: Any, context: Any) -> None:
        if not self.busy:
            with self.quiet():
                self.finder.undone()

    def _after_cursor(self, conn: Any, cursor: Any, sql: str, parameters: Any, context: Any, many: bool) -> None:
        if self.busy:
            return
        with self.quiet():
            if self.text:
                self.text = False
                self.finder.after_text()
            self.finder.check()


def _by_hand(sql: str, context: Any) -> bool:
    """Whether the statement writes without saying so in the expression language. Raises what `kind_of` raises."""
    compiled = getattr(context, "compiled", None)
    if compiled is None or isinstance(compiled.statement, TextClause):
        return kind_of(sql) == "write"
    if getattr(context, "isddl", False):
        raise UnseenChanges("The tool changes tables.")
    if isinstance(compiled.statement, Update | Delete | Insert):
        return bool(compiled.ctes) and any(getattr(cte.element, "is_dml", False) for cte in compiled.ctes)
    return sql.lstrip().lower().startswith(("with", "select")) and kind_of(sql) == "write"


def _given(statement: Statement) -> set[str]:
    """Keys of the columns that the statement gives a value, be it in its parameters or in its own clause."""
    clause: Any = statement.clause
    names = {str(name) for params in statement.params for name in params}
    for values in (getattr(clause, "_values", None), *(getattr(clause, "_multi_values", None) or ())):
        for one in values if isinstance(values, Sequence) else [values]:
            names |= {getattr(column, "key", str(column)) for column in one or ()}
    names |= {getattr(column, "key", str(column)) for column, _ in getattr(clause, "_ordered_values", None) or ()}
    selected = getattr(clause, "_select_names", None)
    names |= {str(getattr(name, "key", name)) for name in selected or ()}
    columns = statement.table.columns
    return {column.key for column in columns if column.key in names or column.name in names}


def _mark(row: Seen, begun: datetime, ended: datetime, ahead: timedelta) -> None:
    """Find what the write generated without a statement saying so: made keys, and times that triggers set."""
    after = row.after or {}
    keys = images.key_columns(row.table)
    if row.before is None:
        row.fired |= {c.key for c in keys if c.key not in row.given or fired.made_key(after.get(c.key))}
    for name, value in after.items():
        changed = row.before is None or row.before.get(name) != value
        if changed and name not in row.given and fired.is_now(value, begun, ended, ahead):
            row.fired.add(name)


def known(models: Sequence[Any]) -> list[MetaData]:
    """The collections of tables that mapped classes belong to."""
    found: dict[int, MetaData] = {}
    for model in models:
        metadata = getattr(model, "metadata", None)
        if isinstance(metadata, MetaData):
            found[id(metadata)] = metadata
    return list(found.values())
