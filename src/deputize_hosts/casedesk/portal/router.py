"""The customer's pages: their application, what they were asked to send, and guidance."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.casedesk.pages.access import Customer, reading
from deputize_hosts.casedesk.pages.render import show
from deputize_hosts.casedesk.portal import service

router = APIRouter(prefix="/portal")


@router.get("")
async def portal_page(request: Request, member: Customer, q: str = "") -> Response:
    """The customer's applications with their documents, and the guidance."""
    async with reading(request) as session:
        own = await service.applications(session, member)
        papers = {one.reference: await service.documents(session, member, one.reference) for one in own}
    texts = service.guidance(member, q)
    return show(request, member, "portal.html", "portal", own=own, papers=papers, texts=texts, q=q)


@router.get("/applications/{reference}")
async def application_page(request: Request, member: Customer, reference: str) -> Response:
    """One of them; another customer's is not there."""
    async with reading(request) as session:
        one = await service.application(session, member, reference)
        papers = {one.reference: await service.documents(session, member, reference)}
    return show(request, member, "portal.html", "portal", own=[one], papers=papers, texts=(), q="")
