"""Who calls a service: a person with grants; services ask `require` before anything else."""

from collections.abc import Set
from typing import Protocol
from uuid import UUID

from deputize_hosts.casedesk.errors import NotAllowed


class Caller(Protocol):
    """The part of a signed-in member (or of whoever acts for one) that services look at."""

    @property
    def id(self) -> str:
        """The user's id."""
        ...

    @property
    def tenant(self) -> str:
        """The firm's id."""
        ...

    @property
    def kind(self) -> str:
        """`human` or `system`; the system may do nothing here."""
        ...

    @property
    def grants(self) -> Set[str]:
        """Permission strings, wildcards included."""
        ...

    @property
    def locale(self) -> str:
        """The person's language."""
        ...

    @property
    def time_zone(self) -> str:
        """The firm's IANA zone."""
        ...


def holds(grants: Set[str], permission: str) -> bool:
    """True if the grants cover the permission: itself, `*`, or a wildcard of one of its prefixes."""
    if permission in grants or "*" in grants:
        return True
    parts = permission.split(".")
    return any(".".join(parts[:n]) + ".*" in grants for n in range(1, len(parts)))


def require(actor: Caller, *permissions: str) -> UUID:
    """The firm that the caller may work in. Raises NotAllowed for the first permission that is missing."""
    for permission in permissions:
        if actor.kind != "human" or not holds(actor.grants, permission):
            raise NotAllowed(actor, permission=permission)
    return UUID(actor.tenant)
