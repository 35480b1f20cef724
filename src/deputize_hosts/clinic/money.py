"""Money in integer minor units: reading it, showing it, and what a line with discount and VAT comes to."""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from deputize_hosts.clinic.errors import InvalidValue
from deputize_hosts.kit.errors import Speaks

MOST = 10_000_000_00
"""No single price or payment of a dental practice is above ten million; a slip of the keyboard is."""
FULL = 10_000
"""A whole, in basis points: discounts and VAT are hundredths of a per cent."""
_GROUPED = {"es": re.compile(r"\d{1,3}(\.\d{3})+(,\d{1,2})?"), "en": re.compile(r"\d{1,3}(,\d{3})+(\.\d{1,2})?")}
_PLAIN = re.compile(r"\d+([.,]\d{1,2})?")
_SIGNS = {"EUR": "€", "USD": "$", "GBP": "£"}


def share_of(amount: int, basis_points: int) -> int:
    """That part of an amount ≥ 0, halves rounded up."""
    return (amount * basis_points + FULL // 2) // FULL


@dataclass(frozen=True, slots=True)
class Line:
    """A quantity at a price; everything else follows. `unit_price` is in minor units, the rates in basis points."""

    unit_price: int
    quantity: int = 1
    discount_bp: int = 0
    vat_bp: int = 0

    @property
    def gross(self) -> int:
        """Before discount and VAT."""
        return self.unit_price * self.quantity

    @property
    def discount(self) -> int:
        """What the discount takes off."""
        return share_of(self.gross, self.discount_bp)

    @property
    def net(self) -> int:
        """After the discount, before VAT."""
        return self.gross - self.discount

    @property
    def vat(self) -> int:
        """VAT of this line, rounded once, here; totals are sums of lines."""
        return share_of(self.net, self.vat_bp)

    @property
    def total(self) -> int:
        """What the line costs."""
        return self.net + self.vat


def decimal_of(minor: int) -> Decimal:
    """`12050` → `Decimal("120.50")`."""
    return Decimal(minor).scaleb(-2)


def minor_of(asker: Speaks, field: str, amount: Decimal) -> int:
    """Minor units of a positive amount with at most two decimals. Raises InvalidValue."""
    minor = amount.scaleb(2)
    if minor != minor.to_integral_value():
        raise InvalidValue(asker, field, "como mucho dos decimales", "at most two decimals")
    if not 0 < minor <= MOST:
        raise InvalidValue(asker, field, "tiene que ser mayor que cero", "has to be more than zero")
    return int(minor)


def money_read(asker: Speaks, field: str, text: str) -> int:
    """Minor units of what a person typed, `1.250,50` or `1250.5`; nothing below zero. Raises InvalidValue."""
    bare = re.sub(r"[\s€$£\u00a0]", "", text)
    spoken = "en" if asker.locale.lower().startswith("en") else "es"
    if _GROUPED[spoken].fullmatch(bare):
        bare = bare.replace("." if spoken == "es" else ",", "")
    if not _PLAIN.fullmatch(bare):
        raise InvalidValue(asker, field, "no es un importe", "is not an amount")
    try:
        minor = int(Decimal(bare.replace(",", ".")).scaleb(2))
    except InvalidOperation:
        raise InvalidValue(asker, field, "no es un importe", "is not an amount") from None
    if minor > MOST:
        raise InvalidValue(asker, field, "es demasiado", "is too much")
    return minor


def percent_read(asker: Speaks, field: str, text: str) -> int:
    """Basis points of `10`, `7,5` or nothing. Raises InvalidValue."""
    bare = text.strip().rstrip("%").strip() or "0"
    if not _PLAIN.fullmatch(bare):
        raise InvalidValue(asker, field, "no es un porcentaje", "is not a percentage")
    points = int(Decimal(bare.replace(",", ".")).scaleb(2))
    if points > FULL:
        raise InvalidValue(asker, field, "como mucho 100", "at most 100")
    return points


def shown_money(minor: int, language: str, currency: str = "EUR") -> str:
    """`1.250,50 €` in Spanish, `€1,250.50` in English."""
    sign, text = "-" if minor < 0 else "", f"{abs(minor) // 100:,}.{abs(minor) % 100:02d}"
    symbol = _SIGNS.get(currency, currency)
    if language == "en":
        return f"{sign}{symbol}{text}" if currency in _SIGNS else f"{sign}{text} {symbol}"
    swapped = text.translate(str.maketrans(",.", ".,"))
    return f"{sign}{swapped}\u00a0{symbol}"


def shown_percent(basis_points: int, language: str) -> str:
    """`21 %`, `7,5 %`."""
    text = f"{basis_points / 100:.2f}".rstrip("0").rstrip(".") if basis_points else "0"
    return f"{text.replace('.', ',')}\u00a0%" if language == "es" else f"{text}%"


def plain_money(minor: int, language: str) -> str:
    """As a form field holds it: `120,50` in Spanish, `120.50` in English."""
    text = f"{minor // 100}.{minor % 100:02d}"
    return text.replace(".", ",") if language == "es" else text
