"""The host's rows that a call names: locked, and their present versions read, always under the tenant."""

from typing import Any

from sqlalchemy import Table, inspect, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.entity import Entity


def table_of(entity: Entity) -> Table:
    """The table behind the entity's mapped class."""
    table = inspect(entity.model).local_table
    assert isinstance(table, Table)
    return table


def tenant_value(column: Any, tenant: str) -> Any:
    """The tenant's id in the type of the host's column."""
    try:
        return column.type.python_type(tenant)
    except (ValueError, TypeError, NotImplementedError):
        return tenant


async def lock(conn: AsyncConnection, tenant: str, entity: Entity, ident: str) -> tuple[bool, str | None]:
    """Whether the tenant has that record, and its version as text; held until the transaction ends.

    SQLite needs no row lock: its write transaction is alone.
    """
    table = table_of(entity)
    key = next(iter(table.primary_key.columns))
    columns: list[Any] = [key]
    if entity.version is not None:
        columns.append(table.c[entity.version])
    try:
        wanted = key.type.python_type(ident)
    except (ValueError, TypeError, NotImplementedError):
        wanted = ident
    owner = table.c[entity.tenant]
    query = select(*columns).where(key == wanted, owner == tenant_value(owner, tenant))
    if conn.dialect.name == "postgresql":
        query = query.with_for_update()
    row = (await conn.execute(query)).first()
    if row is None:
        return False, None
    return True, None if entity.version is None else str(row[1])
