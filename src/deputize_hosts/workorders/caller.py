"""Who calls a service: a person with grants, or the system with one capability; services ask before anything else."""

from collections.abc import Set
from typing import Protocol
from uuid import UUID

from deputize_hosts.workorders.errors import NotAllowed

TRIAGE = "triage"
"""The one capability that a system caller can hold here."""


class Caller(Protocol):
    """The part of a signed-in member (or of whoever acts for one) that services look at."""

    @property
    def id(self) -> str:
        """The user's id."""
        ...

    @property
    def tenant(self) -> str:
        """The organisation's id."""
        ...

    @property
    def kind(self) -> str:
        """`human` or `system`."""
        ...

    @property
    def grants(self) -> Set[str]:
        """Permission strings, wildcards included."""
        ...

    @property
    def capability(self) -> str | None:
        """What a system caller may do; None for people."""
        ...

    @property
    def locale(self) -> str:
        """The person's language."""
        ...

    @property
    def time_zone(self) -> str:
        """The organisation's IANA zone."""
        ...


def holds(grants: Set[str], permission: str) -> bool:
    """True if the grants cover the permission: itself, `*`, or a wildcard of one of its prefixes."""
    if permission in grants or "*" in grants:
        return True
    parts = permission.split(".")
    return any(".".join(parts[:n]) + ".*" in grants for n in range(1, len(parts)))


def may(actor: Caller, permission: str) -> bool:
    """True for a person whose grants cover the permission; never for the system, whatever it claims to hold."""
    return actor.kind == "human" and actor.capability is None and holds(actor.grants, permission)


def require(actor: Caller, *permissions: str) -> UUID:
    """The organisation that a person may work in. Raises NotAllowed for the system and for a missing permission."""
    for permission in permissions:
        if not may(actor, permission):
            raise NotAllowed(actor, permission=permission)
    return UUID(actor.tenant)


def require_triage(actor: Caller) -> UUID:
    """The organisation that the triage capability is for. Raises NotAllowed for people and other capabilities."""
    if actor.kind != "system" or actor.capability != TRIAGE:
        raise NotAllowed(actor, permission=TRIAGE)
    return UUID(actor.tenant)
