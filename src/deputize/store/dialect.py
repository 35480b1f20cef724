"""What differs between SQLite and PostgreSQL: how a transaction begins, the database's time, upserts."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Table, event, func
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

from deputize.store.one_trip import shorten

BUSY_TIMEOUT_MS = 10_000
DEFERRED = {"deputize_begin": "DEFERRED"}
"""Execution option of a connection that only reads: it takes no write lock."""


class Moment(TypeDecorator[datetime]):
    """An aware UTC time, kept as integer microseconds since 1970 on both databases."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> int | None:
        return None if value is None else micros(value)

    def process_result_value(self, value: int | None, dialect: Any) -> datetime | None:
        return None if value is None else from_micros(value)


def micros(moment: datetime) -> int:
    """Microseconds since 1970, exact."""
    delta = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def from_micros(value: int) -> datetime:
    """The aware UTC time of that many microseconds since 1970."""
    seconds, rest = divmod(value, 1_000_000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest)


class db_now(FunctionElement[datetime]):
    """The database's own time, for leases and expiries that several processes compare."""

    type = Moment()
    inherit_cache = True


@compiles(db_now, "sqlite")
def _sqlite_now(element: Any, compiler: Any, **kw: Any) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)"


@compiles(db_now, "postgresql")
def _postgresql_now(element: Any, compiler: Any, **kw: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"


def later(span: ColumnElement[int]) -> ColumnElement[datetime]:
    """The database's own time and so many microseconds."""
    return db_now().op("+", return_type=Moment())(span)


def span(seconds: float) -> int:
    """Microseconds."""
    return int(seconds * 1_000_000)


def sqlite(engine: AsyncEngine) -> AsyncEngine:
    """Give a host's SQLite engine explicit transactions, WAL and a busy timeout; others are left alone.

    Without it the driver opens transactions late and a rolled-back preview would be committed. Every
    transaction begins IMMEDIATE unless the connection has the option `deputize_begin="DEFERRED"`.
    Returns the same engine; calling it twice changes nothing.
    """
    if engine.dialect.name != "sqlite" or event.contains(engine.sync_engine, "begin", _begin):
        return engine
    event.listen(engine.sync_engine, "connect", _connect)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _connect(dbapi_connection: Any, _record: Any) -> None:
    shorten(dbapi_connection)
    dbapi_connection.isolation_level = None
    cursor = dbapi_connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "recursive_triggers = ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    mode = connection.get_execution_options().get("deputize_begin", "IMMEDIATE")
    connection.exec_driver_sql(f"BEGIN {mode}")


def _connect_read_only(dbapi_connection: Any, record: Any) -> None:
    _connect(dbapi_connection, record)
    cursor = dbapi_connection.cursor()
    cursor.execute("PRAGMA query_only = ON")
    cursor.close()


def read_only_engine(engine: AsyncEngine) -> AsyncEngine:
    """An engine whose transactions the database itself holds read-only (TOOL-14).

    On SQLite it is a pool of its own, since a connection once set `query_only` would poison its next user; it
    closes with the host's pool, so that a host that disposes of its engine leaves no connection open.
    """
    if engine.dialect.name != "sqlite":
        return engine.execution_options(postgresql_readonly=True)
    reader = create_async_engine(engine.url)
    event.listen(reader.sync_engine, "connect", _connect_read_only)
    event.listen(reader.sync_engine, "begin", _begin)

    def follow(_disposed: Engine) -> None:
        reader.sync_engine.dispose()

    event.listen(engine.sync_engine, "engine_disposed", follow)
    return reader.execution_options(**DEFERRED)


def upsert_set(table: Table, rows: Sequence[Mapping[str, Any]], dialect: str, by: Sequence[str], newer: str) -> Any:
    """INSERT that, where a row with the same `by` exists, takes over the new value of `newer` unless it is NULL."""
    made = (sqlite_dialect.insert if dialect == "sqlite" else postgresql.insert)(table).values(list(rows))
    value = func.coalesce(made.excluded[newer], table.c[newer])
    return made.on_conflict_do_update(index_elements=list(by), set_={newer: value})


def upsert_ignore(table: Table, rows: Mapping[str, Any] | Sequence[Mapping[str, Any]], dialect: str) -> Any:
    """INSERT that leaves an existing row (by any unique key) alone; `rowcount` tells whether it was new."""
    values = rows if isinstance(rows, Mapping) else list(rows)
    if dialect == "sqlite":
        return sqlite_dialect.insert(table).values(values).on_conflict_do_nothing()
    return postgresql.insert(table).values(values).on_conflict_do_nothing()
