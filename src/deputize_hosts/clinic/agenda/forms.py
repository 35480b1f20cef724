"""What the agenda's forms send, turned into values; anything unreadable is an InvalidValue."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from uuid import UUID

from deputize_hosts.clinic.agenda.treatments import Treatment
from deputize_hosts.clinic.errors import InvalidValue
from deputize_hosts.kit.errors import Speaks


def uuid_of(asker: Speaks, field: str, text: str) -> UUID | None:
    """An id, None for nothing. Raises InvalidValue."""
    try:
        return UUID(text) if text else None
    except ValueError:
        raise InvalidValue(asker, field, "no es válido", "is not valid") from None


def day_of(text: str, default: date) -> date:
    """A date from the address bar; the default where it cannot be read."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return default


@dataclass(frozen=True, slots=True)
class When:
    """Day, time and place as chosen on a form."""

    start: datetime
    professional: UUID | None
    cabinet: UUID | None
    minutes: int | None


def when_of(asker: Speaks, form: Mapping[str, str]) -> When:
    """Read the fields day, time, professional, cabinet, minutes. Raises InvalidValue."""
    try:
        start = datetime.combine(date.fromisoformat(form.get("day", "")), time.fromisoformat(form.get("time", "")))
    except ValueError:
        raise InvalidValue(asker, "start", "faltan el día o la hora", "day or time is missing") from None
    length = form.get("minutes", "")
    if length and not length.isdigit():
        raise InvalidValue(asker, "minutes", "tiene que ser un número", "has to be a number")
    return When(
        start.replace(tzinfo=None),
        uuid_of(asker, "professional", form.get("professional", "")),
        uuid_of(asker, "cabinet", form.get("cabinet", "")),
        int(length) if length else None,
    )


def treatment_chosen(asker: Speaks, text: str) -> Treatment:
    """One of the list. Raises InvalidValue."""
    try:
        return Treatment(text or Treatment.CHECKUP)
    except ValueError:
        raise InvalidValue(asker, "treatment", "no es de la lista", "is not on the list") from None
