"""The settings page: the clinic's own data, and where the rest is kept."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.clinic import own_data
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.caller import require
from deputize_hosts.clinic.documents import clinic_of
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.pages.access import Form, Signed, reading, writing
from deputize_hosts.clinic.pages.forms import ok, whole_number
from deputize_hosts.clinic.pages.render import show, told_error
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/settings")


async def _page(
    request: Request, member: Member, typed: Mapping[str, str] | None = None, error: ClinicError | None = None
) -> Response:
    async with reading(request) as session:
        clinic = await clinic_of(session, require(member))
    values = typed or {"name": clinic.name, "slot": str(clinic.slot_minutes)}
    status = error.status if error else 200
    told = told_error(error)
    return show(request, member, "settings.html", "settings", status=status, clinic=clinic, values=values, error=told)


@router.get("")
async def settings_page(request: Request, member: Signed) -> Response:
    """What holds for the whole clinic."""
    return await _page(request, member)


@router.post("")
async def change(request: Request, member: Signed, form: Form) -> Response:
    """Another name or another shortest gap; what was typed stays where it is refused."""
    try:
        async with writing(request) as session:
            slot = whole_number(member, "slot", form.get("slot", ""))
            await own_data.change(session, member, form.get("name", ""), slot)
    except ClinicError as error:
        return await _page(request, member, form, error)
    return go(request, "/settings", ok=ok(member, "settings.saved"))
