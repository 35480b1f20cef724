"""What start-up refuses: tools that could not be governed, all faults named at once (TOOL-2, TOOL-16)."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin

from deputize.core.entity import Entity
from deputize.core.marks import (
    Destination,
    Field,
    Personal,
    Prose,
    Public,
    RecursiveModel,
    Target,
    Text,
    Trusted,
    Version,
    Yields,
    fields,
)
from deputize.core.tool import Tool
from deputize.core.toolset import DISCLAIMERS, Surface, Toolset
from deputize.policy.permissions import admits

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,63}")
INJECTED = frozenset(
    {
        "tenant",
        "tenant_id",
        "clinic_id",
        "organisation_id",
        "organization_id",
        "owner",
        "owner_id",
        "actor",
        "actor_id",
        "user_id",
        "version",
        "approved",
        "confirmed",
        "approval",
    }
)
"""Argument names that are never the model's to say (TOOL-5)."""
_INJECTED = frozenset(name.replace("_", "") for name in INJECTED)

SAID = (Yields, Version, Personal, Prose, Public, Trusted, Text, Destination)
"""Marks of which a text in a result needs one, so that undeclared prose cannot slip out (TOOL-2)."""


def idle_denials(patterns: Iterable[str], toolsets: Sequence[Toolset]) -> list[str]:
    """Faults of a denylist: a pattern that names no tool would block nothing, and nobody would notice (TOOL-10)."""
    offered = [(toolset.name, tool.name) for toolset in toolsets for tool in toolset.tools]
    idle = [one for one in sorted(patterns) if not any(admits([one], *names) for names in offered)]
    return [f"AI_BLOCKED_TOOLS: `{one}` names no tool" for one in idle]


def faults_of(
    toolsets: Sequence[Toolset], entities: Mapping[str, Entity], surfaces: Sequence[Surface], channels: Collection[str]
) -> list[str]:
    """Every reason why these declarations cannot be governed; empty where all is well."""
    faults = list(_twice([tool.name for toolset in toolsets for tool in toolset.tools], "tool"))
    faults += _twice([toolset.name for toolset in toolsets], "toolset")
    faults += _twice([surface.name for surface in surfaces], "surface")
    tools = [tool for toolset in toolsets for tool in toolset.tools]
    versioned = {mark.entity for tool in tools for mark in _versions_given(tool)}
    for tool in tools:
        faults += [f"tool {tool.name}: {text}" for text in _tool(tool, entities, versioned)]
    for surface in surfaces:
        faults += [f"surface {surface.name}: {text}" for text in _surface(surface, toolsets)]
    return faults


def _twice(names: Sequence[str], what: str) -> Iterator[str]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{what} {name}: declared twice"


def _tool(tool: Tool, entities: Mapping[str, Entity], versioned: Collection[str]) -> Iterator[str]:
    if not NAME.fullmatch(tool.name):
        yield "its name must be letters, digits and underscores, at most 64"
    if not tool.permissions or not all(tool.permissions):
        yield "it names no permission"
    if not tool.description:
        yield "its handler has no docstring, so no model could know what it does"
    if not tool.approve.by.strip():
        yield "it names nobody who approves (Approve(by=...))"
    if tool.approve.ttl is not None and not 0 < tool.approve.ttl < float("inf"):
        yield "an approval lives for some seconds (Approve(ttl=...))"
    if tool.effect == "read" and tool.hidden:
        yield "a read changes nothing, so it cannot hide changes"
    try:
        arguments, results = fields(tool.args), fields(tool.result)
    except RecursiveModel as error:
        yield f"{error}; bound it or leave it out"
        return
    yield from _arguments(tool, arguments, entities, versioned)
    yield from _results(results, entities)


def _arguments(
    tool: Tool, arguments: Sequence[Field], entities: Mapping[str, Entity], versioned: Collection[str]
) -> Iterator[str]:
    targets = [mark.entity for field in arguments if (mark := field.mark(Target))]
    if tool.effect != "read" and not targets and not tool.no_target:
        yield "a write names its object (Target) or says why it has none (no_target=)"
    for entity in sorted(set(targets)):
        if entity not in entities:
            yield f"its target {entity} is no declared entity"
        elif tool.staged and entities[entity].version and entity not in versioned:
            yield f"no tool yields the version of its target {entity} (Yields with Version beside it)"
    for field in arguments:
        if _bare(field.path[-1]) in _INJECTED or field.path[-1] in _columns(entities):
            yield f"the argument {'.'.join(field.path)} is not the model's to say"


def _bare(name: str) -> str:
    """`tenantId` and `TENANT_ID` say the same."""
    return name.replace("_", "").lower()


def _columns(entities: Mapping[str, Entity]) -> set[str]:
    """Columns by which the host itself tells tenants and versions."""
    return {name for entity in entities.values() for name in (entity.tenant, entity.version) if name}


def _results(results: Sequence[Field], entities: Mapping[str, Entity]) -> Iterator[str]:
    for field in results:
        where = ".".join(field.path)
        yields = field.mark(Yields)
        if yields is not None and yields.entity not in entities:
            yield f"the result {where} yields {yields.entity}, which is no declared entity"
        if _may_be_text(field.annotation) and not any(field.mark(kind) for kind in SAID):
            yield f"the result {where} is text that is neither Public, Personal, Trusted nor Prose"


def _may_be_text(annotation: Any) -> bool:
    """Text, and whatever may turn out to be text: `Any`, `object`, a union with text in it."""
    if get_origin(annotation) in (Union, UnionType):
        return any(_may_be_text(one) for one in get_args(annotation))
    return annotation in (str, Any, object)


def _versions_given(tool: Tool) -> Iterator[Yields]:
    try:
        results = fields(tool.result)
    except RecursiveModel:
        return
    beside = {field.path[:-1] for field in results if field.mark(Version)}
    for field in results:
        yields = field.mark(Yields)
        if yields is not None and field.path[:-1] in beside:
            yield yields


def _surface(surface: Surface, toolsets: Sequence[Toolset]) -> Iterator[str]:
    if not surface.prompt.strip():
        yield "it has no prompt"
    if surface.disclaimer not in DISCLAIMERS:
        yield f"its disclaimer must be one of {', '.join(sorted(DISCLAIMERS))}"
    for pattern in surface.tools:
        if not any(admits([pattern], toolset.name, tool.name) for toolset in toolsets for tool in toolset.tools):
            yield f"the pattern {pattern} admits no tool"
