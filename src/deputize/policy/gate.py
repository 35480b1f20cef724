"""The door's order of questions, each a small rule; the first no is the answer (TOOL-4).

known → denylist → mode and surface → switch and opt-in → permissions → arguments → pinning and version →
provenance → guard → rate limit → loop check → write cap → execute or stage. The guard and the counts need
the database, so the engine asks them; everything that can be asked without it is asked here.
"""

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


def asks_authority(
    tool: Tool | None, toolset: str, surface: Surface, actor: Actor, limits: Limits, *, switched_on: bool
) -> No | None:
    """The questions before the arguments; None lets the call pass on."""
    if tool is None:
        return No(Outcome.INVALID, "unknown_tool", "known", "There is no such tool.")
    if admits(limits.blocked_tools, toolset, tool.name):
        return No(Outcome.REFUSED, "denylisted", "denylist", "This tool is blocked by the operator.")
    if not admits(surface.tools, toolset, tool.name):
        return No(Outcome.BLOCKED, "AI_INJECTION_BLOCKED", "surface", "This tool does not belong to this place.")
    if surface.mode == "read" and tool.staged:
        return No(Outcome.REFUSED, "read_only", "mode", "Here nothing can be changed.")
    if actor.kind != "human":
        return No(Outcome.REFUSED, "not_a_person", "mode", "Only a person may use this tool.")
    if not switched_on or not actor.ai_enabled:
        return No(Outcome.REFUSED, "AI_DISABLED", "switch", "The copilot is switched off.")
    if not allows_all(actor.grants, tool.permissions):
        return No(Outcome.REFUSED, "permission_denied", "permissions", "You do not have the permission for this.")
    return None


def offered(tool: Tool, toolset: str, surface: Surface, actor: Actor, limits: Limits) -> bool:
    """Whether the tool is shown to the model at all; the door asks again at every call."""
    return asks_authority(tool, toolset, surface, actor, limits, switched_on=True) is None


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
