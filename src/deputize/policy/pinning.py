"""Pinning: a call names only what this conversation has seen, at a version this run has read (TOOL-5, TOOL-6)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deputize.core.marks import Target, leaves
from deputize.core.tool import Args


@dataclass(frozen=True, slots=True)
class Seen:
    """What the conversation has seen: `(entity, id)` pairs, and the versions that this run's results carried."""

    ids: Collection[tuple[str, str]]
    versions: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Pinned:
    """Every target was seen; `versions` are those this run read, named as by `version_names`."""

    targets: tuple[tuple[str, str], ...]
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NotSeen:
    """An id that no result returned and no screen seeded: `blocked`."""

    entity: str
    field: str


@dataclass(frozen=True, slots=True)
class NotRead:
    """Seen, but no result of this run carried its version: read it first."""

    entity: str
    field: str


def targets_of(model: type[Args], arguments: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """`(entity, id, argument path)` of each object that the arguments name."""
    found = []
    for leaf in leaves(model, dict(arguments)):
        target = leaf.field.mark(Target)
        if target is not None:
            found.append((target.entity, str(leaf.value), ".".join(map(str, leaf.path))))
    return tuple(found)


def version_names(targets: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """By what name each target's version is kept: the kind for the first of its kind, `kind:id` for further ones."""
    names: dict[tuple[str, str], str] = {}
    for entity, ident in targets:
        taken = entity in names.values()
        names.setdefault((entity, ident), f"{entity}:{ident}" if taken else entity)
    return names


def pin(
    model: type[Args], arguments: Mapping[str, Any], seen: Seen, versioned: Collection[str]
) -> Pinned | NotSeen | NotRead:
    """Ask every target of the call; `versioned` are the entity kinds that have a version column."""
    versions: dict[str, str] = {}
    named = targets_of(model, arguments)
    targets = tuple((entity, ident) for entity, ident, _ in named)
    names = version_names(targets)
    for entity, ident, path in named:
        if (entity, ident) not in seen.ids:
            return NotSeen(entity, path)
    for entity, ident, path in named:
        if entity in versioned:
            version = seen.versions.get((entity, ident))
            if version is None:
                return NotRead(entity, path)
            versions[names[entity, ident]] = version
    return Pinned(targets, versions)
