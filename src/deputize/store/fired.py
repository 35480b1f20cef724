"""Which columns of a statement were given a value, and which the write generated itself (APPR-2)."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from sqlalchemy import Column, DefaultClause, Identity, Table, TextClause

_CONSTANT = re.compile(r"\s*\(?\s*(?:'[^']*'|[-+]?\d+(?:\.\d+)?|true|false|null)\s*\)?\s*(?:::[\w \[\]]+)?\s*", re.I)
_LONG_KEY = re.compile(r"[0-9a-z]{20,}", re.I)


def columns(table: Table, provided: Mapping[str, Any] | set[str], *, insert: bool) -> set[str]:
    """Keys of the columns that a statement generates: those it does not give and whose default is no constant.

    A constant default is not generated: it is the same every time and is shown as what it is.
    """
    made = set()
    for column in table.columns:
        if column.key in provided or column.name in provided:
            continue
        if insert and (_generates(column) or column is table.autoincrement_column):
            made.add(column.key)
        if not insert and _renews(column):
            made.add(column.key)
    return made


def _generates(column: Column[Any]) -> bool:
    default, server = column.default, column.server_default
    if default is not None:
        return not default.is_scalar
    if isinstance(server, Identity):
        return True
    if isinstance(server, DefaultClause):
        argument = server.arg
        text = argument.text if isinstance(argument, TextClause) else argument
        return not (isinstance(text, str) and (not isinstance(argument, TextClause) or _CONSTANT.fullmatch(text)))
    return server is not None and not getattr(column, "computed", None)


def _renews(column: Column[Any]) -> bool:
    if column.onupdate is not None:
        return not column.onupdate.is_scalar
    return column.server_onupdate is not None and not getattr(column, "computed", None)


def made_key(value: Any) -> bool:
    """A key given by the service that only a generator makes: a UUID or a ULID."""
    if isinstance(value, UUID):
        return True
    if not isinstance(value, str):
        return False
    try:
        UUID(value)
    except ValueError:
        return bool(_LONG_KEY.fullmatch(value)) and any(letter.isdigit() for letter in value)
    return True


def is_now(value: Any, begun: datetime, ended: datetime, offset: timedelta = timedelta(0)) -> bool:
    """The time of this very write, as triggers put it into columns; naive times are UTC or `offset` ahead of it."""
    if isinstance(value, str) and 19 <= len(value) <= 32:
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return False
    if not isinstance(value, datetime):
        return False
    second = timedelta(seconds=1)
    moments = [value] if value.tzinfo else [value.replace(tzinfo=UTC), value.replace(tzinfo=timezone(offset))]
    return any(begun - second <= moment <= ended + second for moment in moments)
