"""The copilot's own pages: each asks for the permission that its data asks for, and draws one element."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.errors import NotAllowed, NotFound
from deputize_hosts.clinic.pages.access import Signed
from deputize_hosts.clinic.pages.render import show

TEMPLATES = Path(__file__).parent / "templates"
router = APIRouter(prefix="/copilot")


@dataclass(frozen=True, slots=True)
class Section:
    """One page: its key, its address, and the permissions of which one is enough."""

    key: str
    url: str
    needs: tuple[str, ...]

    def open_to(self, member: Member) -> bool:
        """Whether the member may see it."""
        return any(member.may(permission) for permission in self.needs)


SECTIONS = (
    Section("talk", "/copilot", ("copilot.chat",)),
    Section("approvals", "/copilot/approvals", ("copilot.chat", "copilot.supervise")),
    Section("runs", "/copilot/runs", ("copilot.history.read", "copilot.supervise")),
    Section("usage", "/copilot/usage", ("copilot.chat",)),
    Section("audit", "/copilot/audit", ("copilot.supervise",)),
    Section("settings", "/copilot/settings", ("copilot.configure",)),
)
Chosen = Annotated[str, Query(max_length=80)]


def _page(request: Request, member: Member, key: str, selected: str = "") -> Response:
    """Raises NotFound where the copilot is not mounted, NotAllowed without one of the permissions."""
    section = next(one for one in SECTIONS if one.key == key)
    if request.app.state.copilot is None:
        raise NotFound(member, what="copilot")
    if not section.open_to(member):
        raise NotAllowed(member, permission=section.needs[0])
    return show(
        request,
        member,
        "copilot_talk.html" if key == "talk" else "copilot_page.html",
        f"copilot.{key}",
        own=section,
        sections=[one for one in SECTIONS if one.open_to(member)],
        selected=selected,
    )


@router.get("")
async def talk(request: Request, member: Signed) -> Response:
    """The whole page for talking, with the earlier conversations beside it."""
    return _page(request, member, "talk")


@router.get("/approvals")
async def approvals(request: Request, member: Signed) -> Response:
    """Changes that wait for this member."""
    return _page(request, member, "approvals")


@router.get("/runs")
async def runs(request: Request, member: Signed, run: Chosen = "") -> Response:
    """Runs, the clinic's for whoever supervises."""
    return _page(request, member, "runs", run)


@router.get("/usage")
async def usage(request: Request, member: Signed) -> Response:
    """Budgets and use."""
    return _page(request, member, "usage")


@router.get("/audit")
async def audit(request: Request, member: Signed, entry: Chosen = "") -> Response:
    """The clinic's chain."""
    return _page(request, member, "audit", entry)


@router.get("/settings")
async def settings(request: Request, member: Signed) -> Response:
    """The clinic's settings of the copilot."""
    return _page(request, member, "settings")
