"""The pages of regulations and of the house's standards."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.casedesk.knowledge import service
from deputize_hosts.casedesk.pages.access import Signed
from deputize_hosts.casedesk.pages.render import show

router = APIRouter()


@router.get("/regulatory")
async def regulatory_page(request: Request, member: Signed, q: str = "") -> Response:
    """Regulations, for orientation."""
    return _shelf(request, member, "regulations", "regulatory", q)


@router.get("/standards")
async def standards_page(request: Request, member: Signed, q: str = "") -> Response:
    """The house's own standards."""
    return _shelf(request, member, "standards", "standards", q)


def _shelf(request: Request, member: Signed, shelf: str, surface: str, q: str) -> Response:
    texts = service.search(member, shelf, q)
    return show(request, member, "library.html", surface, texts=texts, q=q, url=f"/{surface}")
