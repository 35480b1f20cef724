"""Finding, adding and changing what the clinic offers."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.treatments import KINDS
from deputize_hosts.clinic.auth.models import Clinic
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.catalog.models import CATEGORIES, CatalogItem, Category
from deputize_hosts.clinic.errors import InvalidValue, NotFound
from deputize_hosts.clinic.money import FULL, MOST, decimal_of
from deputize_hosts.clinic.money_errors import DuplicateCode
from deputize_hosts.clinic.patients.fields import fold, name_of, tidy

READ, WRITE = "catalog.read", "catalog.write"


@dataclass(frozen=True, slots=True)
class ItemData:
    """What a person fills in; an empty English name repeats the Spanish one."""

    code: str
    name_es: str
    name_en: str
    category: str
    price: int
    minutes: int = 30
    vat_bp: int = 0


def language_of(actor: Caller) -> str:
    """`es` or `en`."""
    return "en" if actor.locale.lower().startswith("en") else "es"


def _hay(item: CatalogItem) -> str:
    """What an item is found by: its own words, its shelf's, and other words for the treatment that it names."""
    shelf = CATEGORIES[Category(item.category)]
    own = fold(" ".join((item.code, item.name_es, item.name_en, *shelf.values())))
    kinds = [kind for kind in KINDS.values() if any(fold(name) in own for name in kind.name.values())]
    return " ".join((own, *(fold(word) for kind in kinds for word in (*kind.name.values(), *kind.words))))


async def search(
    session: AsyncSession, actor: Caller, query: str = "", *, category: str = "", inactive: bool = False
) -> tuple[CatalogItem, ...]:
    """Items whose code, names or category hold every word, by category and code; those not offered only if asked."""
    wanted = select(CatalogItem).where(CatalogItem.clinic_id == require(actor, READ))
    if not inactive:
        wanted = wanted.where(CatalogItem.active.is_(True))
    if category:
        wanted = wanted.where(CatalogItem.category == category)
    order = list(Category)
    words = fold(tidy(query)).split()
    found = [item for item in await session.scalars(wanted) if all(word in _hay(item) for word in words)]
    return tuple(sorted(found, key=lambda item: (order.index(Category(item.category)), item.code)))


async def currency(session: AsyncSession, actor: Caller) -> str:
    """The currency of all prices: the clinic's."""
    return (await session.scalars(select(Clinic.currency).where(Clinic.id == require(actor, READ)))).one()


async def get(session: AsyncSession, actor: Caller, item_id: UUID) -> CatalogItem:
    """One item. Raises NotFound."""
    return await _one(session, actor, require(actor, READ), item_id)


async def _one(session: AsyncSession, actor: Caller, clinic: UUID, item_id: UUID) -> CatalogItem:
    item = await session.scalar(select(CatalogItem).where(CatalogItem.id == item_id, CatalogItem.clinic_id == clinic))
    if item is None:
        raise NotFound(actor, what="catalogue item" if language_of(actor) == "en" else "artículo")
    return item


async def create(session: AsyncSession, actor: Caller, data: ItemData) -> CatalogItem:
    """A new item on offer. Raises InvalidValue, DuplicateCode."""
    item = CatalogItem(clinic_id=require(actor, WRITE), active=True)
    return await _save(session, actor, item, data)


async def update(session: AsyncSession, actor: Caller, item_id: UUID, data: ItemData) -> CatalogItem:
    """Change an item; quotes and invoices keep the price they were made with. Raises NotFound, InvalidValue."""
    return await _save(session, actor, await _one(session, actor, require(actor, WRITE), item_id), data)


async def set_active(session: AsyncSession, actor: Caller, item_id: UUID, active: bool) -> CatalogItem:
    """Offer it or not. Raises NotFound."""
    item = await _one(session, actor, require(actor, WRITE), item_id)
    item.active = active
    await session.flush()
    return item


async def _save(session: AsyncSession, actor: Caller, item: CatalogItem, data: ItemData) -> CatalogItem:
    code, name = name_of(actor, "code", data.code.upper(), 20), name_of(actor, "name", data.name_es, 120)
    if data.category not in {one.value for one in Category}:
        raise InvalidValue(actor, "category", "no es de la lista", "is not on the list")
    if not (0 <= data.price <= MOST and 0 <= data.vat_bp <= FULL and 0 <= data.minutes <= 720):
        raise InvalidValue(actor, "price", "no es posible", "is not possible")
    try:
        async with session.begin_nested():
            item.code, item.name_es, item.name_en = code, name, tidy(data.name_en)[:120] or name
            item.category, item.price, item.minutes, item.vat_bp = (
                data.category,
                data.price,
                data.minutes,
                data.vat_bp,
            )
            session.add(item)
            await session.flush()
    except IntegrityError:
        raise DuplicateCode(actor, item=code) from None
    return item


def categories(language: str) -> Sequence[tuple[str, str]]:
    """Value and name of each category."""
    return [(one.value, CATEGORIES[one][language]) for one in Category]


__all__ = [
    "CatalogItem",
    "Category",
    "ItemData",
    "categories",
    "create",
    "decimal_of",
    "get",
    "language_of",
    "search",
    "set_active",
    "update",
]
