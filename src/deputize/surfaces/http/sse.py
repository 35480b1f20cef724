"""The stream on the wire: frames of a reader's events, and its end when the other side goes (SSE-1, SSE-3)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi.responses import StreamingResponse

from deputize.core.actor import Actor
from deputize.core.errors import DeputizeError
from deputize.core.event import ErrorEvent, Ping
from deputize.engine import attachment, readers
from deputize.engine.failures import log_failure
from deputize.engine.mailbox import Mailbox
from deputize.engine.wiring import Wiring

HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", "Content-Encoding": "identity"}
OPEN = ": open\n\n"
_pumps: set["asyncio.Task[None]"] = set()
"""Tasks that read; kept until each has ended by itself, also where its stream has gone."""


_open: dict[Mailbox[str | None], Callable[[], bool]] = {}
"""The streams of this process, and whether the run of each is driven here now."""


def close_streams(*, idle: bool = False) -> None:
    """End every stream of this process, or with `idle` those of runs that nobody drives here; runs go on (RUN-9)."""
    for ready, driven in list(_open.items()):
        if not (idle and driven()):
            ready.put(None)


def frame(event: Any, seq: int | None) -> str:
    """One event as LF-separated lines; the data is one line of JSON, so nothing in it can end a line."""
    head = f"id: {seq}\n" if seq is not None else ""
    return f"{head}event: {event.type}\ndata: {event.model_dump_json(by_alias=True, exclude={'type'})}\n\n"


def stream(w: Wiring, actor: Actor, run_id: str, *, after: int = 0, through_pauses: bool = False) -> StreamingResponse:
    """The run's events as a response; whoever may not see the run was turned away before."""
    body = _frames(w, actor, run_id, after, through_pauses)
    return StreamingResponse(body, media_type="text/event-stream", headers={**HEADERS, "X-Run-Id": run_id})


async def _frames(w: Wiring, actor: Actor, run_id: str, after: int, through_pauses: bool) -> AsyncIterator[str]:
    """Reads events only: a task of its own asks the database, so that a cut request never cuts a query."""
    ready: Mailbox[str | None] = Mailbox()
    reader = readers.Reader(w, actor, run_id, after=after, through_pauses=through_pauses)
    pump = asyncio.create_task(_pump(reader, ready), name=f"reader {run_id}")
    _open[ready] = lambda: run_id in w.hub.tasks
    _pumps.add(pump)
    pump.add_done_callback(_pumps.discard)
    try:
        yield OPEN
        while True:
            pieces = await ready.take()
            text = "".join(piece for piece in pieces if piece is not None)
            if text:
                yield text
            if None in pieces:
                return
    finally:
        del _open[ready]
        reader.leave()
        attachment.left(w, actor, run_id)


async def _pump(reader: readers.Reader, ready: Mailbox[str | None]) -> None:
    """A piece of text carries the newest durable id, so that a client may attach anew after any frame that has one."""
    last = None
    try:
        async for shown in reader:
            last = shown.seq or (reader.after if last is None else last)
            ready.put(frame(shown.event, None if isinstance(shown.event, Ping) else last))
    except DeputizeError as error:
        ready.put(frame(ErrorEvent(code=error.code, message=error.message), None))
    except Exception as error:
        log_failure("reading a run's events", error)  # the client attaches anew, as after any lost connection
    finally:
        ready.put(None)
