"""Pages of work orders: my list, everybody's, one order with its suggestion, forms, the attention list."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from deputize_hosts.kit.errors import language_of
from deputize_hosts.kit.pages import go
from deputize_hosts.workorders.auth.service import Member
from deputize_hosts.workorders.clock import today
from deputize_hosts.workorders.errors import DeskError, InvalidValue, StaleVersion
from deputize_hosts.workorders.orders import reading, service, suggestions
from deputize_hosts.workorders.orders.fields import OrderChange, OrderData
from deputize_hosts.workorders.orders.models import WorkOrder
from deputize_hosts.workorders.orders.reading import Found, Wanted
from deputize_hosts.workorders.orders.status import MOVES, OPEN, Priority, Status
from deputize_hosts.workorders.pages.access import Form, Now, Signed, writing
from deputize_hosts.workorders.pages.access import reading as read_session
from deputize_hosts.workorders.pages.render import show
from deputize_hosts.workorders.pages.words import WORDS
from deputize_hosts.workorders.users import service as users

router = APIRouter(prefix="/app")
data = APIRouter(prefix="/api/v1/orders")
SIZE = 20
FIELDS = ("title", "description", "priority", "due_on", "owner")


def _ok(member: Member, key: str, **values: object) -> str:
    return WORDS.say(language_of(member), key, **values)


@router.get("/orders")
async def mine_page(
    request: Request, member: Signed, now: Now, q: str = "", status: str = "open", page: int = 1
) -> Response:
    """The caller's own orders."""
    return await _list(request, member, now, q, status, page, everybody=False)


@router.get("/orders/all")
async def all_page(
    request: Request, member: Signed, now: Now, q: str = "", status: str = "open", page: int = 1
) -> Response:
    """Everybody's orders, for admins."""
    return await _list(request, member, now, q, status, page, everybody=True)


