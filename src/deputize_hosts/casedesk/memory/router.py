"""The page of remembered facts."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.casedesk.errors import CaseDeskError
from deputize_hosts.casedesk.memory import service
from deputize_hosts.casedesk.pages.access import Form, Signed, reading, writing
from deputize_hosts.casedesk.pages.render import show, words_of
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/memory")


@router.get("")
async def memory_page(request: Request, member: Signed, q: str = "") -> Response:
    """Search and list."""
    return await _memory(request, member, q)


@router.post("")
async def remember(request: Request, member: Signed, form: Form) -> Response:
    """Keep a fact."""
    try:
        async with writing(request) as session:
            await service.remember(session, member, form.get("fact", ""))
    except CaseDeskError as error:
        return await _memory(request, member, "", error, form.get("fact", ""))
    return go(request, "/memory", ok=words_of(member, "memory.saved"))


async def _memory(
    request: Request, member: Signed, q: str, error: CaseDeskError | None = None, given: str = ""
) -> Response:
    async with reading(request) as session:
        facts = await service.search(session, member, q)
    return show(
        request,
        member,
        "memory.html",
        "memory",
        status=error.status if error else 200,
        facts=facts,
        q=q,
        given=given,
        error=error.message if error else "",
    )
