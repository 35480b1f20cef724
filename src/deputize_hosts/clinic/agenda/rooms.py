"""Adding cabinets, and taking them out of use."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.models import Appointment, Cabinet
from deputize_hosts.clinic.agenda.status import FREES_TIME, Status
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.errors import CabinetBusy, DuplicateCabinet, NotFound
from deputize_hosts.clinic.patients.fields import name_of

WRITE = "agenda.cabinets.write"


async def add_cabinet(session: AsyncSession, actor: Caller, name: str) -> Cabinet:
    """A new cabinet in use. Raises InvalidValue, DuplicateCabinet."""
    clinic = require(actor, WRITE)
    short = name_of(actor, "name", name, 60)
    cabinet = Cabinet(clinic_id=clinic, name=short)
    try:
        async with session.begin_nested():
            session.add(cabinet)
            await session.flush()
    except IntegrityError:
        raise DuplicateCabinet(actor, cabinet=short) from None
    return cabinet


async def set_in_use(session: AsyncSession, actor: Caller, cabinet_id: UUID, active: bool, *, now: datetime) -> Cabinet:
    """Into use or out of it; not while appointments to come need it. Raises NotFound, CabinetBusy."""
    clinic = require(actor, WRITE)
    query = select(Cabinet).where(Cabinet.id == cabinet_id, Cabinet.clinic_id == clinic)
    cabinet = await session.scalar(query.with_for_update())
    if cabinet is None:
        raise NotFound(actor, what="cabinet" if actor.locale.startswith("en") else "gabinete")
    if not active:
        done = [*FREES_TIME, Status.COMPLETED]
        waiting = await session.scalar(
            select(func.count())
            .select_from(Appointment)
            .where(
                Appointment.cabinet_id == cabinet.id,
                Appointment.ends_at > now,
                Appointment.status.not_in([status.value for status in done]),
            )
        )
        if waiting:
            raise CabinetBusy(actor, alternatives={"appointments": waiting}, cabinet=cabinet.name, count=waiting)
    cabinet.active = active
    await session.flush()
    return cabinet
