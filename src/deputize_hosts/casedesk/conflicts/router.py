"""The Conflicts panel: where officers decide about discrepancies, with confirmation, reason and name."""

from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.casedesk.cases import service as cases
from deputize_hosts.casedesk.conflicts import service
from deputize_hosts.casedesk.conflicts.service import SEVERITIES, Resolution
from deputize_hosts.casedesk.errors import CaseDeskError
from deputize_hosts.casedesk.gate.service import is_closed
from deputize_hosts.casedesk.pages.access import Form, Signed, reading, writing
from deputize_hosts.casedesk.pages.render import show, words_of
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/cases/{case_id}/conflicts")


@router.get("")
async def panel_page(request: Request, member: Signed, case_id: UUID) -> Response:
    """Every discrepancy of the case with its sources, its decisions and the form to decide."""
    return await _panel(request, member, case_id)


@router.post("/{discrepancy_id}")
async def decide(request: Request, member: Signed, case_id: UUID, discrepancy_id: UUID, form: Form) -> Response:
    """The officer's decision."""
    try:
        async with writing(request) as session:
            await service.clear(
                session,
                member,
                discrepancy_id,
                form.get("resolution", ""),
                form.get("rationale", ""),
                confirmed=form.get("confirm") == "yes",
            )
    except CaseDeskError as error:
        return await _panel(request, member, case_id, error, discrepancy_id, form)
    return go(request, f"/cases/{case_id}/conflicts", ok=words_of(member, "conflicts.saved"))


@router.post("/{discrepancy_id}/severity")
async def regrade(request: Request, member: Signed, case_id: UUID, discrepancy_id: UUID, form: Form) -> Response:
    """How much it matters."""
    try:
        async with writing(request) as session:
            await service.regrade(session, member, discrepancy_id, form.get("severity", ""))
    except CaseDeskError as error:
        return await _panel(request, member, case_id, error, discrepancy_id)
    return go(request, f"/cases/{case_id}/conflicts", ok=words_of(member, "conflicts.regraded"))


async def _panel(
    request: Request,
    member: Signed,
    case_id: UUID,
    error: CaseDeskError | None = None,
    wrong: UUID | None = None,
    given: dict[str, str] | None = None,
) -> Response:
    async with reading(request) as session:
        case = await cases.get(session, member, case_id)
        found = await service.of_case(session, member, case_id)
        decisions = await service.resolutions_of(session, member, case_id)
        gate = await service.verdict(session, member, case_id)
        names = await service.officers_of(session, member, decisions)
    entities = [("case", case_id), *(("discrepancy", row.id) for row in found[:4])]
    return show(
        request,
        member,
        "conflicts.html",
        "case",
        entities=entities,
        status=error.status if error else 200,
        case=case,
        found=found,
        decisions={row.id: [one for one in decisions if one.discrepancy_id == row.id] for row in found},
        names=names,
        gate=gate,
        feeds=service.feeds_gate,
        closed=is_closed,
        resolutions=[kind.value for kind in Resolution],
        severities=SEVERITIES,
        error=error.message if error else "",
        wrong=wrong,
        given=given or {},
    )
