"""Human names for the records on a card, loaded inside the same transaction, under the actor's tenant (APPR-1)."""

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from sqlalchemy import Table, inspect, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from deputize.core.actor import Actor
from deputize.core.digest import plain
from deputize.core.entity import Entity
from deputize.core.marks import Target, leaves
from deputize.core.tool import Args, Tool
from deputize.engine.wiring import Wiring
from deputize.store.images import Seen, key_columns

Labels = dict[tuple[str, str], str]
_LONGEST = 120


async def labels_for(
    w: Wiring, conn: AsyncConnection, actor: Actor, tool: Tool, args: Args, rows: Sequence[Seen]
) -> Labels:
    """(entity kind, id) → name, for the changed rows, the records that they point to, and the call's targets.

    A changed row is named as it was before. A record of another tenant has no name here.
    """
    by_table = {entity.model.__table__: entity for entity in w.registry.entities.values()}
    labels: Labels = {}
    wanted: dict[str, dict[str, Any]] = {}
    for row in rows:
        entity = by_table.get(row.table)
        if entity is not None:
            _name_row(entity, row, labels, wanted)
        for kind, value in _pointed(by_table, row):
            wanted.setdefault(kind, {})[str(plain(value))] = value
    for leaf in leaves(tool.args, args.model_dump(mode="python")):
        target = leaf.field.mark(Target)
        if target is not None and target.entity in w.registry.entities:
            wanted.setdefault(target.entity, {})[str(plain(leaf.value))] = leaf.value
    missing = {
        kind: [value for text, value in values.items() if (kind, text) not in labels] for kind, values in wanted.items()
    }
    missing = {kind: values for kind, values in missing.items() if values}
    if missing:
        session = w.db.host(conn, actor)
        former = {
            (entity.kind, _id(row.key)): row.before
            for row in rows
            if row.before is not None and (entity := by_table.get(row.table)) is not None
        }
        try:
            labels |= await session.run_sync(
                lambda plain: _load(plain, w.registry.entities, missing, actor.tenant, former)
            )
        finally:
            await session.close()
    return labels


def _name_row(entity: Entity, row: Seen, labels: Labels, wanted: dict[str, dict[str, Any]]) -> None:
    identity = _id(row.key)
    values = row.before or row.after or {}
    name = _label(entity, SimpleNamespace(**values)) or _label(entity, _instance(entity, values))
    if name is not None:
        labels[entity.kind, identity] = name
    elif len(row.key) == 1 and row.after is not None:
        wanted.setdefault(entity.kind, {})[identity] = row.key[0]


def _id(key: Iterable[Any]) -> str:
    return ":".join(str(plain(value)) for value in key)


def _pointed(by_table: Mapping[Table, Entity], row: Seen) -> Iterable[tuple[str, Any]]:
    for column in row.table.columns:
        for foreign in column.foreign_keys:
            entity = by_table.get(foreign.column.table)
            if entity is None or not foreign.column.primary_key or column.key == entity.tenant:
                continue
            for values in (row.before, row.after):
                if values and values.get(column.key) is not None:
                    yield entity.kind, values[column.key]


def _instance(entity: Entity, values: Mapping[str, Any]) -> Any:
    """The mapped object with these column values, belonging to no session, so that nothing is loaded."""
    made = inspect(entity.model).class_manager.new_instance()
    _put(entity, made, values)
    return made


def _put(entity: Entity, row: Any, values: Mapping[str, Any]) -> None:
    """Give the mapped object these column values without marking it as changed."""
    for attribute in inspect(entity.model).column_attrs:
        column = attribute.columns[0]
        if getattr(column, "key", None) in values:
            set_committed_value(row, attribute.key, values[column.key])


def _label(entity: Entity, row: Any) -> str | None:
    try:
        name = entity.label(row)
    except Exception:  # a label that needs more than the row's own columns is asked again with the database
        return None
    return str(name)[:_LONGEST] if name else None


def _load(
    session: Session,
    entities: Mapping[str, Entity],
    missing: Mapping[str, Sequence[Any]],
    tenant: str,
    former: Mapping[tuple[str, str], Mapping[str, Any]],
) -> Labels:
    labels: Labels = {}
    for kind, values in missing.items():
        entity = entities[kind]
        table: Table = entity.model.__table__
        keys = key_columns(table)
        if len(keys) != 1:
            continue
        typed = [value for value in (_typed(keys[0], value) for value in values) if value is not None]
        own = _typed(table.columns[entity.tenant], tenant)
        query = select(entity.model).where(keys[0].in_(typed), table.columns[entity.tenant] == own)
        for row in session.scalars(query).all():
            identity = _id(inspect(row).identity)
            _put(entity, row, former.get((kind, identity), {}))
            name = _label(entity, row)
            if name is not None:
                labels[kind, identity] = name
    return labels


def _typed(column: Any, value: Any) -> Any:
    """A key as the column wants it; None for text that is no such key."""
    try:
        kind = column.type.python_type
    except NotImplementedError:
        return value
    if isinstance(value, kind) or kind not in (int, str, UUID):
        return value
    try:
        return kind(str(value))
    except ValueError:
        return None
