"""Changing what holds for the whole clinic: its name, and the shortest gap that is offered as free."""

from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.auth.models import Clinic
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.documents import clinic_of
from deputize_hosts.clinic.errors import InvalidValue
from deputize_hosts.clinic.patients.fields import name_of

WRITE = "settings.write"
"""Held by administrators only, through `*`."""
SLOTS = (5, 240)


async def change(session: AsyncSession, actor: Caller, name: str, slot_minutes: int) -> Clinic:
    """Time zone and currency stay: what is booked and paid was meant in them. Raises InvalidValue."""
    clinic = await clinic_of(session, require(actor, WRITE))
    short = name_of(actor, "name", name, 120)
    least, most = SLOTS
    if not least <= slot_minutes <= most:
        raise InvalidValue(actor, "slot", f"entre {least} y {most} minutos", f"between {least} and {most} minutes")
    clinic.name, clinic.slot_minutes = short, slot_minutes
    await session.flush()
    return clinic
