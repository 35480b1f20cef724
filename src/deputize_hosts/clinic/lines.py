"""Priced lines of quotes and invoices: the columns that both have, and how a line comes about."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.clinic.errors import InvalidValue
from deputize_hosts.clinic.money import FULL, MOST, Line
from deputize_hosts.clinic.patients.fields import tidy
from deputize_hosts.kit.errors import Speaks

MOST_OF_ONE = 999


class PricedLine:
    """Columns of a line: the price is a snapshot, the amounts follow from it. Minor units and basis points."""

    position: Mapped[int]
    catalog_item_id: Mapped[UUID | None] = mapped_column(ForeignKey("catalog_items.id"))
    description: Mapped[str] = mapped_column(String(200))
    unit_price: Mapped[int] = mapped_column(BigInteger)
    quantity: Mapped[int]
    discount_bp: Mapped[int] = mapped_column(default=0)
    vat_bp: Mapped[int] = mapped_column(default=0)
    discount: Mapped[int] = mapped_column(BigInteger)
    net: Mapped[int] = mapped_column(BigInteger)
    vat: Mapped[int] = mapped_column(BigInteger)
    total: Mapped[int] = mapped_column(BigInteger)


def line_checks() -> tuple[CheckConstraint, ...]:
    """What the database itself holds about a line."""
    return (
        CheckConstraint("quantity > 0", name="quantity"),
        CheckConstraint("discount_bp >= 0 AND discount_bp <= 10000", name="discount_rate"),
        CheckConstraint("unit_price >= 0 AND vat_bp >= 0", name="price"),
        CheckConstraint("net = unit_price * quantity - discount AND total = net + vat", name="sum"),
    )


class Totalled:
    """Columns of a document: sums of its lines, in minor units of its currency."""

    currency: Mapped[str] = mapped_column(String(3), default="EUR")
    net: Mapped[int] = mapped_column(BigInteger, default=0)
    vat: Mapped[int] = mapped_column(BigInteger, default=0)
    total: Mapped[int] = mapped_column(BigInteger, default=0)


@dataclass(frozen=True, slots=True)
class NewLine:
    """What a person enters: a catalogue item or their own words; None takes the item's price and VAT."""

    item_id: UUID | None = None
    description: str = ""
    unit_price: int | None = None
    quantity: int = 1
    discount_bp: int = 0
    vat_bp: int | None = None


def put_line(row: PricedLine, asker: Speaks, line: Line, description: str) -> None:
    """Fill the row's amounts from the line. Raises InvalidValue for what no line may be."""
    words = tidy(description)[:200]
    if not words:
        raise InvalidValue(asker, "description", "hace falta", "is needed")
    if not 1 <= line.quantity <= MOST_OF_ONE:
        raise InvalidValue(asker, "quantity", f"entre 1 y {MOST_OF_ONE}", f"between 1 and {MOST_OF_ONE}")
    if not 0 <= line.unit_price <= MOST:
        raise InvalidValue(asker, "unit_price", "no es un precio posible", "is not a possible price")
    if not (0 <= line.discount_bp <= FULL and 0 <= line.vat_bp <= FULL):
        raise InvalidValue(asker, "discount", "entre 0 y 100 %", "between 0 and 100%")
    row.description = words
    row.unit_price, row.quantity = line.unit_price, line.quantity
    row.discount_bp, row.vat_bp = line.discount_bp, line.vat_bp
    row.discount, row.net, row.vat, row.total = line.discount, line.net, line.vat, line.total


def add_up(document: Totalled, lines: Iterable[PricedLine]) -> None:
    """The document's totals are the sums of its lines."""
    rows = list(lines)
    document.net, document.vat = sum(row.net for row in rows), sum(row.vat for row in rows)
    document.total = document.net + document.vat


def copy_line(source: PricedLine, row: PricedLine) -> None:
    """The same line in another document, price and all."""
    for name in (
        "position", "catalog_item_id", "description", "unit_price", "quantity", "discount_bp", "vat_bp",
        "discount", "net", "vat", "total",
    ):  # fmt: skip
        setattr(row, name, getattr(source, name))
