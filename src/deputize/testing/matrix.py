"""The authority matrix: every tool × role × own or other tenant, tried through the door (TOOL-3)."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from deputize.core.actor import Actor
from deputize.testing.trial import Trial

Where = Literal["own", "other"]
Cell = tuple[str, str, Where]
"""Tool, role, and whose records its arguments name."""
Arguments = Mapping[str, Mapping[str, Any]]
"""For each tool valid arguments that name records of one tenant."""
Screen = Sequence[tuple[str, str]]


async def authority_matrix(
    trial: Trial,
    actors: Mapping[str, Actor],
    own: Arguments,
    other: Arguments,
    *,
    own_screen: Screen = (),
    other_screen: Screen = (),
) -> dict[Cell, str]:
    """What came of every declared tool for every role, with records of its own tenant and of another one.

    `own` and `other` give the arguments by tool; a tool that names no record stands only in `own`. The screens
    show the records that the arguments name, as a page would; what the actor may not see there is dropped.
    The answer maps each cell to `staged`, `ok`, or an outcome with its code, such as `refused permission_denied`:
    compare it with a table written by hand. Raises KeyError for a declared tool without arguments.
    """
    found: dict[Cell, str] = {}
    for tool in trial.deputy.wiring.registry.tools:
        for role, actor in actors.items():
            found[tool, role, "own"] = str(await trial.call(actor, tool, own[tool], own_screen))
            if tool in other:
                found[tool, role, "other"] = str(await trial.call(actor, tool, other[tool], other_screen))
    return found


def table(matrix: Mapping[Cell, str], roles: Sequence[str]) -> str:
    """The matrix as lines of `tool where | role | role …`, for reading and for snapshots."""
    rows = sorted({(tool, where) for tool, _, where in matrix})
    lines = [" | ".join(["tool", *roles])]
    lines += [
        " | ".join([f"{tool} {where}", *(matrix.get((tool, role, where), "-") for role in roles)])
        for tool, where in rows
    ]
    return "\n".join(lines)
