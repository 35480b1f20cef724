"""Queries of the host's records with personal columns, for the tenant's directory (RED-4); read-only, never kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import String, cast, func, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.entity import Entity
from deputize.store.targets import table_of, tenant_value


@dataclass(frozen=True, slots=True)
class Mark:
    """What tells that an entity's records may have changed: how many there are, and the newest change."""

    count: int
    newest: str


async def marks(conn: AsyncConnection, tenant: str, entities: Sequence[Entity]) -> dict[str, Mark]:
    """The watermarks of all these kinds, in one statement."""
    if not entities:
        return {}
    parts = []
    for entity in entities:
        table = table_of(entity)
        key = next(iter(table.primary_key.columns))
        newest = func.max(table.c[entity.changed]) if entity.changed else func.max(key)
        owner = table.c[entity.tenant]
        part = select(literal(entity.kind), func.count(), cast(newest, String)).where(
            owner == tenant_value(owner, tenant)
        )
        parts.append(part)
    rows = await conn.execute(union_all(*parts) if len(parts) > 1 else parts[0])
    return {str(kind): Mark(int(count), str(newest)) for kind, count, newest in rows}


async def records(conn: AsyncConnection, tenant: str, entity: Entity) -> list[tuple[str, Mapping[str, str | None]]]:
    """`(id, {column: value})` of every record's personal columns."""
    table = table_of(entity)
    key = next(iter(table.primary_key.columns))
    columns = [table.c[name] for name in entity.personal]
    query = select(key, *columns).where(table.c[entity.tenant] == tenant_value(table.c[entity.tenant], tenant))
    names = list(entity.personal)
    return [
        (str(row[0]), {name: None if value is None else str(value) for name, value in zip(names, row[1:], strict=True)})
        for row in await conn.execute(query)
    ]


async def record(conn: AsyncConnection, tenant: str, entity: Entity, ident: str) -> Mapping[str, str | None] | None:
    """The personal columns of one record of the tenant."""
    table = table_of(entity)
    key = next(iter(table.primary_key.columns))
    try:
        wanted = key.type.python_type(ident)
    except (ValueError, TypeError, NotImplementedError):
        return None
    columns = [table.c[name] for name in entity.personal]
    row = (
        await conn.execute(
            select(key, *columns).where(
                key == wanted, table.c[entity.tenant] == tenant_value(table.c[entity.tenant], tenant)
            )
        )
    ).first()
    if row is None:
        return None
    return {name: None if value is None else str(value) for name, value in zip(entity.personal, row[1:], strict=True)}
