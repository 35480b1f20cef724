"""The page on which cases are opened and documents are asked for."""

from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.casedesk.errors import CaseDeskError
from deputize_hosts.casedesk.onboarding import service
from deputize_hosts.casedesk.pages.access import Form, Now, Signed, reading, writing
from deputize_hosts.casedesk.pages.render import show, words_of
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/onboarding")


@router.get("")
async def onboarding_page(request: Request, member: Signed) -> Response:
    """Open cases with what is missing, and the form for a new one."""
    return await _onboarding(request, member)


@router.post("")
async def open_case(request: Request, member: Signed, form: Form, now: Now) -> Response:
    """A new case."""
    names = ("company", "registration", "country")
    try:
        async with writing(request) as session:
            made = await service.open_case(session, member, now=now, **{name: form.get(name, "") for name in names})
    except CaseDeskError as error:
        return await _onboarding(request, member, error, form)
    return go(request, f"/cases/{made.id}", ok=words_of(member, "onboarding.opened"))


@router.post("/{case_id}/documents")
async def ask(request: Request, member: Signed, case_id: UUID, form: Form, now: Now) -> Response:
    """Ask for one more document."""
    async with writing(request) as session:
        await service.request_document(session, member, case_id, form.get("document", ""), now)
    return go(request, "/onboarding", ok=words_of(member, "onboarding.asked"))


@router.post("/{case_id}/documents/{request_id}/received")
async def received(request: Request, member: Signed, case_id: UUID, request_id: UUID, form: Form, now: Now) -> Response:
    """Tick a document off."""
    async with writing(request) as session:
        await service.receive_document(session, member, case_id, request_id, now)
    return go(request, "/onboarding", ok=words_of(member, "onboarding.received"))


async def _onboarding(
    request: Request, member: Signed, error: CaseDeskError | None = None, given: dict[str, str] | None = None
) -> Response:
    async with reading(request) as session:
        lists = await service.waiting(session, member)
    return show(
        request,
        member,
        "onboarding.html",
        "onboarding",
        entities=[("case", one.case.id) for one in lists[:5]],
        status=error.status if error else 200,
        lists=lists,
        given=given or {},
        error=error.message if error else "",
    )
