"""The auditor's page: which cases there are, and the pack of one of them."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import mkdtemp
from uuid import UUID

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask

from deputize_hosts.casedesk.auth.service import Member
from deputize_hosts.casedesk.caller import require
from deputize_hosts.casedesk.cases import service as cases
from deputize_hosts.casedesk.pack import service
from deputize_hosts.casedesk.pack.service import CasePack
from deputize_hosts.casedesk.pages.access import Form, Signed, reading
from deputize_hosts.casedesk.pages.render import show, words_of
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/audit")
SIZE = 20

Export = Callable[[Member, CasePack, Path], Awaitable[str | None]]
"""Writes the pack to the path; a word why there is none, else None."""


@router.get("")
async def audit_page(request: Request, member: Signed, q: str = "", page: int = 1) -> Response:
    """Cases with their export."""
    require(member, service.EXPORT)
    number = max(page, 1)
    async with reading(request) as session:
        found = await cases.search(session, member, q, page=number, size=SIZE)
    pages = max(1, -(-found.total // SIZE))
    ready = request.app.state.export is not None
    return show(request, member, "audit.html", None, found=found, q=q, page=number, pages=pages, ready=ready)


@router.post("/{case_id}/pack")
async def export(request: Request, member: Signed, case_id: UUID, form: Form) -> Response:
    """The pack as a file; the export is an entry of the chain itself."""
    async with reading(request) as session:
        pack = await service.records_of(session, member, case_id)
    writer: Export | None = request.app.state.export
    if writer is None:
        return go(request, "/audit", error=words_of(member, "audit.off"))
    folder = Path(await to_thread.run_sync(mkdtemp))
    path = folder / f"{pack.case.reference}.zip"
    fault = await writer(member, pack, path)
    if fault is not None:
        await to_thread.run_sync(_sweep, folder)
        return go(request, "/audit", error=words_of(member, f"audit.{fault}"))
    sweep = BackgroundTask(to_thread.run_sync, _sweep, folder)
    return FileResponse(path, media_type="application/zip", filename=path.name, background=sweep)


def _sweep(folder: Path) -> None:
    """The file has been sent; nothing of the case stays in the temporary folder."""
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
