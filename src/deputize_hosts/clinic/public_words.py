"""The words of the house: names of states, treatments and shelves, which are nobody's personal data (RED-5)."""

from collections.abc import Mapping

from deputize_hosts.clinic.agenda.status import NAMES
from deputize_hosts.clinic.agenda.treatments import KINDS
from deputize_hosts.clinic.billing.status import NAMES as INVOICES
from deputize_hosts.clinic.budget.status import NAMES as QUOTES
from deputize_hosts.clinic.catalog.models import CATEGORIES
from deputize_hosts.clinic.patient_timeline.titles import TITLES
from deputize_hosts.clinic.payments.models import METHODS
from deputize_hosts.clinic.recalls.status import CHANNELS, OUTCOMES, PRIORITIES, REASONS, STATUSES


def public_words() -> list[str]:
    """Every name of an enumeration in both languages, and the titles of the timeline."""
    tables: list[list[Mapping[str, str]]] = [
        [kind.name for kind in KINDS.values()],
        *(
            list(table.values())
            for table in (
                NAMES,
                INVOICES,
                QUOTES,
                CATEGORIES,
                METHODS,
                CHANNELS,
                OUTCOMES,
                PRIORITIES,
                REASONS,
                STATUSES,
            )
        ),
    ]
    words = [name for table in tables for names in table for name in names.values()]
    return list(dict.fromkeys([*words, *(title for pair in TITLES.values() for title in pair)]))
