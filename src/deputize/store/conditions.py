"""Which rows a statement of the expression language is about: its keys, its condition, its values."""

from typing import Any

from sqlalchemy import Table, bindparam, select
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import BinaryExpression, BindParameter, BooleanClauseList, ColumnElement
from sqlalchemy.sql.visitors import replacement_traverse

from deputize.store import images
from deputize.store.images import Key
from deputize.store.watch import Statement


def keys(table: Table, condition: Any, params: list[dict[str, Any]]) -> list[Key] | None:
    """The keys, where the condition names each row by its whole key, as every flush of the ORM does."""
    parts = condition.clauses if isinstance(condition, BooleanClauseList) else [condition]
    if isinstance(condition, BooleanClauseList) and condition.operator is not operators.and_:
        return None
    binds: dict[str, Any] = {}
    for part in parts:
        if not isinstance(part, BinaryExpression) or part.operator is not operators.eq:
            return None
        column: Any = part.left
        bind = part.right
        if not isinstance(bind, BindParameter) or getattr(column, "table", None) is not table:
            return None
        binds[column.key] = bind
    names = [column.key for column in images.key_columns(table)]
    if not table.primary_key.columns or any(name not in binds for name in names):
        return None
    found = [tuple(one.get(binds[name].key, binds[name].effective_value) for name in names) for one in params]
    return list(dict.fromkeys(found))


def where(table: Table, condition: Any, params: dict[str, Any]) -> Any:
    """A select under the condition, with the caller's named values put in."""
    query = select(*table.columns).order_by(*images.key_columns(table))
    if condition is None:
        return query

    def put(element: Any, **_: Any) -> Any:
        if isinstance(element, BindParameter) and element.key in params:
            return bindparam(None, params[element.key], type_=element.type, unique=True, expanding=element.expanding)
        return None

    return query.where(replacement_traverse(condition, {}, put))


def conflict_columns(table: Table, conflict: Any) -> list[Any] | None:
    """The columns by which an upsert finds the row that it meets; what is an expression is left out."""
    if conflict.constraint_target is not None:
        constraint: Any
        for constraint in (*table.constraints, *table.indexes):
            if constraint.name == conflict.constraint_target:
                return list(constraint.columns)
        return None
    found = []
    for element in conflict.inferred_target_elements or ():
        name = element if isinstance(element, str) else getattr(element, "key", None)
        if name is None or name not in table.columns:
            return None
        found.append(table.columns[name])
    return found or None


def rows(statement: Statement) -> list[dict[str, Any]]:
    """The rows of an insert as given: in its parameters, or in its own clause; what is an expression is left out."""
    clause: Any = statement.clause
    several = [row for rows in clause._multi_values or () for row in rows]
    listed = several or ([clause._values] if clause._values else [{}])
    out = []
    for given in listed:
        for params in statement.params:
            row: dict[str, Any] = {}
            for column, value in {**(given if isinstance(given, dict) else {}), **params}.items():
                if isinstance(value, BindParameter):
                    value = value.effective_value
                elif isinstance(value, ColumnElement):
                    continue
                row[getattr(column, "key", column)] = value
            out.append(row)
    return out
