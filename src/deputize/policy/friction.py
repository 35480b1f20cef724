"""What must be typed on a card, compared with the frozen value (APPR-8)."""

from collections.abc import Mapping
from typing import Any

from deputize.core.approval import Typed
from deputize.core.preview import Friction


def value_at(arguments: Mapping[str, Any], path: str) -> str | None:
    """The text at a dotted path of the frozen arguments."""
    found: Any = arguments
    for part in path.split("."):
        if isinstance(found, Mapping):
            found = found.get(part)
        elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        else:
            return None
    return None if found is None else str(found)


def mismatch(friction: Friction, typed: Typed, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields whose typed text is missing or different; empty where all is well.

    Surrounding spaces do not count; everything else does.
    """
    wrong = []
    if friction.confirm is not None and (typed.confirm or "").strip() != friction.confirm.strip():
        wrong.append("confirm")
    for path in friction.destinations:
        frozen = value_at(arguments, path)
        if frozen is None or typed.destinations.get(path, "").strip() != frozen.strip():
            wrong.append(path)
    return tuple(wrong)
