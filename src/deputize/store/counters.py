"""PostgreSQL: rows selected under lock before each write, cascades followed, and the transaction's own counters.

What the counters hold beyond that was done by triggers: rows written by this transaction are found by their
`xmin`; a row that a trigger changed or deleted in another table has lost its image and is named as unseen.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Boolean, Column, Connection, Integer, Select, Table, literal_column, select, text, tuple_
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql.elements import ColumnElement

from deputize.core.effect import UnseenChanges
from deputize.store import asked, conditions, images
from deputize.store.images import Key, Values
from deputize.store.watch import Findings, Statement

Count = tuple[int, int, int]
_OPS = ("insert", "update", "delete")


class Counters:
    """The finder for PostgreSQL."""

    def __init__(self, conn: Connection, findings: Findings) -> None:
        self.conn = conn
        self.found = findings
        self.first: dict[str, Count] = {}
        self.explained: dict[tuple[str, str], int] = {}
        self.at_text: dict[str, Count] = {}
        self.children: dict[str, list[Any]] = {}
        self.triggered: dict[str, bool] = {}
        self.nameless: dict[str, list[Statement]] = {}
        """Inserts whose new keys nobody told: their rows are found by what this transaction wrote."""

    def begin(self) -> None:
        """Take the first count."""
        self.first = self._count()

    def before(self, statement: Statement) -> None:
        """Select and lock the rows that the statement is about to change, and those that a delete cascades to."""
        if statement.name in self.found.own:
            return
        if statement.op == "insert":
            self._before_upsert(statement)
            self._see_parents(statement, conditions.rows(statement))
            return
        rows = self._matching(statement)
        self._see_parents(statement, rows)
        for values in rows:
            key = images.key_of(statement.table, values)
            statement.keys.append(key)
            self.found.see(statement.table, statement.name, key, values)
        statement.counted = len(statement.keys)
        self._explain(statement.name, statement.op, statement.counted)
        if statement.op == "delete":
            self._cascade(statement.table, statement.name, rows, set())

    def _see_parents(self, statement: Statement, rows: Sequence[Mapping[str, Any]]) -> None:
        """A table with triggers often keeps totals in the rows that its own point to: take their images too."""
        if statement.name not in self.triggered:
            self.triggered[statement.name] = bool(self.conn.execute(asked.TRIGGERS, {"name": statement.name}).scalar())
        if not self.triggered[statement.name]:
            return
        for link in statement.table.foreign_key_constraints:
            local = [column.key for column in link.columns]
            parent = link.referred_table
            pointed = [element.column for element in link.elements]
            values = {tuple(row.get(name) for name in local) for row in rows}
            for piece in images.chunks(value for value in values if None not in value):
                query = select(*parent.columns).where(tuple_(*pointed).in_(piece)).order_by(*images.key_columns(parent))
                name = self.found.tables.add(parent)
                for found in self._read(parent, name, query.with_for_update(key_share=True)):
                    self.found.see(parent, name, images.key_of(parent, found), found)

    def after(self, statement: Statement, result: Any) -> None:
        """Put right how many rows it really changed, and note the keys of new ones."""
        if statement.name in self.found.own:
            return
        if statement.op == "insert":
            self._after_insert(statement, result)
            return
        affected = result.rowcount if len(statement.params) == 1 else -1
        if affected >= 0 and not getattr(result, "returns_rows", False):
            self._explain(statement.name, statement.op, affected - statement.counted)

    def _after_insert(self, statement: Statement, result: Any) -> None:
        existing = set(statement.keys)
        made = _new_keys(statement, result)
        if not made:
            self.nameless.setdefault(statement.name, []).append(statement)
        for key in made:
            if key not in existing:
                self._explain(statement.name, "insert", 1)
            self.found.see(statement.table, statement.name, key, None)
            statement.keys.append(key)
        statement.keys = list(dict.fromkeys(statement.keys))

    def before_text(self, sql: str) -> None:
        """Count before a write by hand."""
        self.at_text = self._count()

    def after_text(self) -> None:
        """What a statement by hand changed is never shown; the counters tell where it was."""
        for name, now in self._count().items():
            if now != self.at_text.get(name, (0, 0, 0)) and not images.ours(name):
                self.found.by_hand.add(name)

    def check(self) -> None:
        """The counters are read once, at the end."""

    def undone(self) -> None:
        """The counters keep attempts that were rolled back, and so do we."""

    def close(self) -> None:
        """Nothing was left on the connection."""

    def finish(self) -> tuple[datetime, datetime]:
        """Ask deferred constraints, then account for every counted row."""
        self.conn.exec_driver_sql("SET CONSTRAINTS ALL IMMEDIATE")
        times = self.conn.execute(asked.TIMES).one()
        if times.counting != "on":
            raise UnseenChanges("The database does not count changes (track_counts is off).")
        counted = self._count()
        for name in sorted(counted):
            delta = self._delta(name, counted)
            if not any(delta) or images.ours(name):
                continue
            for op, number in zip(_OPS, delta, strict=True):
                self.found.counts[name, op] = number
            if name in self.found.own or name in self.found.hidden or name in self.found.by_hand:
                continue
            self._account(name, delta)
        self.found.ahead = times.ahead
        return times.begun.astimezone(UTC), times.ended.astimezone(UTC)

    def _read(self, table: Table, name: str, query: Select[Any]) -> list[Values]:
        """Rows as they stand; one that this transaction has written unseen is looked into before it counts as old."""
        mine = literal_column(asked.MINE.format(t=_quoted(self.conn, table)), Boolean)
        names = [column.key for column in table.columns]
        rows, unknown = [], []
        for *values, written in self.conn.execute(query.add_columns(mine)):
            rows.append(dict(zip(names, values, strict=True)))
            if written and (name, images.key_of(table, rows[-1])) not in self.found.rows:
                unknown.append(images.key_of(table, rows[-1]))
        if unknown:
            self._account(name, self._delta(name, self._count()))
            if any((name, key) not in self.found.rows for key in unknown):
                self.found.unseen.add(name)
        return rows

    def _delta(self, name: str, now: Mapping[str, Count]) -> Count:
        before, after = self.first.get(name, (0, 0, 0)), now.get(name, (0, 0, 0))
        return after[0] - before[0], after[1] - before[1], after[2] - before[2]

    def _account(self, name: str, delta: Count) -> None:
        """Find the rows behind what was counted and not explained, and take it for explained."""
        extra = {op: number - self.explained.get((name, op), 0) for op, number in zip(_OPS, delta, strict=True)}
        if not any(extra.values()):
            return
        table = self.found.tables.get(name)
        if table is None or extra["delete"] > 0:
            self.found.unseen.add(name)
            return
        quoted = _quoted(self.conn, table)
        whose = select(*table.columns).where(text(asked.MINE.format(t=quoted)))
        mine = images.read(self.conn, table, whose.order_by(text(asked.MAKING.format(t=quoted)), *_counted(table)))
        unknown = [v for v in mine if (name, images.key_of(table, v)) not in self.found.rows]
        if unknown and (extra["update"] > 0 or len(unknown) > max(extra["insert"], 0)):
            self.found.unseen.add(name)
            return
        for values in unknown:
            row = self.found.see(table, name, images.key_of(table, values), None)
            for statement in self.nameless.get(name, ()):
                row.given |= statement.given | statement.made
                row.fired |= statement.made
        for op, number in extra.items():
            self._explain(name, op, max(number, 0))

    def _count(self) -> dict[str, Count]:
        return {row.name: (row.inserted, row.updated, row.deleted) for row in self.conn.execute(asked.COUNTS)}

    def _explain(self, name: str, op: str, number: int) -> None:
        self.explained[name, op] = self.explained.get((name, op), 0) + number

    def _matching(self, statement: Statement) -> list[Values]:
        """The rows under the statement's own condition, each locked as the statement is going to lock it."""
        table = statement.table
        clause: Any = statement.clause
        if clause._propagate_attrs.get("compile_state_plugin") == "orm":
            compiled: Any = clause.compile(dialect=self.conn.dialect)
            clause = compiled.compile_state.statement
        condition: ColumnElement[Any] | None = clause.whereclause
        found: dict[Key, Values] = {}
        keys = conditions.keys(table, condition, statement.params)
        queries = (
            [images.by_keys(table, piece) for piece in images.chunks(keys)]
            if keys is not None
            else [conditions.where(table, condition, params) for params in statement.params]
        )
        for query in queries:
            locked = query.with_for_update(of=table, key_share=statement.op == "update")
            for values in self._read(table, statement.name, locked):
                found.setdefault(images.key_of(table, values), values)
        return list(found.values())

    def _cascade(self, table: Table, name: str, rows: Sequence[Values], visited: set[tuple[str, Key]]) -> None:
        if not rows:
            return
        if name not in self.children:
            self.children[name] = list(self.conn.execute(asked.CHILDREN, {"parent": name}))
        for link in self.children[name]:
            child = self.found.tables.get(link.child)
            if child is None:
                self.found.unseen.add(link.child)
                continue
            by_name = {column.name: column for column in child.columns}
            parents = {column.name: column.key for column in table.columns}
            pointing = [by_name[column] for column in link.columns]
            values = [tuple(row[parents[column]] for column in link.parents) for row in rows]
            self._follow(link, child, pointing, values, visited)

    def _follow(self, link: Any, child: Table, pointing: list[Any], values: list[Key], visited: set[Any]) -> None:
        deletes = link.action in ("c", b"c")
        op = "delete" if deletes else "update"
        reached: list[Values] = []
        for piece in images.chunks(values):
            within = pointing[0].in_([v[0] for v in piece]) if len(pointing) == 1 else tuple_(*pointing).in_(piece)
            query = select(*child.columns).where(within).order_by(*images.key_columns(child))
            for row in self._read(child, link.child, query.with_for_update()):
                key = images.key_of(child, row)
                if (link.child, key) in visited:
                    continue
                if deletes:
                    visited.add((link.child, key))
                reached.append(row)
                seen = self.found.see(child, link.child, key, row)
                if not deletes:
                    seen.given |= {column.key for column in pointing}
        self._explain(link.child, op, len(reached))
        if deletes:
            self._cascade(child, link.child, reached, visited)

    def _before_upsert(self, statement: Statement) -> None:
        """Rows that an `ON CONFLICT DO UPDATE` is going to meet."""
        conflict: Any = getattr(statement.clause, "_post_values_clause", None)
        if conflict is None or not hasattr(conflict, "update_values_to_set"):
            return
        columns = conditions.conflict_columns(statement.table, conflict)
        rows = conditions.rows(statement)
        if columns is None or any(c.key not in row for row in rows for c in columns):
            self.found.unseen.add(statement.name)
            return
        values = [tuple(row[column.key] for column in columns) for row in rows]
        for piece in images.chunks(values):
            query = select(*statement.table.columns).where(tuple_(*columns).in_(piece)).with_for_update()
            for found in self._read(statement.table, statement.name, query):
                key = images.key_of(statement.table, found)
                statement.keys.append(key)
                self.found.see(statement.table, statement.name, key, found)
        self._explain(statement.name, "update", len(statement.keys))


def _quoted(conn: Connection, table: Table) -> str:
    return conn.dialect.identifier_preparer.format_table(table)


def _counted(table: Table) -> list[Column[Any]]:
    """Key columns that a sequence counts up: rows of one command were made in their order."""
    return [column for column in table.primary_key.columns if isinstance(column.type, Integer)]


def _new_keys(statement: Statement, result: Any) -> list[Key]:
    """The keys of the new rows as the driver told them or the statement gave them; none where neither did."""
    if getattr(statement.clause, "select", None) is not None:
        return []
    try:
        told = [tuple(row) for row in result.context.inserted_primary_key_rows or () if row is not None]
    except SQLAlchemyError:
        told = []
    told = [key for key in told if all(part is not None for part in key)]
    several = len(statement.params) > 1 or getattr(statement.clause, "_multi_values", None)
    if told and not (several and len(told) == 1):
        return told
    names = [column.key for column in images.key_columns(statement.table)]
    rows = conditions.rows(statement)
    return [tuple(row[name] for name in names) for row in rows] if all(n in row for row in rows for n in names) else []
