"""The settings page: the clinic's own data, and where the rest is kept."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.clinic.caller import require
from deputize_hosts.clinic.documents import clinic_of
from deputize_hosts.clinic.pages.access import Signed, reading
from deputize_hosts.clinic.pages.render import show

router = APIRouter(prefix="/settings")


@router.get("")
async def settings_page(request: Request, member: Signed) -> Response:
    """What holds for the whole clinic."""
    async with reading(request) as session:
        clinic = await clinic_of(session, require(member))
    return show(request, member, "settings.html", "settings", clinic=clinic)
