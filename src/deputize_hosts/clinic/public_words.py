"""The words of the house: names of states, treatments, rooms and staff, which are no patient's data (RED-5)."""

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize_hosts.clinic.agenda.models import Cabinet
from deputize_hosts.clinic.agenda.status import NAMES
from deputize_hosts.clinic.agenda.treatments import KINDS
from deputize_hosts.clinic.auth.models import Membership
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


TITLES_OF = {"dr": ("dr", "doctor"), "dra": ("dra", "doctora", "dr", "doctor")}
"""How people say a title, by how it is written; English has one for both."""


async def public_names(connection: AsyncConnection, tenant: str) -> list[str]:
    """Cabinets and members of one clinic as written, and each doctor by title and surname (`la doctora Ruiz`)."""
    clinic = UUID(tenant)
    rooms = await connection.scalars(select(Cabinet.name).where(Cabinet.clinic_id == clinic))
    people = await connection.scalars(select(Membership.name).where(Membership.clinic_id == clinic))
    members = list(people)
    return [*rooms, *members, *(said for member in members for said in _titled(member))]


def _titled(name: str) -> list[str]:
    title, *rest = name.split()
    titles = TITLES_OF.get(title.lower().rstrip("."), ())
    return [f"{one} {' '.join(rest[n:])}" for one in titles for n in range(len(rest))]
