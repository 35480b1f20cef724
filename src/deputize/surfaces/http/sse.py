"""The stream on the wire: frames of a reader's events, and its end when the other side goes (SSE-1, SSE-3)."""

from collections.abc import AsyncIterator
from typing import Any

from fastapi.responses import StreamingResponse

from deputize.core.actor import Actor
from deputize.core.errors import DeputizeError
from deputize.core.event import ErrorEvent, Ping
from deputize.engine import attachment, readers
from deputize.engine.failures import log_failure
from deputize.engine.wiring import Wiring

HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", "Content-Encoding": "identity"}
OPEN = ": open\n\n"
_open: set[readers.Reader] = set()
"""The streams of this process."""


def close_streams(*, idle: bool = False) -> None:
    """End every stream of this process, or with `idle` those of runs that nobody drives here; runs go on (RUN-9)."""
    for reader in list(_open):
        if not (idle and reader.driven_here()):
            reader.leave()


def frame(event: Any, seq: int | None) -> str:
    """One event as LF-separated lines; the data is one line of JSON, so nothing in it can end a line."""
    head = f"id: {seq}\n" if seq is not None else ""
    return f"{head}event: {event.type}\ndata: {event.model_dump_json(by_alias=True, exclude={'type'})}\n\n"


def stream(w: Wiring, actor: Actor, run_id: str, *, after: int = 0, through_pauses: bool = False) -> StreamingResponse:
    """The run's events as a response; whoever may not see the run was turned away before."""
    body = _frames(w, actor, run_id, after, through_pauses)
    return StreamingResponse(body, media_type="text/event-stream", headers={**HEADERS, "X-Run-Id": run_id})


async def _frames(w: Wiring, actor: Actor, run_id: str, after: int, through_pauses: bool) -> AsyncIterator[str]:
    """A piece of text carries the newest durable id, so that a client may attach anew after any frame that has one."""
    reader = readers.Reader(w, actor, run_id, after=after, through_pauses=through_pauses)
    _open.add(reader)
    last = None
    try:
        yield OPEN
        while batch := await reader.next():
            text = ""
            for shown in batch:
                last = shown.seq or (reader.after if last is None else last)
                text += frame(shown.event, None if isinstance(shown.event, Ping) else last)
            yield text
    except DeputizeError as error:
        yield frame(ErrorEvent(code=error.code, message=error.message), None)
    except Exception as error:
        log_failure("reading a run's events", error)  # the client attaches anew, as after any lost connection
    finally:
        _open.discard(reader)
        reader.leave()
        attachment.left(w, actor, run_id)
