"""What each role may do, in the desk's permission strings."""

from collections.abc import Mapping

from deputize_hosts.workorders.users.models import Role

COPILOT = ("copilot.chat", "copilot.history.read")

GRANTS: Mapping[Role, frozenset[str]] = {
    Role.VIEWER: frozenset({"orders.read", *COPILOT}),
    Role.USER: frozenset({"orders.read", "orders.write", *COPILOT}),
    Role.ADMIN: frozenset({"*"}),
}
"""Everybody's orders, the users, and the copilot's supervision and configuration are the admin's `*`."""
