"""Pages of payments: the list, recording one, one with its parts and refunds."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.clinic.agenda.forms import uuid_of
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.billing import service as billing
from deputize_hosts.clinic.budget import service as budget
from deputize_hosts.clinic.clock import today
from deputize_hosts.clinic.errors import ClinicError, InvalidValue
from deputize_hosts.clinic.money import money_read, plain_money
from deputize_hosts.clinic.pages.access import Form, Now, Signed, now_of, reading, writing
from deputize_hosts.clinic.pages.choosing import choose_patient
from deputize_hosts.clinic.pages.forms import choice_of, day_read, ok
from deputize_hosts.clinic.pages.render import language_of, show
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.clinic.payments import reading as ledgers
from deputize_hosts.clinic.payments import service
from deputize_hosts.clinic.payments.models import METHODS, Method
from deputize_hosts.clinic.payments.service import Share
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/payments")
SIZE = 25


@router.get("")
async def list_page(
    request: Request, member: Signed, now: Now, first: str = "", last: str = "", page: int = 1
) -> Response:
    """Payments of a period, the last month's if no days are given."""
    number, on = max(page, 1), today(member, now)
    since = day_read(member, "first", first) or on - timedelta(days=30)
    until = day_read(member, "last", last) or on
    async with reading(request) as session:
        found = await ledgers.search(session, member, first=since, last=until, page=number, size=SIZE)
    pages = max(1, -(-found.total // SIZE))
    return show(
        request,
        member,
        "payments.html",
        "payments",
        found=found,
        first=since,
        last=until,
        page=number,
        pages=pages,
    )


@router.get("/new")
async def new_page(request: Request, member: Signed, patient: UUID | None = None) -> Response:
    """Money received from one patient, and what it is for; without a patient first the search for one."""
    if patient is None:
        return await choose_patient(request, member, "payments", "payment.new")
    return await _form(request, member, patient, request.query_params)


async def _form(
    request: Request, member: Member, patient: UUID, given: Mapping[str, str], error: ClinicError | None = None
) -> Response:
    async with reading(request) as session:
        who = await patients.get(session, member, patient)
        bills = (await billing.search(session, member, patient_id=patient, status="open", size=50)).items
        quotes = (await budget.search(session, member, patient_id=patient, status="accepted", size=50)).items
    chosen = given.get("invoice", "")
    owed = next((bill.balance for bill in bills if str(bill.invoice.id) == chosen), 0)
    language = language_of(member)
    return show(
        request,
        member,
        "payment_form.html",
        "payment_form",
        entities=[("patient", patient)],
        status=error.status if error else 200,
        patient=who,
        bills=bills,
        quotes=quotes,
        methods=list(METHODS),
        on=today(member, now_of(request)),
        given={
            "amount": given.get("amount") or (plain_money(owed, language) if owed else ""),
            "method": given.get("method", "card"),
            "reference": given.get("reference", ""),
            **{
                f"for-{bill.invoice.id}": given.get(f"for-{bill.invoice.id}")
                or (plain_money(bill.balance, language) if str(bill.invoice.id) == chosen else "")
                for bill in bills
            },
            **{f"for-{one.budget.id}": given.get(f"for-{one.budget.id}", "") for one in quotes},
        },
        error={"message": error.message, "free": (), "others": ()} if error else None,
    )


@router.post("/new")
async def create(request: Request, member: Signed, form: Form, now: Now) -> Response:
    """Record it with its allocations; what is left over stands on account."""
    patient = uuid_of(member, "patient", form.get("patient", ""))
    if patient is None:
        raise InvalidValue(member, "patient", "falta elegirlo", "is missing")
    try:
        async with writing(request) as session:
            made = await service.pay(
                session,
                member,
                patient,
                money_read(member, "amount", form.get("amount", "")),
                choice_of(member, "method", form.get("method", ""), Method),
                now=now,
                paid_on=day_read(member, "paid_on", form.get("paid_on", "")),
                reference=form.get("reference", ""),
                shares=_shares(member, form),
            )
    except ClinicError as error:
        return await _form(request, member, patient, form, error)
    return go(request, f"/payments/{made.id}", ok=ok(member, "payment.saved"))


def _shares(member: Member, form: Mapping[str, str]) -> list[Share]:
    """The filled-in `for-ID` fields; `quotes` lists which of the ids are quotes."""
    quotes = set(form.get("quotes", "").split())
    shares = []
    for name, text in form.items():
        own = name.removeprefix("for-")
        if own != name and text.strip():
            part, key = money_read(member, "allocations", text), uuid_of(member, "allocations", own)
            shares.append(Share(part, budget_id=key) if own in quotes else Share(part, invoice_id=key))
    return shares


@router.get("/{payment_id}")
async def payment_page(request: Request, member: Signed, payment_id: UUID) -> Response:
    """One payment."""
    return await _page(request, member, payment_id)


async def _page(request: Request, member: Member, own: UUID, error: ClinicError | None = None) -> Response:
    async with reading(request) as session:
        receipt = await ledgers.get(session, member, own)
    return show(
        request,
        member,
        "payment.html",
        "payment",
        entities=[("payment", own), ("patient", receipt.patient.id)],
        status=error.status if error else 200,
        receipt=receipt,
        payment=receipt.payment,
        error={"message": error.message, "free": (), "others": ()} if error else None,
    )


@router.post("/{payment_id}/refund")
async def refund(request: Request, member: Signed, payment_id: UUID, form: Form, now: Now) -> Response:
    """Give money back."""
    try:
        amount = money_read(member, "amount", form.get("amount", ""))
        async with writing(request) as session:
            await service.refund(session, member, payment_id, amount, form.get("reason", ""), now=now)
    except ClinicError as error:
        return await _page(request, member, payment_id, error)
    return go(request, f"/payments/{payment_id}", ok=ok(member, "payment.refunded"))
