"""Redacts what goes out once the detectors have read it aside: a slow one holds nobody up (RED-6)."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from deputize.core.errors import DetectionFailed
from deputize.core.tool import Refuse
from deputize.engine.veils import Source, Veil
from deputize.engine.wiring import Wiring


async def hide(w: Wiring, hidden: Veil, text: str, source: Source) -> str:
    """The text as it may go out. Raises DetectionFailed."""
    await w.detection.read(hidden.read_in(text))
    return hidden.hide(text, source)


async def hide_reason(w: Wiring, hidden: Veil, reason: str) -> str:
    """A person's reason as the model may be told it; nothing where it cannot be read, for they may always say no."""
    try:
        return await hide(w, hidden, reason, "user")
    except DetectionFailed:
        return ""


async def hide_data(w: Wiring, hidden: Veil, value: Any, model: type[BaseModel] | None) -> Any:
    """Plain JSON as it may go out, by the marks of its model. Raises DetectionFailed."""
    await w.detection.read(hidden.read_in_data(value, model))
    return hidden.hide_data(value, model)


async def hide_refusal(w: Wiring, hidden: Veil, said: Refuse) -> tuple[str, Mapping[str, Any]]:
    """Message and alternatives of a host's refusal. Raises DetectionFailed."""
    message = await hide(w, hidden, said.message, "tool")
    return message, await hide_data(w, hidden, dict(said.alternatives), None)
