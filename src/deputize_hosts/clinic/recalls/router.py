"""Pages of recalls: the work list, one recall, and what can be done with it."""

from datetime import date
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.clinic.agenda.forms import uuid_of
from deputize_hosts.clinic.clock import today
from deputize_hosts.clinic.errors import ClinicError, InvalidValue
from deputize_hosts.clinic.pages.access import Form, Now, Signed, reading, writing
from deputize_hosts.clinic.pages.choosing import choose_patient
from deputize_hosts.clinic.pages.forms import choice_of, month_read, ok, whole_number
from deputize_hosts.clinic.pages.render import show
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.clinic.recalls import service
from deputize_hosts.clinic.recalls.reading import months_later
from deputize_hosts.clinic.recalls.status import CHANNELS, OUTCOMES, PRIORITIES, REASONS, TERMINAL, Status
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/recalls")
SIZE = 25


@router.get("")
async def work_list(
    request: Request, member: Signed, now: Now, until: str = "", reason: str = "", page: int = 1
) -> Response:
    """Whom to call, urgent and overdue first."""
    this = service.month_of(today(member, now))
    month = month_read(until) or this
    number = max(page, 1)
    async with reading(request) as session:
        found = await service.due(session, member, month, reason=reason, page=number, size=SIZE)
    return show(
        request,
        member,
        "recalls.html",
        "recalls",
        found=found,
        month=month,
        this=this,
        months=[months_later(this, n) for n in range(4)],
        reason=reason,
        reasons=list(REASONS),
        page=number,
        pages=max(1, -(-found.total // SIZE)),
    )


@router.get("/new")
async def new_page(request: Request, member: Signed, patient: UUID | None = None) -> Response:
    """A recall for one patient; without a patient first the search for one."""
    if patient is None:
        return await choose_patient(request, member, "recalls", "recall.new")
    async with reading(request) as session:
        who = await patients.get(session, member, patient)
    entities = [("patient", patient)]
    return show(
        request,
        member,
        "recall_form.html",
        "recall_form",
        entities=entities,
        patient=who,
        reasons=list(REASONS),
        priorities=list(PRIORITIES),
    )


@router.post("/new")
async def create(request: Request, member: Signed, form: Form, now: Now) -> Response:
    """Create, or update the active one for the reason."""
    patient = uuid_of(member, "patient", form.get("patient", ""))
    if patient is None:
        raise InvalidValue(member, "patient", "falta elegirlo", "is missing")
    async with writing(request) as session:
        made, created = await service.create(
            session,
            member,
            patient,
            choice_of(member, "reason", form.get("reason", ""), service.Reason),
            now=now,
            due_month=month_read(form.get("due_month", "")),
            priority=choice_of(member, "priority", form.get("priority", "normal"), service.Priority),
            note=form.get("note", ""),
        )
    return go(request, f"/recalls/{made.id}", ok=ok(member, "recall.created" if created else "recall.updated"))


@router.get("/{recall_id}")
async def recall_page(request: Request, member: Signed, recall_id: UUID, now: Now) -> Response:
    """One recall with its attempts."""
    return await _page(request, member, recall_id, today(member, now))


async def _page(
    request: Request, member: Signed, recall_id: UUID, on: date, error: ClinicError | None = None
) -> Response:
    async with reading(request) as session:
        call = await service.get(session, member, recall_id)
    return show(
        request,
        member,
        "recall.html",
        "recall",
        entities=[("recall", recall_id), ("patient", call.patient.id)],
        status=error.status if error else 200,
        call=call,
        recall=call.recall,
        overdue=call.recall.due_month < service.month_of(on),
        over=Status(call.recall.status) in TERMINAL,
        channels=list(CHANNELS),
        outcomes=list(OUTCOMES),
        error={"message": error.message, "free": (), "others": ()} if error else None,
    )


@router.post("/{recall_id}/{deed}")
async def act(request: Request, member: Signed, recall_id: UUID, deed: str, form: Form, now: Now) -> Response:
    """Log an attempt, snooze, complete or cancel."""
    try:
        async with writing(request) as session:
            if deed == "attempt":
                means = choice_of(member, "channel", form.get("channel", ""), service.Means)
                outcome = choice_of(member, "outcome", form.get("outcome", ""), service.Outcome)
                await service.attempt(session, member, recall_id, means, outcome, note=form.get("note", ""))
            elif deed == "snooze":
                months = whole_number(member, "months", form.get("months", ""))
                await service.snooze(session, member, recall_id, months)
            elif deed == "complete":
                await service.complete(session, member, recall_id)
            elif deed == "cancel":
                await service.cancel(session, member, recall_id)
            else:
                raise InvalidValue(member, "deed", "no existe", "does not exist")
    except ClinicError as error:
        return await _page(request, member, recall_id, today(member, now), error)
    return go(request, f"/recalls/{recall_id}", ok=ok(member, "recall.saved"))
