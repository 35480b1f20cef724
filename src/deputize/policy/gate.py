"""The door's order of questions, each a small rule; the first no is the answer (TOOL-4).

known → denylist → mode and surface → switch and opt-in → permissions → arguments → pinning and version →
provenance → guard → rate limit → loop check → write cap → execute or stage. The guard and the counts need
the database, so the engine asks them; everything that can be asked without it is asked here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from deputize.core.actor import Actor
from deputize.core.run import Outcome
from deputize.core.tool import Tool
from deputize.core.toolset import Surface
from deputize.policy.limits import Limits
from deputize.policy.permissions import admits, allows_all


@dataclass(frozen=True, slots=True)
class No:
    """The door stays shut: outcome, code, and which question said so (for the record and the tests)."""

    outcome: Outcome
    code: str
    door: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the questions before the arguments look at."""

    tool: Tool | None
    toolset: str
    surface: Surface
    actor: Actor
    limits: Limits
    switched_on: bool


def asks_known(a: Asked) -> No | None:
    """There is such a tool."""
    return No(Outcome.INVALID, "unknown_tool", "known", "There is no such tool.") if a.tool is None else None


def asks_denylist(a: Asked) -> No | None:
    """The operator has not blocked it (TOOL-10)."""
    if a.tool is not None and admits(a.limits.blocked_tools, a.toolset, a.tool.name):
        return No(Outcome.REFUSED, "denylisted", "denylist", "This tool is blocked by the operator.")
    return None


def asks_surface(a: Asked) -> No | None:
    """It belongs to this place."""
    if a.tool is not None and not admits(a.surface.tools, a.toolset, a.tool.name):
        return No(Outcome.BLOCKED, "AI_INJECTION_BLOCKED", "surface", "This tool does not belong to this place.")
    return None


def asks_mode(a: Asked) -> No | None:
    """Where people only look nothing is changed."""
    if a.surface.mode == "read" and a.tool is not None and a.tool.staged:
        return No(Outcome.REFUSED, "read_only", "mode", "Here nothing can be changed.")
    return None


def asks_person(a: Asked) -> No | None:
    """The copilot's tools are for people (AUTO-5)."""
    if a.actor.kind != "human":
        return No(Outcome.REFUSED, "not_a_person", "mode", "Only a person may use this tool.")
    return None


def asks_switch(a: Asked) -> No | None:
    """The copilot is on, for everybody and for this person (AUTO-4, AUTO-7)."""
    if not a.switched_on or not a.actor.ai_enabled:
        return No(Outcome.REFUSED, "AI_DISABLED", "switch", "The copilot is switched off.")
    return None


def asks_permissions(a: Asked) -> No | None:
    """The actor holds every permission of the tool (TOOL-3)."""
    if a.tool is not None and not allows_all(a.actor.grants, a.tool.permissions):
        return No(Outcome.REFUSED, "permission_denied", "permissions", "You do not have the permission for this.")
    return None


QUESTIONS: tuple[Callable[[Asked], No | None], ...] = (
    asks_known,
    asks_denylist,
    asks_surface,
    asks_mode,
    asks_person,
    asks_switch,
    asks_permissions,
)
"""The questions before the arguments, in their order."""


def asks_authority(
    tool: Tool | None, toolset: str, surface: Surface, actor: Actor, limits: Limits, *, switched_on: bool
) -> No | None:
    """The questions before the arguments; None lets the call pass on."""
    asked = Asked(tool, toolset, surface, actor, limits, switched_on)
    return next((no for question in QUESTIONS if (no := question(asked)) is not None), None)


def offered(tool: Tool, toolset: str, surface: Surface, actor: Actor, limits: Limits) -> bool:
    """Whether the tool is shown to the model at all; the door asks again at every call."""
    return asks_authority(tool, toolset, surface, actor, limits, switched_on=True) is None


def asks_detection(tool: Tool, *, prose: bool, withheld: bool) -> No | None:
    """RED-6: while nothing can find names in free text, tools that return it are withheld, also by their bare name."""
    if prose and withheld:
        return No(Outcome.REFUSED, "detection_off", "detection", f"{tool.name} is not available at the moment.")
    return None


def asks_rates(minute: int, conversation: int, limits: Limits) -> No | None:
    """TOOL-10: actions of this actor in the last minute and in this conversation."""
    if minute >= limits.actions_per_minute:
        return No(Outcome.REFUSED, "rate_limited", "rate", "Too many actions in a minute.")
    if conversation >= limits.actions_per_session:
        return No(Outcome.REFUSED, "session_limit", "rate", "Too many actions in this conversation.")
    return None


def asks_write_cap(staged: int, limits: Limits) -> No | None:
    """TOOL-15: how many writes of this run were staged before."""
    if staged >= limits.staged_writes_per_run:
        return No(Outcome.REFUSED, "write_cap", "write_cap", "No more changes in this request.")
    return None
