"""Whom a new document is for: the page that finds the patient first, where the address names none."""

from fastapi import Request
from fastapi.responses import Response

from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.pages.access import reading
from deputize_hosts.clinic.pages.render import show
from deputize_hosts.clinic.patients import service as patients


async def choose_patient(request: Request, member: Member, section: str, title: str) -> Response:
    """A search (`q`) whose hits lead back to this page with `?patient=`; `title` is a key of the words."""
    words = request.query_params.get("q", "")
    async with reading(request) as session:
        hits = await patients.search(session, member, words, size=8) if words.strip() else None
    path = request.url.path
    return show(
        request, member, "choose_patient.html", section, section=section, title=title, path=path, q=words, hits=hits
    )
