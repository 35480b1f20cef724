"""Refusals of the agenda with what would be legal: allowed moves, the slot in the way, free slots near it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.claims import Conflict, Place, find_conflict
from deputize_hosts.clinic.agenda.lookups import active_cabinets
from deputize_hosts.clinic.agenda.models import Cabinet
from deputize_hosts.clinic.agenda.status import MOVABLE, MOVES, NAMES, Status
from deputize_hosts.clinic.auth.models import Membership
from deputize_hosts.clinic.auth.service import professionals_of
from deputize_hosts.clinic.caller import Caller
from deputize_hosts.clinic.clock import clock_text, to_local
from deputize_hosts.clinic.errors import CabinetNeeded, IllegalMove, InThePast, NobodyFree, NotMovable, SlotTaken
from deputize_hosts.clinic.schedules import service as schedules


def illegal(actor: Caller, before: Status, after: Status) -> IllegalMove:
    """The table does not hold the move."""
    allowed = MOVES[before]
    words = {
        f"{name}_{language}": text
        for language in ("es", "en")
        for name, text in (
            ("before", NAMES[before][language]),
            ("after", NAMES[after][language]),
            ("allowed", ", ".join(NAMES[status][language] for status in allowed) or "–"),
        )
    }
    near = {"status": before.value, "allowed": [status.value for status in allowed]}
    return IllegalMove(actor, alternatives=near, **words)


def not_movable(actor: Caller, status: Status) -> NotMovable:
    """It has begun, or it is over."""
    near = {"status": status.value, "movable": sorted(state.value for state in MOVABLE)}
    return NotMovable(actor, alternatives=near, status_es=NAMES[status]["es"], status_en=NAMES[status]["en"])


async def past(session: AsyncSession, actor: Caller, place: Place, now: datetime) -> InThePast:
    """Its start is over; the next free slots, of the professional if one was named."""
    who = None if place.professional == place.clinic else place.professional
    ahead = replace(place, start=now, end=now + (place.end - place.start))
    local = to_local(actor, place.start)
    return InThePast(
        actor, alternatives={"free": await _free(session, actor, ahead, now, who)}, when=f"{local:%d/%m/%Y %H:%M}"
    )


async def nobody_free(session: AsyncSession, actor: Caller, place: Place, now: datetime) -> NobodyFree:
    """No professional is free then."""
    near = {"free": await _free(session, actor, place, now, None)}
    start, end = clock_text(actor, place.start), clock_text(actor, place.end)
    return NobodyFree(actor, alternatives=near, start=start, end=end)


async def slot_taken(
    session: AsyncSession, actor: Caller, conflict: Conflict, place: Place, now: datetime
) -> SlotTaken:
    """Who is taken and when, the nearest free slots of the same professional, and the nearest of the others."""
    model = Membership if conflict.kind == "professional" else Cabinet
    name = await session.scalar(select(model.name).where(model.id == conflict.resource)) or ""
    taken = {
        "kind": conflict.kind,
        "name": name,
        "start": to_local(actor, conflict.start).isoformat(),
        "end": to_local(actor, conflict.end).isoformat(),
    }
    near = {
        "conflict": taken,
        "free": await _free(session, actor, place, now, place.professional),
        "other_professionals": await _free(session, actor, place, now, None, but=place.professional),
    }
    start, end = clock_text(actor, conflict.start), clock_text(actor, conflict.end)
    return SlotTaken(actor, alternatives=near, who=name, start=start, end=end)


async def cabinet_needed(session: AsyncSession, actor: Caller, place: Place) -> CabinetNeeded:
    """Treatment wants to start without a cabinet; the free ones are named."""
    free = []
    for room in await active_cabinets(session, place.clinic):
        there = Place(place.clinic, place.professional, room.id, place.start, place.end, place.own)
        if await find_conflict(session, there) is None:
            free.append({"id": str(room.id), "name": room.name})
    return CabinetNeeded(actor, alternatives={"cabinets": free})


async def _free(
    session: AsyncSession,
    actor: Caller,
    place: Place,
    now: datetime,
    professional: UUID | None,
    but: UUID | None = None,
) -> Sequence[dict[str, Any]]:
    """The nearest free slots in clinic time, of one professional or of all `but` one."""
    people = await professionals_of(session, place.clinic)
    names = {p.id: p.name for p in people if professional in (None, p.id) and p.id != but}
    minutes = int((place.end - place.start).total_seconds() // 60)
    slots = await schedules.nearest(
        session, actor, place.start, minutes, names, now=now, cabinet_id=place.cabinet, exclude=place.own
    )
    return [
        {
            "professional_id": str(slot.professional_id),
            "professional": slot.professional,
            "start": to_local(actor, slot.start).isoformat(),
            "end": to_local(actor, slot.end).isoformat(),
        }
        for slot in slots
    ]
