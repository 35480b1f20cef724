"""Values as people read them on a card: times in their zone, numbers and words in their language (APPR-1, UI-6)."""

import json
import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import Enum, LargeBinary, Numeric
from sqlalchemy.types import DateTime, TypeDecorator, TypeEngine

from deputize.core.actor import Actor
from deputize.core.placeholders import ASSIGNED, TEXT

NOTHING = "—"
_WORDS: Mapping[str, Mapping[str, str]] = {
    "es": {
        "yes": "sí",
        "no": "no",
        "assigned": "se asigna al guardar",
        "bytes": "datos binarios",
        "given": "Texto que lo acompaña",
    },
    "en": {
        "yes": "yes",
        "no": "no",
        "assigned": "assigned on saving",
        "bytes": "binary data",
        "given": "Text that goes with it",
    },
}
_MONTHS = {
    "es": ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"],
    "en": ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
}
_DAYS = {
    "es": ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"],
    "en": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})


def language(locale: str) -> str:
    """The language of a BCP 47 tag, if we speak it, else English."""
    spoken = locale.replace("_", "-").partition("-")[0].lower()
    return spoken if spoken in _WORDS else "en"


def word(name: str, spoken: str) -> str:
    """One of our own words."""
    return _WORDS[spoken][name]


def spelled(value: Any, spoken: str) -> tuple[Any, bool]:
    """Frozen data with its placeholders in words, and whether there was one."""
    if isinstance(value, dict) and ASSIGNED in value:
        return f"[{word('assigned', spoken)}]", True
    if isinstance(value, dict) and TEXT in value:
        return "".join(str(spelled(part, spoken)[0]) for part in value[TEXT]), True
    if isinstance(value, dict):
        parts = {name: spelled(item, spoken) for name, item in value.items()}
        return {name: part for name, (part, _) in parts.items()}, any(found for _, found in parts.values())
    if isinstance(value, list):
        items = [spelled(item, spoken) for item in value]
        return [item for item, _ in items], any(found for _, found in items)
    return value, False


def _invisible(letter: str) -> bool:
    if letter in "\n\t":
        return False
    return letter in _BLANKS or unicodedata.category(letter) in _UNSEEN or "\U000e0100" <= letter <= "\U000e01ef"


def visible(text: str) -> tuple[str, bool]:
    """The text with invisible and bidirectional characters written out (`⟨U+202E⟩`), and whether there were any."""
    if text.isascii() and text.isprintable():
        return text, False
    text = text.replace("\r\n", "\n")
    if not any(map(_invisible, text)):
        return text, False
    return "".join(f"⟨U+{ord(c):04X}⟩" if _invisible(c) else c for c in text), True


def typeable(text: str) -> str:
    """A phrase that a person can type: without invisible characters, single spaces."""
    return " ".join("".join(c for c in text if not _invisible(c)).split())


def words(value: Any, kind: TypeEngine[Any] | None, actor: Actor) -> str:
    """A plain column value in the actor's language; the em dash where there is nothing."""
    spoken = language(actor.locale)
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return word("yes" if value else "no", spoken)
    inner = kind.impl_instance if isinstance(kind, TypeDecorator) else kind
    if isinstance(value, str):
        return _text(value, inner, actor, spoken)
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _text(value: str, kind: TypeEngine[Any] | None, actor: Actor, spoken: str) -> str:
    if isinstance(kind, Enum):
        return value.replace("_", " ")
    if isinstance(kind, LargeBinary):
        return f"{word('bytes', spoken)} ({len(value) // 2})"
    if isinstance(kind, Numeric):
        return value.replace(".", ",") if spoken == "es" else value
    if _MOMENT.fullmatch(value) and not (kind is not None and kind._type_affinity is not DateTime):
        return moment(datetime.fromisoformat(value), actor, utc=bool(getattr(kind, "timezone", False)))
    if _DATE.fullmatch(value):
        return day(date.fromisoformat(value), spoken)
    return value


def moment(value: datetime, actor: Actor, *, utc: bool = True) -> str:
    """A moment in the actor's zone; a naive one is UTC where `utc` says so, else it is shown as it stands."""
    spoken = language(actor.locale)
    if value.tzinfo is None and utc:
        value = value.replace(tzinfo=UTC)
    if value.tzinfo is not None:
        value = value.astimezone(_zone(actor.time_zone))
    seconds = f":{value.second:02d}" if value.second else ""
    return f"{day(value.date(), spoken)}, {value.hour:02d}:{value.minute:02d}{seconds}"


def day(value: date, spoken: str) -> str:
    """A date with its weekday: `mié 1 abr 2026`, `Wed 1 Apr 2026`."""
    return f"{_DAYS[spoken][value.weekday()]} {value.day} {_MONTHS[spoken][value.month - 1]} {value.year}"


def _zone(name: str) -> Any:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC
