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
        person_kinds=_person_kinds(entities),
    )


def _person_kinds(entities: Sequence[Entity]) -> frozenset[str]:
    """Kinds whose records are persons: those with a personal name."""
    return frozenset(e.kind for e in entities if any(is_name(kind) for kind in e.personal.values()))


def count(registry: Registry) -> tuple[int, int, int]:
    """How many tools, how many of them staged, and how many surfaces."""
    staged = sum(tool.staged for tool in registry.tools.values())
    return len(registry.tools), staged, len(registry.surfaces)
