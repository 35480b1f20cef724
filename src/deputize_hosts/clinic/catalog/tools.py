"""What the copilot may ask about the catalogue."""

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from deputize import Args, Context, Public, Result, Target, Toolset, Trusted, Yields, tool
from deputize_hosts.clinic.catalog import service
from deputize_hosts.clinic.catalog.service import CatalogItem, decimal_of, language_of

Shelf = Literal[
    "diagnosis",
    "prevention",
    "restoration",
    "endodontics",
    "surgery",
    "prosthetics",
    "orthodontics",
    "aesthetics",
    "other",
]


class ListItems(Args):
    query: Annotated[str, Field(max_length=80, description="Words of code or name; empty: everything")] = ""
    category: Shelf | None = None
    page: Annotated[int, Field(ge=1, le=50)] = 1


class Item(Result):
    id: Annotated[UUID, Yields("catalog_item")]
    code: Annotated[str, Public(), Trusted()]
    name: Annotated[str, Public(), Trusted()]
    category: Annotated[str, Public()]
    price: Decimal
    currency: Annotated[str, Public()]
    minutes: int


class Items(Result):
    many: ClassVar[str | None] = "items"
    items: list[Item]
    total: int


class OneItem(Args):
    item: Annotated[UUID, Target("catalog_item")]


class ItemCard(Item):
    vat_percent: Decimal
    active: bool


@tool(
    permissions=["catalog.read"],
    effect="read",
    title={"es": "Ver el catálogo", "en": "See the catalogue"},
    say={
        "es": ["¿cuánto cuesta un empaste?", "precios del catálogo", "tarifas de ortodoncia", "enséñame el catálogo"],
        "en": ["how much is a filling?", "catalogue prices", "price list", "show me the catalogue"],
    },
)
async def list_catalog_items(ctx: Context, args: ListItems) -> Items:
    """Treatments on offer with their prices without VAT, ten a page."""
    found = await service.search(ctx.session, ctx.actor, args.query, category=args.category or "")
    shown = found[(args.page - 1) * 10 : args.page * 10]
    currency = await service.currency(ctx.session, ctx.actor)
    return Items(items=[Item(**_item(ctx, one, currency)) for one in shown], total=len(found))


@tool(
    permissions=["catalog.read"],
    effect="read",
    title={"es": "Ver un artículo del catálogo", "en": "See a catalogue item"},
    say={
        "es": ["detalle de este artículo del catálogo", "¿qué IVA lleva este artículo?"],
        "en": ["details of this catalogue item", "what VAT does this catalogue item have?"],
    },
)
async def get_catalog_item(ctx: Context, args: OneItem) -> ItemCard:
    """One item of the catalogue with its VAT."""
    one = await service.get(ctx.session, ctx.actor, args.item)
    currency = await service.currency(ctx.session, ctx.actor)
    return ItemCard(**_item(ctx, one, currency), vat_percent=decimal_of(one.vat_bp), active=one.active)


def _item(ctx: Context, one: CatalogItem, currency: str) -> dict[str, Any]:
    return {
        "id": one.id,
        "code": one.code,
        "name": one.name(language_of(ctx.actor)),
        "category": one.category,
        "price": decimal_of(one.price),
        "currency": currency,
        "minutes": one.minutes,
    }


TOOLS = Toolset("catalog", [list_catalog_items, get_catalog_item])
