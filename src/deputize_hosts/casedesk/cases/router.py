"""Pages of the dashboard and of one case: what is known, what was written, and what is decided about it."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.casedesk.cases import service
from deputize_hosts.casedesk.cases.models import MOVES, CaseStatus
from deputize_hosts.casedesk.conflicts import service as conflicts
from deputize_hosts.casedesk.errors import CaseDeskError, GateBlocked
from deputize_hosts.casedesk.pages.access import Form, Signed, reading, writing
from deputize_hosts.casedesk.pages.render import show, words_of
from deputize_hosts.casedesk.trail import service as trail
from deputize_hosts.kit.pages import go

router = APIRouter()
SIZE = 12


@router.get("/dashboard")
async def dashboard_page(request: Request, member: Signed, q: str = "", status: str = "", page: int = 1) -> Response:
    """Figures, and the cases with search."""
    number = max(page, 1)
    known = status if status in set(CaseStatus) else ""
    async with reading(request) as session:
        seen = await service.portfolio(session, member)
        found = await service.search(session, member, q, status=known, page=number, size=SIZE)
    return show(
        request,
        member,
        "dashboard.html",
        "dashboard",
        seen=seen,
        found=found,
        q=q,
        status_chosen=known,
        statuses=[one.value for one in CaseStatus],
        page=number,
        pages=max(1, -(-found.total // SIZE)),
    )


@router.get("/cases/{case_id}")
async def case_page(request: Request, member: Signed, case_id: UUID) -> Response:
    """Everything about one case."""
    return await _case(request, member, case_id)


@router.post("/cases/{case_id}/notes")
async def add_note(request: Request, member: Signed, case_id: UUID, form: Form) -> Response:
    """Write a note."""
    try:
        async with writing(request) as session:
            await service.add_note(session, member, case_id, form.get("body", ""))
    except CaseDeskError as error:
        return await _case(request, member, case_id, error)
    return go(request, f"/cases/{case_id}", ok=words_of(member, "note.saved"))


@router.post("/cases/{case_id}/move")
async def move(request: Request, member: Signed, case_id: UUID, form: Form) -> Response:
    """Review, approve, reject, reopen."""
    try:
        async with writing(request) as session:
            await service.move(session, member, case_id, form.get("status", ""))
    except GateBlocked as error:
        return go(request, f"/cases/{case_id}/conflicts", error=error.message)
    except CaseDeskError as error:
        return await _case(request, member, case_id, error)
    return go(request, f"/cases/{case_id}", ok=words_of(member, "case.moved"))


async def _case(request: Request, member: Signed, case_id: UUID, error: CaseDeskError | None = None) -> Response:
    async with reading(request) as session:
        values: dict[str, Any] = {
            "case": await service.get(session, member, case_id),
            "persons": await service.persons_of(session, member, case_id),
            "evidence": await service.evidence_of(session, member, case_id),
            "notes": await service.notes_of(session, member, case_id),
            "found": await conflicts.of_case(session, member, case_id),
            "gate": await conflicts.verdict(session, member, case_id),
            "events": await trail.of_case(session, member, case_id, 30),
        }
        values["officer"] = await service.officer_name(session, values["case"])
    final = {CaseStatus.APPROVED, CaseStatus.REJECTED}
    moves = [
        one.value
        for one in MOVES[CaseStatus(values["case"].status)]
        if member.may("cases.decide" if one in final else "cases.review")
    ]
    return show(
        request,
        member,
        "case.html",
        "case",
        entities=[("case", case_id)],
        status=error.status if error else 200,
        moves=moves,
        feeds=conflicts.feeds_gate,
        error=error.message if error else "",
        **values,
    )
