"""Building the registry: tools by name, entities by table, and which kinds of record belong to a person."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deputize.core.automation import Automation
from deputize.core.channel import Channel
from deputize.core.entity import Entity
from deputize.core.tool import Refuse
from deputize.core.toolset import Surface, Toolset
from deputize.engine.wiring import Registry
from deputize.redaction.tokens import is_name
from deputize.store.targets import table_of


def build(
    toolsets: Sequence[Toolset],
    entities: Sequence[Entity],
    surfaces: Sequence[Surface],
    channels: Sequence[Channel],
    automations: Sequence[Automation[Any, Any]],
    refusals: Mapping[type[Exception], Callable[[Any], Refuse]],
) -> Registry:
    """The registry of one deputy; its declarations were checked before."""
    return Registry(
        tools={tool.name: tool for toolset in toolsets for tool in toolset.tools},
        toolset_of={tool.name: toolset.name for toolset in toolsets for tool in toolset.tools},
        surfaces={surface.name: surface for surface in surfaces},
        entities={entity.kind: entity for entity in entities},
        channels={channel.name: channel for channel in channels},
        automations={automation.name: automation for automation in automations},
        refusals=dict(refusals),
        by_table={table_of(entity).name: entity for entity in entities},
        person_kinds=(persons := _person_kinds(entities)),
        owned_kinds=_owned_kinds(entities, persons),
    )


def _person_kinds(entities: Sequence[Entity]) -> frozenset[str]:
    """Kinds whose records are persons: those with a personal name."""
    return frozenset(e.kind for e in entities if any(is_name(kind) for kind in e.personal.values()))


def _owned_kinds(entities: Sequence[Entity], persons: frozenset[str]) -> frozenset[str]:
    """Kinds whose records belong to a person: their table points to a person's, or to one that does (RED-4)."""
    tables = {entity.kind: table_of(entity) for entity in entities}
    belonging = set(persons)
    while True:
        named = {tables[kind].fullname for kind in belonging}
        more = {
            kind
            for kind, table in tables.items()
            if kind not in belonging
            and any(key.target_fullname.rpartition(".")[0] in named for key in table.foreign_keys)
        }
        if not more:
            return frozenset(belonging - persons)
        belonging |= more


def count(registry: Registry) -> tuple[int, int, int]:
    """How many tools, how many of them staged, and how many surfaces."""
    staged = sum(tool.staged for tool in registry.tools.values())
    return len(registry.tools), staged, len(registry.surfaces)
