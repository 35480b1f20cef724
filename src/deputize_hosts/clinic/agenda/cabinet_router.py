"""The page of cabinets: which there are, a new one, out of use and back."""

from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.clinic.agenda import rooms, service
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.caller import require
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.pages.access import Form, Now, Signed, reading, writing
from deputize_hosts.clinic.pages.render import language_of, show, told_error
from deputize_hosts.clinic.pages.words import WORDS
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/cabinets")


async def _page(request: Request, member: Member, error: ClinicError | None = None, name: str = "") -> Response:
    require(member, rooms.WRITE)
    async with reading(request) as session:
        every = await service.cabinets(session, member, inactive=True)
    status = error.status if error else 200
    return show(
        request, member, "cabinets.html", "cabinets", status=status, rooms=every, name=name, error=told_error(error)
    )


@router.get("")
async def list_page(request: Request, member: Signed) -> Response:
    """All cabinets."""
    return await _page(request, member)


@router.post("")
async def add(request: Request, member: Signed, form: Form) -> Response:
    """A new cabinet."""
    try:
        async with writing(request) as session:
            await rooms.add_cabinet(session, member, form.get("name", ""))
    except ClinicError as error:
        return await _page(request, member, error, form.get("name", ""))
    return go(request, "/cabinets", ok=WORDS.say(language_of(member), "cabinets.saved"))


@router.post("/{cabinet_id}")
async def change(request: Request, member: Signed, cabinet_id: UUID, form: Form, now: Now) -> Response:
    """Into use or out of it."""
    try:
        async with writing(request) as session:
            await rooms.set_in_use(session, member, cabinet_id, form.get("active") == "1", now=now)
    except ClinicError as error:
        return await _page(request, member, error)
    return go(request, "/cabinets", ok=WORDS.say(language_of(member), "cabinets.saved"))
