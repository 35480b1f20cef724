"""The approval gate: which discrepancies feed it, and whether it lets a case be approved; nothing else says so.

Pure: it looks at values that were loaded before, and asks no database. Whoever needs to know whether a
discrepancy feeds the gate imports `is_ubo_identity_discrepancy` from here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

ORDINARY = frozenset(
    {
        "company.address",
        "company.phone",
        "company.email",
        "company.website",
        "company.trading_name",
        "company.activity",
        "company.employees",
    }
)
"""Fields whose contradictions are a nuisance and no more. What is not listed is taken for an identity field."""

MILD = frozenset({"low", "medium", "high"})
"""Every other severity counts as critical."""

CLEARED_VIA = "conflicts_panel"
"""The one way by which a decision closes what feeds the gate."""


class GateDiscrepancy(Protocol):
    """The part of a discrepancy that the gate looks at."""

    @property
    def id(self) -> UUID:
        """Its id."""
        ...

    @property
    def field(self) -> str:
        """Such as `ubo.name`."""
        ...

    @property
    def severity(self) -> str:
        """`low`, `medium`, `high` or `critical`."""
        ...

    @property
    def status(self) -> str:
        """`open`, `resolved`, `escalated` or `reported`."""
        ...

    @property
    def decided_via(self) -> str:
        """The way of the newest decision; empty where there is none."""
        ...


class GateCase(Protocol):
    """A case with all its discrepancies."""

    @property
    def discrepancies(self) -> Sequence[GateDiscrepancy]:
        """All of them, whatever their state."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says: `blocking` are the discrepancies that keep it shut, in order of their ids."""

    blocking: tuple[UUID, ...]

    @property
    def open(self) -> bool:
        """True where nothing blocks approval."""
        return not self.blocking


def is_ubo_identity_discrepancy(d: GateDiscrepancy) -> bool:
    """Whether it feeds the gate: beneficial owners, identity fields, or severity critical.

    Fails closed: an unknown field or an unknown severity feeds the gate.
    """
    return d.field.strip().lower() not in ORDINARY or d.severity.strip().lower() not in MILD


def is_closed(d: GateDiscrepancy) -> bool:
    """Whether an officer closed it in the Conflicts panel, and nobody raised it again since."""
    return d.status == "resolved" and d.decided_via == CLEARED_VIA


def evaluate(case: GateCase) -> Verdict:
    """Approval is blocked while anything that feeds the gate is open, escalated, or reported without a decision."""
    blocking = (d.id for d in case.discrepancies if is_ubo_identity_discrepancy(d) and not is_closed(d))
    return Verdict(tuple(sorted(blocking)))
