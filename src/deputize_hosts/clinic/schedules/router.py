"""Pages of opening hours: the week of the clinic and of each professional, and exceptions."""

from collections.abc import Mapping
from datetime import date, timedelta
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.clinic.auth.service import Member, professionals_of
from deputize_hosts.clinic.clock import today
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.pages.access import Form, Now, Signed, reading, writing
from deputize_hosts.clinic.pages.render import language_of, show, told_error
from deputize_hosts.clinic.pages.words import WORDS
from deputize_hosts.clinic.schedules import editing, service
from deputize_hosts.clinic.schedules.hour_text import day_read, owner_read, ranges_read, ranges_text
from deputize_hosts.clinic.schedules.plans import load_plans
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/schedules")


def _ok(member: Member, key: str) -> str:
    return WORDS.say(language_of(member), key)


@router.get("")
async def hours_page(request: Request, member: Signed, now: Now, who: str = "") -> Response:
    """The week, exceptions, and for those who may the forms to change them; `who` picks whose week to edit."""
    return await _page(request, member, now.date(), {"whose": who})


async def _page(
    request: Request, member: Member, on: date, given: Mapping[str, str], error: ClinicError | None = None
) -> Response:
    async with reading(request) as session:
        overrides = await service.coming_overrides(session, member, request.app.state.clock())
        people = await professionals_of(session, UUID(member.tenant))
        plans = await load_plans(session, UUID(member.tenant), on, on + timedelta(days=400))
        hours = {row.id: await service.override_ranges(session, member, row.id) for row in overrides}
    names: dict[UUID | None, str] = {None: _ok(member, "schedules.clinic"), **{p.id: p.name for p in people}}
    whose = given.get("whose", "")
    edited = next((own for own in names if str(own or "") == whose), None)
    weeks = {
        own: [ranges_text(plans[own].weekly.get(n, ())) for n in range(7)]
        if own in plans and plans[own].given
        else None
        for own in names
    }
    return show(
        request,
        member,
        "schedules.html",
        "schedules",
        status=error.status if error else 200,
        names=names,
        weeks=weeks,
        edited=edited,
        overrides=overrides,
        hours={own: ranges_text(ranges) for own, ranges in hours.items()},
        given={n: given.get(n, "") for n in ("whose", "first_day", "last_day", "hours", "reason")},
        day=today(member, request.app.state.clock()).isoformat(),
        error=told_error(error),
    )


@router.post("/week")
async def save_week(request: Request, member: Signed, form: Form, now: Now) -> Response:
    """Replace one owner's week."""
    try:
        week = {n: ranges_read(member, form.get(f"day-{n}", "")) for n in range(7)}
        async with writing(request) as session:
            await editing.set_week(session, member, owner_read(member, form.get("whose", "")), week)
    except ClinicError as error:
        return await _page(request, member, now.date(), form, error)
    return go(request, "/schedules", ok=_ok(member, "schedules.saved"))


@router.post("/exceptions")
async def add_exception(request: Request, member: Signed, form: Form, now: Now) -> Response:
    """Add an exception for the clinic or a professional."""
    try:
        first = day_read(member, "first_day", form.get("first_day", ""))
        last = day_read(member, "last_day", form.get("last_day", "") or form.get("first_day", ""))
        owner = owner_read(member, form.get("whose", ""))
        ranges = ranges_read(member, form.get("hours", ""))
        async with writing(request) as session:
            await editing.add_override(
                session, member, first, last, professional_id=owner, ranges=ranges, reason=form.get("reason", "")
            )
    except ClinicError as error:
        return await _page(request, member, now.date(), form, error)
    return go(request, "/schedules", ok=_ok(member, "schedules.added"))


@router.post("/exceptions/{override_id}/remove")
async def remove_exception(request: Request, member: Signed, override_id: UUID, form: Form) -> Response:
    """Forget an exception."""
    async with writing(request) as session:
        await editing.remove_override(session, member, override_id)
    return go(request, "/schedules", ok=_ok(member, "schedules.removed"))
