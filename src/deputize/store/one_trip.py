"""SQLite statements in one trip to the driver's thread instead of four: open, run, fetch and close together.

A turn makes some seventy statements, and each trip costs two thread switches; the adapter of SQLAlchemy makes
one for every step of a cursor's life. Results are the same: rows are fetched whole there as here.
"""

import sqlite3
from collections import deque
from typing import Any

from sqlalchemy.dialects.sqlite.aiosqlite import AsyncAdapt_aiosqlite_connection, AsyncAdapt_aiosqlite_cursor
from sqlalchemy.util.concurrency import await_only

_Said = tuple[Any, int, Any]


def _run(conn: sqlite3.Connection, operation: str, parameters: Any, many: bool) -> tuple[_Said, list[Any]]:
    """In the driver's thread: the whole life of a cursor."""
    cursor = conn.cursor()
    try:
        if many:
            cursor.executemany(operation, parameters)
        elif parameters is None:
            cursor.execute(operation)
        else:
            cursor.execute(operation, parameters)
        rows = cursor.fetchall() if cursor.description else []
        return (cursor.description, cursor.rowcount, cursor.lastrowid), rows
    finally:
        cursor.close()


class OneTripCursor(AsyncAdapt_aiosqlite_cursor):
    """A cursor that exists in the driver's thread only while its statement runs."""

    __slots__ = ("_said", "arraysize")

    def __init__(self, adapt_connection: Any) -> None:
        self._adapt_connection = adapt_connection
        self._connection = adapt_connection._connection
        self._rows = deque()
        self._said: _Said = (None, -1, None)
        self.arraysize = 1

    @property
    def description(self) -> Any:
        """Columns of the last statement; None where it gave no rows."""
        return self._said[0]

    @property
    def rowcount(self) -> int:
        """Rows touched by the last statement."""
        return self._said[1]

    @property
    def lastrowid(self) -> Any:
        """The key of the last inserted row."""
        return self._said[2]

    def execute(self, operation: Any, parameters: Any = None) -> Any:
        """Run one statement."""
        return self._trip(operation, parameters, False)

    def executemany(self, operation: Any, seq_of_parameters: Any) -> Any:
        """Run one statement for each set of parameters."""
        return self._trip(operation, seq_of_parameters, True)

    def _trip(self, operation: Any, parameters: Any, many: bool) -> Any:
        try:
            return await_only(self._there(operation, parameters, many))
        except Exception as error:
            self._adapt_connection._handle_exception(error)

    async def _there(self, operation: Any, parameters: Any, many: bool) -> Any:
        connection: Any = self._connection
        async with self._adapt_connection._execute_mutex:
            self._said, rows = await connection._execute(_run, connection._conn, operation, parameters, many)
            self._rows = deque(rows)
        return self

    async def _async_soft_close(self) -> None:
        """Nothing is open."""

    def close(self) -> None:
        """Forget what was not read."""
        self._rows.clear()


class OneTripConnection(AsyncAdapt_aiosqlite_connection):
    """The adapter's connection with such cursors."""

    __slots__ = ()
    _cursor_cls = OneTripCursor


def shorten(dbapi_connection: Any) -> None:
    """Give a fresh connection of the stock adapter our cursors; any other kind is left as it is."""
    if type(dbapi_connection) is AsyncAdapt_aiosqlite_connection:
        dbapi_connection.__class__ = OneTripConnection
