"""An order's fields as stored: tidy titles, plain descriptions, folded search words."""

import unicodedata
from dataclasses import dataclass
from datetime import date

from deputize_hosts.kit.errors import Speaks
from deputize_hosts.workorders.errors import InvalidValue
from deputize_hosts.workorders.orders.status import Priority, Status

TITLE, DESCRIPTION = 120, 4000
"""Longest title and description, in characters."""


@dataclass(frozen=True, slots=True)
class OrderData:
    """What a person fills in for a new order. Texts are cleaned by the service."""

    title: str
    description: str = ""
    priority: Priority = Priority.MEDIUM
    due_on: date | None = None


@dataclass(frozen=True, slots=True)
class OrderChange:
    """What is to be different; None keeps a field. `clear_due` takes the due date away."""

    title: str | None = None
    description: str | None = None
    priority: Priority | None = None
    status: Status | None = None
    due_on: date | None = None
    clear_due: bool = False


def tidy(text: str) -> str:
    """NFC, without control characters, single spaces."""
    normal = unicodedata.normalize("NFC", text)
    return " ".join("".join(" " if unicodedata.category(c) in {"Cc", "Zs"} else c for c in normal).split())


def fold(text: str) -> str:
    """Without accents and case: `Ascensor` and `ASCENSÓR` fold alike."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(c for c in parts if not unicodedata.combining(c)).casefold()


def title_of(asker: Speaks, text: str) -> str:
    """A title that is there and fits. Raises InvalidValue."""
    title = tidy(text)
    if not title:
        raise InvalidValue(asker, "title", "is needed", "hace falta")
    if len(title) > TITLE:
        raise InvalidValue(asker, "title", f"at most {TITLE} characters", f"como mucho {TITLE} letras")
    return title


def description_of(asker: Speaks, text: str) -> str:
    """The text with plain line ends and without other control characters. Raises InvalidValue where it is too long."""
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").strip()
    plain = "".join(c for c in lines if c in "\n\t" or unicodedata.category(c) != "Cc")
    if len(plain) > DESCRIPTION:
        raise InvalidValue(
            asker, "description", f"at most {DESCRIPTION} characters", f"como mucho {DESCRIPTION} letras"
        )
    return plain


def folded(number: int, title: str, description: str) -> str:
    """What search looks at."""
    return fold(f"{number} {title} {description}")