async def _list(
    request: Request, member: Member, now: datetime, q: str, status: str, page: int, *, everybody: bool
) -> Response:
    number = max(page, 1)
    chosen = status if status in {"open", "every", *Status} else "open"
    states = {"open": frozenset(OPEN), "every": frozenset[Status]()}.get(chosen)
    wanted = Wanted(frozenset({Status(chosen)}) if states is None else states, query=q)
    find = reading.list_all if everybody else reading.list_mine
    async with read_session(request) as session:
        found: Found = await find(session, member, wanted, page=number, size=SIZE)
    return show(
        request,
        member,
        "orders.html",
        "orders",
        found=found,
        everybody=everybody,
        here="/app/orders/all" if everybody else "/app/orders",
        q=q,
        chosen=chosen,
        states=["open", "every", *Status],
        page=number,
        pages=max(1, -(-found.total // SIZE)),
        today=today(member, now),
    )


@data.get("/names")
async def names(
    request: Request, member: Signed, ids: Annotated[list[UUID], Query(alias="id", min_length=1, max_length=200)]
) -> Response:
    """Number and title of orders, for the pages that know only their ids. For admins."""
    async with read_session(request) as session:
        found = await reading.named(session, member, ids)
    items = [{"id": str(one.id), "number": one.number, "title": one.title} for one in found]
    return JSONResponse({"items": items, "total": len(items), "page": 1, "pageSize": max(len(items), 1)})


@router.get("/attention")
async def attention_page(request: Request, member: Signed, now: Now) -> Response:
    """What triage flagged for the dispatcher."""
    async with read_session(request) as session:
        items = await suggestions.attention(session, member)
    return show(request, member, "attention.html", "attention", items=items, today=today(member, now))


@router.get("/orders/new")
async def new_page(request: Request, member: Signed) -> Response:
    """An empty form."""
    return await _form(request, member, {"priority": Priority.MEDIUM}, None)


@router.post("/orders/new")
async def create(request: Request, member: Signed, form: Form) -> Response:
    """Report something to be done."""
    try:
        data = OrderData(
            form.get("title", ""), form.get("description", ""), _priority(member, form), _due(member, form)
        )
        owner = _uuid(form.get("owner", ""))
        async with writing(request) as session:
            made = await service.create(session, member, data, owner=owner)
    except DeskError as error:
        return await _form(request, member, form, None, error)
    return go(request, f"/app/orders/{made.id}", ok=_ok(member, "order.created.done", number=made.number))


@router.get("/orders/{order_id}")
async def order_page(request: Request, member: Signed, now: Now, order_id: UUID) -> Response:
    """One order, with what triage suggested beside it."""
    return await _one(request, member, now, order_id)


@router.get("/orders/{order_id}/edit")
async def edit_page(request: Request, member: Signed, order_id: UUID) -> Response:
    """The order as a form that remembers the version it shows."""
    async with read_session(request) as session:
        listed = await reading.get(session, member, order_id)
    return await _form(request, member, _values(listed.order), listed.order)


@router.post("/orders/{order_id}/edit")
async def edit(request: Request, member: Signed, order_id: UUID, form: Form) -> Response:
    """Save, if nobody else has changed the order since the form was shown."""
    try:
        due = _due(member, form)
        change = OrderChange(
            form.get("title", ""), form.get("description", ""), _priority(member, form), None, due, due is None
        )
        async with writing(request) as session:
            await service.update(session, member, order_id, _version(form), change)
    except DeskError as error:
        async with read_session(request) as session:
            listed = await reading.get(session, member, order_id)
        return await _form(request, member, form, listed.order, error)
    return go(request, f"/app/orders/{order_id}", ok=_ok(member, "order.saved"))


@router.post("/orders/{order_id}/status")
async def move(request: Request, member: Signed, now: Now, order_id: UUID, form: Form) -> Response:
    """The next step of an order."""
    try:
        wanted = form.get("status", "")
        if wanted not in set(Status):
            raise InvalidValue(member, "status", "is not known", "no se conoce")
        async with writing(request) as session:
            await service.update(session, member, order_id, _version(form), OrderChange(status=Status(wanted)))
    except DeskError as error:
        return await _one(request, member, now, order_id, error)
    return go(request, f"/app/orders/{order_id}", ok=_ok(member, "order.moved"))


@router.post("/orders/{order_id}/delete")
async def delete(request: Request, member: Signed, now: Now, order_id: UUID, form: Form) -> Response:
    """Gone for good."""
    try:
        async with writing(request) as session:
            gone = await service.delete(session, member, order_id, _version(form))
    except DeskError as error:
        return await _one(request, member, now, order_id, error)
    return go(request, "/app/orders", ok=_ok(member, "order.deleted", number=gone.number))


@router.post("/orders/{order_id}/suggestions/{suggestion_id}/accept")
async def accept(
    request: Request, member: Signed, now: Now, order_id: UUID, suggestion_id: UUID, form: Form
) -> Response:
    """Set the suggested priority, as the person who clicked."""
    try:
        async with writing(request) as session:
            await suggestions.accept(session, member, order_id, suggestion_id, _version(form), now)
    except DeskError as error:
        return await _one(request, member, now, order_id, error)
    return go(request, f"/app/orders/{order_id}", ok=_ok(member, "suggestion.accepted"))


@router.post("/orders/{order_id}/suggestions/{suggestion_id}/dismiss")
async def dismiss(
    request: Request, member: Signed, now: Now, order_id: UUID, suggestion_id: UUID, form: Form
) -> Response:
    """Put the suggestion aside."""
    try:
        async with writing(request) as session:
            await suggestions.dismiss(session, member, order_id, suggestion_id, now)
    except DeskError as error:
        return await _one(request, member, now, order_id, error)
    return go(request, f"/app/orders/{order_id}", ok=_ok(member, "suggestion.dismissed"))


async def _one(
    request: Request, member: Member, now: datetime, order_id: UUID, error: DeskError | None = None
) -> Response:
    async with read_session(request) as session:
        listed = await reading.get(session, member, order_id)
        suggestion = await suggestions.of_order(session, member, order_id)
        opted_out = await suggestions.opted_out(session, member, order_id)
    order = listed.order
    return show(
        request,
        member,
        "order.html",
        "order",
        entities=[("order", order.id)],
        status=error.status if error else 200,
        order=order,
        owner=listed.owner,
        moves=MOVES[Status(order.status)],
        suggestion=suggestion,
        opted_out=opted_out,
        late=order.due_on is not None and order.status in OPEN and order.due_on < today(member, now),
        error=error.message if error else "",
    )


async def _form(
    request: Request,
    member: Member,
    given: Mapping[str, str],
    order: WorkOrder | None,
    error: DeskError | None = None,
) -> Response:
    people = []
    if order is None and member.may(reading.ADMIN) and member.may(users.ADMIN):
        async with read_session(request) as session:
            people = [one for one in (await users.list_users(session, member, size=200)).items if one.active]
    return show(
        request,
        member,
        "order_form.html",
        "order_form",
        entities=[("order", order.id)] if order else [],
        status=error.status if error else 200,
        order=order,
        given={name: given.get(name, "") for name in FIELDS},
        version=given.get("version") or (order.version if order else ""),
        people=people,
        priorities=list(Priority),
        error=error.message if error else "",
        stale=isinstance(error, StaleVersion),
        wrong=error.field if isinstance(error, InvalidValue) else "",
    )


def _values(order: WorkOrder) -> dict[str, str]:
    due = order.due_on.isoformat() if order.due_on else ""
    return {"title": order.title, "description": order.description, "priority": order.priority, "due_on": due}


def _version(form: Mapping[str, str]) -> int:
    """The version that the form was made from; 0, which no order has, where it names none."""
    text = form.get("version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _priority(member: Member, form: Mapping[str, str]) -> Priority:
    try:
        return Priority(form.get("priority", ""))
    except ValueError:
        raise InvalidValue(member, "priority", "is not known", "no se conoce") from None


def _due(member: Member, form: Mapping[str, str]) -> date | None:
    text = form.get("due_on", "")
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise InvalidValue(member, "due_on", "is not a date", "no es una fecha") from None
