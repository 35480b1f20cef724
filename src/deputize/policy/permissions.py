"""Whether grants cover a permission, and which tools an actor may be offered (TOOL-3)."""

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase


def allows(grants: Collection[str], permission: str) -> bool:
    """True if a grant equals the permission or is a wildcard above it (`*`, `module.*`)."""
    if permission in grants or "*" in grants:
        return True
    parts = permission.split(".")
    return any(".".join((*parts[:n], "*")) in grants for n in range(1, len(parts)))


def allows_all(grants: Collection[str], permissions: Iterable[str]) -> bool:
    """True if every permission is covered; an empty list of permissions is covered by nobody (no rule, no action)."""
    needed = tuple(permissions)
    return bool(needed) and all(allows(grants, permission) for permission in needed)


def admits(patterns: Iterable[str], toolset: str, tool: str) -> bool:
    """True if a pattern over `toolset.tool`, or over the bare tool name, admits the tool."""
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in (f"{toolset}.{tool}", tool))
