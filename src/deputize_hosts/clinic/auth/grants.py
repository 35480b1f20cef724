"""What each role may do, in the clinic's permission strings."""

from collections.abc import Mapping

from deputize_hosts.clinic.auth.models import Role

COPILOT = ("copilot.chat", "copilot.history.read")
AGENDA = ("agenda.appointments.read", "agenda.appointments.write", "agenda.cabinets.read")
SCHEDULES = ("schedules.availability.read",)
PATIENTS = ("patients.read", "patients.write")
PAYMENTS = ("payments.record.read", "payments.record.write")
RECALLS = ("recalls.read", "recalls.write")
TIMELINE = ("patient_timeline.read",)
CATALOG = ("catalog.read",)
BUDGET = ("budget.read", "budget.write")
BILLING = ("billing.read", "billing.write")

_ASSISTANT = frozenset(
    {
        *PATIENTS,
        *AGENDA,
        *SCHEDULES,
        *PAYMENTS,
        "reports.scheduling.read",
        *TIMELINE,
        *CATALOG,
        *RECALLS,
        *BUDGET,
        *BILLING,
        *COPILOT,
    }
)

GRANTS: Mapping[Role, frozenset[str]] = {
    Role.ADMIN: frozenset({"*"}),
    Role.DENTIST: frozenset(
        {
            "patients.*",
            *AGENDA,
            *SCHEDULES,
            *PAYMENTS,
            "payments.reports.read",
            "reports.billing.read",
            "reports.scheduling.read",
            *TIMELINE,
            *CATALOG,
            *RECALLS,
            "budget.*",
            "billing.*",
            *COPILOT,
        }
    ),
    Role.HYGIENIST: frozenset(
        {
            "patients.read",
            *AGENDA,
            *SCHEDULES,
            "payments.record.read",
            "reports.scheduling.read",
            *TIMELINE,
            *CATALOG,
            *RECALLS,
            "budget.read",
            "billing.read",
            *COPILOT,
        }
    ),
    Role.ASSISTANT: _ASSISTANT,
    Role.RECEPTIONIST: _ASSISTANT | {"reports.billing.read"},
}
"""Copilot history of others, supervision and configuration, and the editing of hours, are the admin's `*`."""
