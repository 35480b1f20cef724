"""What forms send, turned into values; anything unreadable is an InvalidValue."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import TypeVar

from deputize_hosts.clinic.agenda.forms import uuid_of
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.errors import InvalidValue
from deputize_hosts.clinic.lines import NewLine
from deputize_hosts.clinic.money import money_read, percent_read
from deputize_hosts.clinic.pages.render import language_of
from deputize_hosts.clinic.pages.words import WORDS

E = TypeVar("E", bound=StrEnum)


def ok(member: Member, key: str) -> str:
    """The message after a form."""
    return WORDS.say(language_of(member), key)


def choice_of(member: Member, field: str, text: str, kind: type[E]) -> E:
    """A value of the list. Raises InvalidValue."""
    try:
        return kind(text)
    except ValueError:
        raise InvalidValue(member, field, "no es de la lista", "is not on the list") from None


def whole_number(member: Member, field: str, text: str) -> int:
    """A number without sign. Raises InvalidValue."""
    if not text.strip().isdecimal() or len(text) > 9:
        raise InvalidValue(member, field, "tiene que ser un número", "has to be a number")
    return int(text)


def month_read(text: str) -> date | None:
    """The first day of `2026-07`; None for nothing and for what is no month."""
    try:
        return date.fromisoformat(f"{text[:7]}-01") if text else None
    except ValueError:
        return None


def day_read(member: Member, field: str, text: str) -> date | None:
    """A date, None for nothing. Raises InvalidValue."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise InvalidValue(member, field, "no es una fecha", "is not a date") from None


def line_read(member: Member, form: Mapping[str, str]) -> NewLine:
    """A line as the form has it: the catalogue's price unless another was typed. Raises InvalidValue."""
    price = form.get("price", "").strip()
    return NewLine(
        uuid_of(member, "item", form.get("item", "")),
        form.get("description", ""),
        money_read(member, "price", price) if price else None,
        whole_number(member, "quantity", form.get("quantity", "") or "1"),
        percent_read(member, "discount", form.get("discount", "")),
    )
