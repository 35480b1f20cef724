"""Pages of invoices: the list, one with its lines, issuing and cancelling."""

from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.clinic.agenda import service as agenda
from deputize_hosts.clinic.agenda.forms import uuid_of
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.billing import service
from deputize_hosts.clinic.billing.service import Status
from deputize_hosts.clinic.catalog import service as catalog
from deputize_hosts.clinic.clock import today
from deputize_hosts.clinic.errors import ClinicError, InvalidValue
from deputize_hosts.clinic.pages.access import Form, Now, Signed, now_of, reading, writing
from deputize_hosts.clinic.pages.choosing import choose_patient
from deputize_hosts.clinic.pages.forms import line_read, ok
from deputize_hosts.clinic.pages.render import show
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.clinic.payments import service as payments
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/invoices")
SIZE = 20


@router.get("")
async def list_page(
    request: Request, member: Signed, now: Now, status: str = "", overdue: bool = False, page: int = 1
) -> Response:
    """All invoices, drafts first, then the newest."""
    number, on = max(page, 1), today(member, now)
    async with reading(request) as session:
        found = await service.search(
            session, member, status=status, overdue_on=on if overdue else None, page=number, size=SIZE
        )
    return show(
        request,
        member,
        "invoices.html",
        "invoices",
        found=found,
        state="overdue" if overdue else status,
        states=["open", *(one.value for one in Status)],
        on=on,
        page=number,
        pages=max(1, -(-found.total // SIZE)),
    )


@router.get("/new")
async def new_page(request: Request, member: Signed, patient: UUID | None = None) -> Response:
    """An invoice for one patient; without a patient first the search for one."""
    if patient is None:
        return await choose_patient(request, member, "invoices", "invoice.new")
    async with reading(request) as session:
        who = await patients.get(session, member, patient)
        people = await agenda.professionals(session, member)
    entities = [("patient", patient)]
    return show(request, member, "invoice_form.html", "invoice_form", entities=entities, patient=who, people=people)


@router.post("/new")
async def create(request: Request, member: Signed, form: Form) -> Response:
    """An empty draft, or one with the lines of an accepted quote."""
    patient = uuid_of(member, "patient", form.get("patient", ""))
    if patient is None:
        raise InvalidValue(member, "patient", "falta elegirlo", "is missing")
    async with writing(request) as session:
        made = await service.create(
            session,
            member,
            patient,
            professional_id=uuid_of(member, "professional", form.get("professional", "")),
            budget_id=uuid_of(member, "budget", form.get("budget", "")),
        )
    return go(request, f"/invoices/{made.id}", ok=ok(member, "invoice.created"))


@router.get("/{invoice_id}")
async def invoice_page(request: Request, member: Signed, invoice_id: UUID) -> Response:
    """One invoice."""
    return await _page(request, member, invoice_id)


async def _page(request: Request, member: Member, own: UUID, error: ClinicError | None = None) -> Response:
    on = today(member, now_of(request))
    async with reading(request) as session:
        bill = await service.get(session, member, own)
        items = await catalog.search(session, member) if bill.invoice.status == Status.DRAFT else ()
        credit = await payments.credit_for(session, member, own) if member.may("payments.record.read") else 0
    return show(
        request,
        member,
        "invoice.html",
        "invoice",
        entities=[("invoice", own), ("patient", bill.patient.id)],
        status=error.status if error else 200,
        bill=bill,
        invoice=bill.invoice,
        items=items,
        credit=credit,
        late=bill.overdue(on),
        error={"message": error.message, "free": (), "others": ()} if error else None,
    )


@router.post("/{invoice_id}/{deed}")
async def act(request: Request, member: Signed, invoice_id: UUID, deed: str, form: Form, now: Now) -> Response:
    """Add or remove a line, issue, drop, cancel, or pay with what stands on account."""
    try:
        async with writing(request) as session:
            if deed == "lines":
                await service.add_line(session, member, invoice_id, line_read(member, form))
            elif deed == "remove":
                line = uuid_of(member, "line", form.get("line", ""))
                await service.remove_line(session, member, invoice_id, line or invoice_id)
            elif deed == "issue":
                await service.issue(session, member, invoice_id, now=now)
            elif deed == "void":
                await service.void(session, member, invoice_id)
            elif deed == "cancel":
                await service.cancel(session, member, invoice_id)
            elif deed == "apply":
                await payments.apply_credit(session, member, invoice_id)
            else:
                raise InvalidValue(member, "deed", "no existe", "does not exist")
    except ClinicError as error:
        return await _page(request, member, invoice_id, error)
    return go(request, f"/invoices/{invoice_id}", ok=ok(member, "invoice.saved"))
