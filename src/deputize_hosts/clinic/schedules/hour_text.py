"""Hours as people write them (`09:00-14:00, 16:00-20:00`), and back."""

import re
from collections.abc import Sequence
from datetime import date
from uuid import UUID

from deputize_hosts.clinic.errors import InvalidValue
from deputize_hosts.clinic.schedules.hours import Range
from deputize_hosts.kit.errors import Speaks

_RANGE = re.compile(r"(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})")


def ranges_text(ranges: Sequence[Range]) -> str:
    """`09:00-14:00, 16:00-20:00`; empty for closed."""
    return ", ".join(f"{a // 60:02d}:{a % 60:02d}-{b // 60:02d}:{b % 60:02d}" for a, b in ranges)


def ranges_read(asker: Speaks, text: str) -> list[Range]:
    """The ranges in minutes since midnight. Raises InvalidValue for anything else."""
    found = []
    for part in filter(None, (piece.strip() for piece in re.split(r"[,;]", text))):
        match = _RANGE.fullmatch(part)
        if match is None or int(match[2]) > 59 or int(match[4]) > 59:
            raise InvalidValue(asker, "hours", "se escriben así: 09:00-14:00", "are written like this: 09:00-14:00")
        found.append((int(match[1]) * 60 + int(match[2]), int(match[3]) * 60 + int(match[4])))
    return found


def day_read(asker: Speaks, field: str, text: str) -> date:
    """A date. Raises InvalidValue."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidValue(asker, field, "no es una fecha", "is not a date") from None


def owner_read(asker: Speaks, text: str) -> UUID | None:
    """Whose hours: None is the clinic. Raises InvalidValue."""
    try:
        return UUID(text) if text else None
    except ValueError:
        raise InvalidValue(asker, "whose", "no es de la lista", "is not on the list") from None
