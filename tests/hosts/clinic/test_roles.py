"""Role grants are those of the domain, and wildcards cover what they should."""

import pytest

from deputize_hosts.clinic.auth.grants import GRANTS
from deputize_hosts.clinic.auth.models import Role
from deputize_hosts.clinic.caller import holds

MATRIX = """
permission                    admin dentist hygienist assistant receptionist
patients.read                 x     x       x         x         x
patients.write                x     x       -         x         x
agenda.appointments.read      x     x       x         x         x
agenda.appointments.write     x     x       x         x         x
agenda.cabinets.read          x     x       x         x         x
schedules.availability.read   x     x       x         x         x
schedules.hours.write         x     -       -         -         -
payments.record.read          x     x       x         x         x
payments.record.write         x     x       -         x         x
payments.reports.read         x     x       -         -         -
reports.billing.read          x     x       -         -         x
reports.scheduling.read       x     x       x         x         x
patient_timeline.read         x     x       x         x         x
catalog.read                  x     x       x         x         x
recalls.read                  x     x       x         x         x
recalls.write                 x     x       x         x         x
budget.read                   x     x       x         x         x
budget.write                  x     x       -         x         x
billing.read                  x     x       x         x         x
billing.write                 x     x       -         x         x
copilot.chat                  x     x       x         x         x
copilot.history.read          x     x       x         x         x
copilot.history.read_all      x     -       -         -         -
copilot.supervise             x     -       -         -         -
copilot.configure             x     -       -         -         -
"""
HEADER, *ROWS = [line.split() for line in MATRIX.strip().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_who_may_what(row: list[str]) -> None:
    for role, mark in zip(HEADER[1:], row[1:], strict=True):
        assert holds(GRANTS[Role(role)], row[0]) == (mark == "x"), role


def test_a_wildcard_covers_its_own_branch_only() -> None:
    assert holds({"budget.*"}, "budget.items.write")
    assert not holds({"budget.*"}, "budgets.read")
    assert not holds({"budget.*"}, "budget")
    assert not holds(set(), "budget.read")
