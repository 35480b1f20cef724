"""The page of the catalogue: what is offered, and for the admin the form to add to it."""

from collections.abc import Mapping
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.catalog import service
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.money import money_read, percent_read
from deputize_hosts.clinic.pages.access import Form, Signed, reading, writing
from deputize_hosts.clinic.pages.forms import ok, whole_number
from deputize_hosts.clinic.pages.render import language_of, show
from deputize_hosts.kit.pages import go

router = APIRouter(prefix="/catalog")
FIELDS = ("code", "name_es", "name_en", "category", "price", "minutes", "vat")


@router.get("")
async def catalog_page(request: Request, member: Signed, q: str = "") -> Response:
    """Everything by category."""
    return await _page(request, member, q, {})


async def _page(
    request: Request, member: Member, q: str, given: Mapping[str, str], error: ClinicError | None = None
) -> Response:
    async with reading(request) as session:
        items = await service.search(session, member, q, inactive=member.may(service.WRITE))
    return show(
        request,
        member,
        "catalog.html",
        "catalog",
        status=error.status if error else 200,
        q=q,
        items=items,
        shelves=service.categories(language_of(member)),
        given={name: given.get(name, "") for name in FIELDS},
        error={"message": error.message, "free": (), "others": ()} if error else None,
    )


@router.post("")
async def create(request: Request, member: Signed, form: Form) -> Response:
    """A new item."""
    try:
        data = service.ItemData(
            form.get("code", ""),
            form.get("name_es", ""),
            form.get("name_en", ""),
            form.get("category", ""),
            money_read(member, "price", form.get("price", "")),
            whole_number(member, "minutes", form.get("minutes", "") or "30"),
            percent_read(member, "vat", form.get("vat", "")),
        )
        async with writing(request) as session:
            await service.create(session, member, data)
    except ClinicError as error:
        return await _page(request, member, "", form, error)
    return go(request, "/catalog", ok=ok(member, "catalog.saved"))


@router.post("/{item_id}/active")
async def set_active(request: Request, member: Signed, item_id: UUID, form: Form) -> Response:
    """Offer it or not."""
    async with writing(request) as session:
        await service.set_active(session, member, item_id, bool(form.get("active")))
    return go(request, "/catalog", ok=ok(member, "catalog.saved"))
