"""Pages of the agenda: the day, the booking form, an appointment and what can be done with it."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda import service
from deputize_hosts.clinic.agenda.board import Board, Column, board, by_cabinet, by_professional, column, split
from deputize_hosts.clinic.agenda.forms import day_of, treatment_chosen, uuid_of, when_of
from deputize_hosts.clinic.agenda.reading import Booking
from deputize_hosts.clinic.agenda.status import MOVABLE, MOVES, Status
from deputize_hosts.clinic.agenda.treatments import KINDS
from deputize_hosts.clinic.auth.models import Membership
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.clock import to_local, today
from deputize_hosts.clinic.errors import ClinicError, InvalidValue
from deputize_hosts.clinic.pages.access import Form, Now, Signed, now_of, reading, writing
from deputize_hosts.clinic.pages.render import language_of, show, told_error
from deputize_hosts.clinic.pages.words import WORDS
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.clinic.schedules import service as schedules
from deputize_hosts.clinic.schedules.hours import Day
from deputize_hosts.kit.pages import go

router = APIRouter()


def _ok(member: Member, key: str) -> str:
    return WORDS.say(language_of(member), key)


@router.get("/agenda")
async def day_page(request: Request, member: Signed, now: Now, day: str = "", by: str = "professional") -> Response:
    """The board of one day, by professional or by cabinet."""
    on = day_of(day, today(member, now))
    async with reading(request) as session:
        people = await service.professionals(session, member)
        hours = await schedules.days(session, member, on, [person.id for person in people])
        made = await _board(session, member, request, on, by, people, hours)
    return show(
        request,
        member,
        "agenda.html",
        "agenda",
        board=made,
        hours=hours[None],
        day=on,
        by=by if by == "cabinet" else "professional",
        before=on - timedelta(days=1),
        after=on + timedelta(days=1),
        is_today=on == today(member, now),
        now_minute=_minute(member, request) if on == today(member, now) else None,
    )


def _minute(member: Member, request: Request) -> int:
    local = to_local(member, now_of(request))
    return local.hour * 60 + local.minute


async def _board(
    session: AsyncSession,
    member: Member,
    request: Request,
    on: date,
    by: str,
    people: Sequence[Membership],
    hours: Mapping[UUID | None, Day],
) -> Board:
    taking, ended = split(await service.of_day(session, member, on))
    now, columns = now_of(request), list[Column]()
    if by == "cabinet":
        for room, own in by_cabinet(await service.cabinets(session, member), taking):
            owner = (room.id, room.name, "") if room else (None, _ok(member, "agenda.no_cabinet"), "")
            open_ = hours[None].ranges if room else ()
            columns.append(column(member, on, now, owner, open_, own, gaps=room is not None))
        return board(columns, ended)
    for person, own in by_professional(people, taking):
        open_ = hours[person.id].ranges if person.id in hours else ()
        owner = (person.id, person.name, _ok(member, f"role.{person.role}"))
        columns.append(column(member, on, now, owner, open_, own, gaps=True))
    return board(columns, ended)


@router.get("/agenda/new")
async def booking_page(request: Request, member: Signed, now: Now) -> Response:
    """The booking form; without a patient first the search for one."""
    return await _booking_form(request, member, request.query_params)


@router.post("/agenda/new")
async def book(request: Request, member: Signed, form: Form, now: Now) -> Response:
    """Book, or show the form again with what stands in the way and what is free."""
    try:
        when, patient = when_of(member, form), uuid_of(member, "patient", form.get("patient", ""))
        if patient is None:
            raise InvalidValue(member, "patient", "falta elegirlo", "is missing")
        async with writing(request) as session:
            made = await service.book(
                session,
                member,
                patient,
                when.start,
                treatment_chosen(member, form.get("treatment", "")),
                now=now,
                professional_id=when.professional,
                cabinet_id=when.cabinet,
                minutes=when.minutes,
                note=form.get("note", ""),
            )
    except ClinicError as error:
        return await _booking_form(request, member, form, error)
    return go(request, f"/appointments/{made.id}", ok=_ok(member, "appointment.booked"))


async def _booking_form(
    request: Request, member: Member, values: Mapping[str, str], error: ClinicError | None = None
) -> Response:
    given = {
        name: values.get(name, "")
        for name in ("patient", "day", "time", "professional", "cabinet", "treatment", "minutes", "note", "q")
    }
    given["day"] = given["day"] or today(member, now_of(request)).isoformat()
    given["treatment"] = given["treatment"] or "checkup"
    async with reading(request) as session:
        chosen = uuid_of(member, "patient", given["patient"])
        patient = await patients.get(session, member, chosen) if chosen else None
        hits = await patients.search(session, member, given["q"], size=8) if given["q"] and not patient else None
        people = await service.professionals(session, member)
        rooms = await service.cabinets(session, member)
    return show(
        request,
        member,
        "booking.html",
        "booking",
        entities=[("patient", patient.id)] if patient else [],
        status=error.status if error else 200,
        given=given,
        patient=patient,
        hits=hits,
        people=people,
        rooms=rooms,
        kinds=KINDS,
        error=told_error(error),
    )


@router.get("/appointments/{appointment_id}")
async def appointment_page(request: Request, member: Signed, appointment_id: UUID) -> Response:
    """One appointment."""
    return await _appointment(request, member, appointment_id)


async def _appointment(
    request: Request,
    member: Member,
    own: UUID,
    error: ClinicError | None = None,
    given: Mapping[str, str] | None = None,
) -> Response:
    async with reading(request) as session:
        booking = await service.get(session, member, own)
        history = await service.history(session, member, own)
        people = await service.professionals(session, member)
        rooms = await service.cabinets(session, member)
    status = Status(booking.appointment.status)
    return show(
        request,
        member,
        "appointment.html",
        "appointment",
        entities=[("appointment", own), ("patient", booking.patient.id)],
        status=error.status if error else 200,
        booking=booking,
        appointment=booking.appointment,
        history=history,
        people=people,
        rooms=rooms,
        moves=[move for move in MOVES[status] if move is not Status.CANCELLED],
        may_cancel=Status.CANCELLED in MOVES[status],
        movable=status in MOVABLE,
        given=given or _given(member, booking),
        error=told_error(error),
    )


def _given(member: Member, booking: Booking) -> dict[str, str]:
    start = to_local(member, booking.appointment.starts_at)
    return {
        "day": start.date().isoformat(),
        "time": f"{start:%H:%M}",
        "professional": str(booking.appointment.professional_id),
        "cabinet": str(booking.appointment.cabinet_id or ""),
    }


@router.post("/appointments/{appointment_id}/status")
async def change_status(request: Request, member: Signed, appointment_id: UUID, form: Form, now: Now) -> Response:
    """Move along the table."""
    try:
        after = form.get("status", "")
        if after not in {status.value for status in Status}:
            raise InvalidValue(member, "status", "no es de la lista", "is not on the list")
        cabinet = uuid_of(member, "cabinet", form.get("cabinet", ""))
        async with writing(request) as session:
            await service.set_status(session, member, appointment_id, Status(after), now=now, cabinet_id=cabinet)
    except ClinicError as error:
        return await _appointment(request, member, appointment_id, error)
    return go(request, f"/appointments/{appointment_id}", ok=_ok(member, "appointment.changed"))


@router.post("/appointments/{appointment_id}/reschedule")
async def reschedule(request: Request, member: Signed, appointment_id: UUID, form: Form, now: Now) -> Response:
    """Move to another time, professional or cabinet."""
    try:
        when = when_of(member, form)
        async with writing(request) as session:
            await service.reschedule(
                session,
                member,
                appointment_id,
                when.start,
                now=now,
                professional_id=when.professional,
                cabinet_id=when.cabinet,
                minutes=when.minutes,
            )
    except ClinicError as error:
        return await _appointment(request, member, appointment_id, error, form)
    return go(request, f"/appointments/{appointment_id}", ok=_ok(member, "appointment.moved"))


@router.post("/appointments/{appointment_id}/cancel")
async def cancel(request: Request, member: Signed, appointment_id: UUID, form: Form, now: Now) -> Response:
    """Cancel with a reason."""
    try:
        async with writing(request) as session:
            await service.cancel(session, member, appointment_id, now=now, reason=form.get("reason", ""))
    except ClinicError as error:
        return await _appointment(request, member, appointment_id, error)
    return go(request, f"/appointments/{appointment_id}", ok=_ok(member, "appointment.cancelled"))
