"""The states of an invoice and the one table of legal moves."""

from collections.abc import Mapping
from enum import StrEnum


class Status(StrEnum):
    """Where an invoice stands."""

    DRAFT = "draft"
    ISSUED = "issued"
    PARTIAL = "partial"
    PAID = "paid"
    CANCELLED = "cancelled"
    VOIDED = "voided"


S = Status
MOVES: Mapping[Status, tuple[Status, ...]] = {
    S.DRAFT: (S.ISSUED, S.VOIDED),
    S.ISSUED: (S.PARTIAL, S.PAID, S.CANCELLED),
    S.PARTIAL: (S.PAID, S.CANCELLED),
    S.PAID: (),
    S.CANCELLED: (),
    S.VOIDED: (),
}
"""What may be done to an invoice. `partial` and `paid` follow from allocations alone; a refund takes them back."""

OPEN = frozenset({S.ISSUED, S.PARTIAL})
"""Something is still owed."""
STANDING = frozenset({S.ISSUED, S.PARTIAL, S.PAID})
"""The invoice counts as invoiced."""

NAMES: Mapping[Status, Mapping[str, str]] = {
    S.DRAFT: {"es": "Borrador", "en": "Draft"},
    S.ISSUED: {"es": "Emitida", "en": "Issued"},
    S.PARTIAL: {"es": "Pagada en parte", "en": "Partly paid"},
    S.PAID: {"es": "Pagada", "en": "Paid"},
    S.CANCELLED: {"es": "Anulada", "en": "Cancelled"},
    S.VOIDED: {"es": "Descartada", "en": "Voided"},
}


def settled(total: int, paid: int) -> Status:
    """The state of a standing invoice by what was paid."""
    if paid <= 0:
        return S.PAID if total == 0 else S.ISSUED
    return S.PAID if paid >= total else S.PARTIAL
