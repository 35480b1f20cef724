"""Everything that the clinic knows of one person, part by part, as far as the member may see it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda import reading as agenda
from deputize_hosts.clinic.agenda.reading import Booking
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.billing import reading as billing
from deputize_hosts.clinic.billing.reading import Bill
from deputize_hosts.clinic.budget import reading as budget
from deputize_hosts.clinic.budget.reading import Quote
from deputize_hosts.clinic.patient_timeline import service as timeline
from deputize_hosts.clinic.patient_timeline.models import TimelineEvent
from deputize_hosts.clinic.payments import reading as payments
from deputize_hosts.clinic.payments.reading import Ledger, Receipt
from deputize_hosts.clinic.recalls import reading as recalls
from deputize_hosts.clinic.recalls.models import Recall


@dataclass(slots=True)
class Person:
    """The parts of a patient's card; None or empty where the member may not see one."""

    bookings: Sequence[Booking] = ()
    recalls: Sequence[Recall] = ()
    quotes: Sequence[Quote] = ()
    bills: Sequence[Bill] = ()
    receipts: Sequence[Receipt] = ()
    account: Ledger | None = None
    events: Sequence[TimelineEvent] = field(default_factory=tuple)


async def whole_person(session: AsyncSession, member: Member, patient_id: UUID) -> Person:
    """The latest of each kind."""
    found = Person()
    if member.may(agenda.READ):
        found.bookings = await agenda.of_patient(session, member, patient_id, limit=8)
    if member.may(recalls.READ):
        found.recalls = await recalls.of_patient(session, member, patient_id)
    if member.may(budget.READ):
        found.quotes = (await budget.search(session, member, patient_id=patient_id, size=8)).items
    if member.may(billing.READ):
        found.bills = (await billing.search(session, member, patient_id=patient_id, size=8)).items
    if member.may(payments.READ):
        found.receipts = (await payments.search(session, member, patient_id=patient_id, size=8)).items
        if member.may(billing.READ):
            found.account = await payments.ledger(session, member, patient_id)
    if member.may(timeline.READ):
        found.events = (await timeline.of_patient(session, member, patient_id, size=12)).items
    return found
