"""The stream on the wire: a run's events as frames of the closed set (SSE-1)."""

from collections.abc import Sequence
from typing import Any

from fastapi.responses import StreamingResponse

from deputize.core.actor import Actor
from deputize.core.errors import DeputizeError
from deputize.core.event import ErrorEvent, Ping
from deputize.engine.readers import Shown
from deputize.engine.wiring import Wiring
from deputize.surfaces.web.streams import OPEN, streaming


def frame(event: Any, seq: int | None) -> str:
    """One event as LF-separated lines; the data is one line of JSON, so nothing in it can end a line."""
    head = f"id: {seq}\n" if seq is not None else ""
    return f"{head}event: {event.type}\ndata: {event.model_dump_json(by_alias=True, exclude={'type'})}\n\n"


def stream(w: Wiring, actor: Actor, run_id: str, *, after: int = 0, through_pauses: bool = False) -> StreamingResponse:
    """The run's events as a response; whoever may not see the run was turned away before."""
    return streaming(w, actor, run_id, Frames(), after=after, through_pauses=through_pauses)


class Frames:
    """A piece of text carries the newest durable id, so that a client may attach anew after any frame that has one."""

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last: int | None = None

    def opening(self) -> str:
        """A comment, so that the first byte comes at once."""
        return OPEN

    def batch(self, shown: Sequence[Shown], after: int) -> str:
        """Every event as it is."""
        text = ""
        for one in shown:
            self.last = one.seq or (after if self.last is None else self.last)
            text += frame(one.event, None if isinstance(one.event, Ping) else self.last)
        return text

    def failed(self, error: DeputizeError) -> str:
        """An `error` event (SSE-2)."""
        return frame(ErrorEvent(code=error.code, message=error.message), None)
