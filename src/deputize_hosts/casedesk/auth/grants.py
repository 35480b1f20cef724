"""What each role may do, in the case desk's permission strings."""

from collections.abc import Mapping

from deputize_hosts.casedesk.auth.models import Role

COPILOT = ("copilot.chat", "copilot.history.read")
READ = ("cases.read", "evidence.read", "discrepancies.read", "memory.read", "knowledge.read", "onboarding.read")
ANALYSE = (*READ, "notes.write", "feedback.write", *COPILOT)
DECIDE = (*ANALYSE, "discrepancies.resolve", "conflicts.clear", "memory.write", "onboarding.write", "cases.review")

GRANTS: Mapping[Role, frozenset[str]] = {
    Role.ADMIN: frozenset({"*"}),
    Role.MLRO: frozenset({*DECIDE, "cases.decide", "pack.export", "copilot.supervise", "copilot.history.read_all"}),
    Role.OFFICER: frozenset(DECIDE),
    Role.ANALYST: frozenset(ANALYSE),
    Role.AUDITOR: frozenset({*READ, *COPILOT, "pack.export", "copilot.supervise", "copilot.history.read_all"}),
    Role.CUSTOMER: frozenset({"portal.case.read", "copilot.chat"}),
}
"""A portal customer holds the portal's one permission and the right to chat, nothing of the desk's."""
