"""Whole rows before and after, selected from the database, for the tables that a handler touched."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Select, Table, select, tuple_
from sqlalchemy.exc import NoSuchTableError

from deputize.core.digest import plain
from deputize.core.effect import RowImage
from deputize.core.preview import Op
from deputize.store.tables import PREFIX

Key = tuple[Any, ...]
Values = dict[str, Any]
_CHUNK = 200


@dataclass(slots=True)
class Seen:
    """One touched row. `given` are columns that statements set to a value, `fired` those they generated."""

    table: Table
    name: str
    key: Key
    before: Values | None
    after: Values | None = None
    given: set[str] = field(default_factory=set)
    fired: set[str] = field(default_factory=set)

    @property
    def op(self) -> Op | None:
        """What happened to the row in the end; None where nothing did."""
        if self.before is None:
            return None if self.after is None else "insert"
        if self.after is None:
            return "delete"
        return None if self.after == self.before else "update"


class Tables:
    """The host's tables by name: those it has mapped, and the rest as the database describes them."""

    def __init__(self, conn: Connection, known: Iterable[MetaData]) -> None:
        self.conn = conn
        self.default = conn.dialect.default_schema_name
        self.by_name: dict[str, Table] = {}
        for metadata in known:
            for table in metadata.tables.values():
                self.by_name.setdefault(self.name(table), table)

    def name(self, table: Table) -> str:
        """The table's name as the database counts it: with its schema where that is not the usual one."""
        if table.schema is None or table.schema == self.default:
            return table.name
        return f"{table.schema}.{table.name}"

    def add(self, table: Table) -> str:
        """Learn the table of a statement, and the others declared beside it; its name."""
        name = self.name(table)
        if name not in self.by_name:
            for other in table.metadata.tables.values():
                self.by_name.setdefault(self.name(other), other)
            self.by_name.setdefault(name, table)
        return name

    def get(self, name: str) -> Table | None:
        """The table, reflected if nobody has mapped it; None where the database has no such table."""
        if name not in self.by_name:
            schema, _, bare = name.rpartition(".")
            try:
                self.by_name[name] = Table(bare, MetaData(), schema=schema or None, autoload_with=self.conn)
            except NoSuchTableError:
                return None
        return self.by_name[name]


def ours(name: str) -> bool:
    """Our own tables are no part of an effect."""
    return name.rpartition(".")[2].startswith(PREFIX)


def key_columns(table: Table) -> tuple[Column[Any], ...]:
    """The columns that tell rows apart; for a table without a primary key all of them."""
    return tuple(table.primary_key.columns) or tuple(table.columns)


def key_of(table: Table, values: Mapping[str, Any]) -> Key:
    """The row's key as a tuple of typed values."""
    return tuple(values[column.key] for column in key_columns(table))


def read(conn: Connection, table: Table, query: Select[Any]) -> list[Values]:
    """Rows as typed values by column key."""
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in conn.execute(query)]


def by_keys(table: Table, keys: Sequence[Key]) -> Select[Any]:
    """The rows with these keys, in the order of their keys."""
    columns = key_columns(table)
    query = select(*table.columns)
    if len(columns) == 1:
        return query.where(columns[0].in_([key[0] for key in keys])).order_by(*columns)
    return query.where(tuple_(*columns).in_(keys)).order_by(*columns)


def chunks(keys: Iterable[Key], size: int = _CHUNK) -> Iterator[list[Key]]:
    """Keys in pieces that a statement can bear."""
    rest = iter(keys)
    while piece := list(islice(rest, size)):
        yield piece


def select_after(conn: Connection, seen: Iterable[Seen]) -> None:
    """Fill in what each row has become."""
    by_table: dict[str, list[Seen]] = {}
    for row in seen:
        by_table.setdefault(row.name, []).append(row)
    for rows in by_table.values():
        table = rows[0].table
        found: dict[Key, Values] = {}
        for piece in chunks([row.key for row in rows]):
            found.update((key_of(table, values), values) for values in read(conn, table, by_keys(table, piece)))
        for row in rows:
            row.after = found.get(row.key)


def images(rows: Iterable[Seen], name_of: Callable[[Table], str]) -> tuple[RowImage, ...]:
    """The rows as plain data; `name_of` names the tables that foreign keys point to."""
    by_table: dict[str, dict[str, str]] = {}
    made = []
    for row in rows:
        if row.name not in by_table:
            by_table[row.name] = {
                column.key: name_of(foreign.column.table)
                for column in row.table.columns
                for foreign in column.foreign_keys
            }
        made.append(_image(row, by_table[row.name]))
    return tuple(made)


def _image(row: Seen, references: Mapping[str, str]) -> RowImage:
    op = row.op
    if op is None:
        raise ValueError("the row has not changed")
    return RowImage(
        op=op,
        table=row.name,
        key={c.key: plain(v) for c, v in zip(key_columns(row.table), row.key, strict=True)},
        before=None if row.before is None else plain(row.before),
        after=None if row.after is None else plain(row.after),
        assigned=frozenset(row.fired),
        references=references,
    )
