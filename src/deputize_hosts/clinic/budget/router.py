"""Pages of quotes: the list, one with its lines, and what can be done with it."""

from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.clinic.agenda import service as agenda
from deputize_hosts.clinic.agenda.forms import uuid_of
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.budget import service
from deputize_hosts.clinic.budget.service import Status
from deputize_hosts.clinic.catalog import service as catalog
from deputize_hosts.clinic.errors import ClinicError, InvalidValue
from deputize_hosts.clinic.pages.access import Form, Now, Signed, reading, writing
from deputize_hosts.clinic.pages.choosing import choose_patient
from deputize_hosts.clinic.pages.forms import choice_of, line_read, ok
from deputize_hosts.clinic.pages.render import show
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/budgets")
SIZE = 20


@router.get("")
async def list_page(request: Request, member: Signed, status: str = "", page: int = 1) -> Response:
    """All quotes, the newest first."""
    number = max(page, 1)
    async with reading(request) as session:
        found = await service.search(session, member, status=status, page=number, size=SIZE)
    pages = max(1, -(-found.total // SIZE))
    states = [one.value for one in Status]
    return show(
        request, member, "budgets.html", "budgets", found=found, state=status, states=states, page=number, pages=pages
    )


@router.get("/new")
async def new_page(request: Request, member: Signed, patient: UUID | None = None) -> Response:
    """A quote for one patient; without a patient first the search for one."""
    if patient is None:
        return await choose_patient(request, member, "budgets", "budget.new")
    async with reading(request) as session:
        who = await patients.get(session, member, patient)
        people = await agenda.professionals(session, member)
    entities = [("patient", patient)]
    return show(request, member, "budget_form.html", "budget_form", entities=entities, patient=who, people=people)


@router.post("/new")
async def create(request: Request, member: Signed, form: Form, now: Now) -> Response:
    """An empty draft."""
    patient = uuid_of(member, "patient", form.get("patient", ""))
    if patient is None:
        raise InvalidValue(member, "patient", "falta elegirlo", "is missing")
    who = uuid_of(member, "professional", form.get("professional", ""))
    async with writing(request) as session:
        made = await service.create(session, member, patient, now=now, professional_id=who)
    return go(request, f"/budgets/{made.id}", ok=ok(member, "budget.created"))


@router.get("/{budget_id}")
async def budget_page(request: Request, member: Signed, budget_id: UUID) -> Response:
    """One quote."""
    return await _page(request, member, budget_id)


async def _page(request: Request, member: Member, own: UUID, error: ClinicError | None = None) -> Response:
    async with reading(request) as session:
        quote = await service.get(session, member, own)
        items = await catalog.search(session, member) if quote.budget.status == Status.DRAFT else ()
    moves = [move.value for move in service.MOVES[Status(quote.budget.status)] if move is not Status.SENT]
    return show(
        request,
        member,
        "budget.html",
        "budget",
        entities=[("budget", own), ("patient", quote.patient.id)],
        status=error.status if error else 200,
        quote=quote,
        budget=quote.budget,
        items=items,
        moves=moves,
        error={"message": error.message, "free": (), "others": ()} if error else None,
    )


@router.post("/{budget_id}/{deed}")
async def act(request: Request, member: Signed, budget_id: UUID, deed: str, form: Form, now: Now) -> Response:
    """Add or remove a line, send, decide, or make a new version."""
    own = budget_id
    try:
        async with writing(request) as session:
            if deed == "lines":
                await service.add_line(session, member, own, line_read(member, form))
            elif deed == "remove":
                line = uuid_of(member, "line", form.get("line", ""))
                await service.remove_line(session, member, own, line or own)
            elif deed == "send":
                await service.send(session, member, own, now=now)
            elif deed == "status":
                after = choice_of(member, "status", form.get("status", ""), Status)
                await service.set_status(session, member, own, after, now=now)
            elif deed == "revise":
                own = (await service.revise(session, member, own, now=now)).id
            else:
                raise InvalidValue(member, "deed", "no existe", "does not exist")
    except ClinicError as error:
        return await _page(request, member, budget_id, error)
    return go(request, f"/budgets/{own}", ok=ok(member, "budget.mailed" if deed == "send" else "budget.saved"))
