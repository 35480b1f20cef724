"""Who calls a service: an id, a clinic and grants; services ask `require` before anything else."""

from collections.abc import Set
from typing import Protocol
from uuid import UUID

from deputize_hosts.clinic.errors import NotAllowed


class Caller(Protocol):
    """The part of a signed-in member (or of whoever acts for one) that services look at."""

    @property
    def id(self) -> str:
        """The user's id."""
        ...

    @property
    def tenant(self) -> str:
        """The clinic's id."""
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
        """The clinic's IANA zone."""
        ...


def holds(grants: Set[str], permission: str) -> bool:
    """True if the grants cover the permission: itself, `*`, or a wildcard of one of its prefixes."""
    if permission in grants or "*" in grants:
        return True
    parts = permission.split(".")
    return any(".".join(parts[:n]) + ".*" in grants for n in range(1, len(parts)))


def require(actor: Caller, *permissions: str) -> UUID:
    """The clinic that the caller may work in. Raises NotAllowed for the first permission that is missing, and for
    whoever holds none at all, such as the system."""
    if not actor.grants:
        raise NotAllowed(actor, permission=next(iter(permissions), "*"))
    for permission in permissions:
        if not holds(actor.grants, permission):
            raise NotAllowed(actor, permission=permission)
    return UUID(actor.tenant)
