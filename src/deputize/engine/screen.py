"""The page's context: each record loaded under the actor's own permission, the rest dropped and recorded (RUN-13)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize.core.actor import Actor
from deputize.core.conversation import EntityRef, Screen
from deputize.engine.wiring import Wiring
from deputize.policy.permissions import allows
from deputize.store.targets import table_of, tenant_value

MAX_ENTITIES = 5
MAX_NAME = 60


@dataclass(frozen=True, slots=True)
class Loaded:
    """What stands, as `{screen, entities: [{kind, id, label, url, version}]}`, and how many were dropped."""

    context: Mapping[str, Any]
    dropped: int


async def load(w: Wiring, session: AsyncSession, actor: Actor, screen: Screen) -> Loaded:
    """Load what the actor may see; nothing of the page but kinds and ids is believed."""
    shown: list[dict[str, Any]] = []
    for ref in screen.entities[:MAX_ENTITIES]:
        entity = w.registry.entities.get(ref.kind)
        if entity is None or not allows(actor.grants, entity.read):
            continue
        table = table_of(entity)
        key = next(iter(table.primary_key.columns))
        try:
            wanted = key.type.python_type(ref.id)
        except (ValueError, TypeError, NotImplementedError):
            continue
        owner = table.c[entity.tenant]
        attribute = getattr(entity.model, entity.tenant)
        query = select(entity.model).where(key == wanted, attribute == tenant_value(owner, actor.tenant))
        row = (await session.execute(query)).scalars().first()
        if row is None:
            continue
        record = {"kind": ref.kind, "id": str(wanted), "label": str(entity.label(row))[:200]}
        if entity.url is not None:
            record["url"] = entity.url.format(id=record["id"])
        if entity.version is not None:
            record["version"] = str(getattr(row, entity.version))
        shown.append(record)
    name = "".join(char for char in screen.screen if char.isalnum() or char in "-_ ./")[:MAX_NAME]
    return Loaded({"screen": name, "entities": shown}, len(screen.entities) - len(shown))


def named(context: Mapping[str, Any]) -> Screen:
    """The page's words for a context that was loaded before, so that it can be loaded again."""
    entities = tuple(EntityRef(str(one["kind"]), str(one["id"])) for one in context.get("entities", ()))
    return Screen(str(context.get("screen", "")), entities)
