"""The stream on the wire: frames of a reader's events, and its end when the other side goes (SSE-1, SSE-3)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from fastapi.responses import StreamingResponse

from deputize.core.actor import Actor
from deputize.engine import attachment, readers
from deputize.engine.readers import Shown
from deputize.engine.wiring import Wiring

HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", "Content-Encoding": "identity"}
OPEN = ": open\n\n"


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
    ready: asyncio.Queue[str | None] = asyncio.Queue()
    reader = readers.Reader(w, actor, run_id, after=after, through_pauses=through_pauses)
    pump = asyncio.create_task(_pump(reader, ready), name=f"reader {run_id}")
    try:
        yield OPEN
        while (text := await ready.get()) is not None:
            while not ready.empty():
                more = ready.get_nowait()
                if more is None:
                    yield text
                    return
                text += more
            yield text
    finally:
        reader.leave()
        attachment.left(w, actor, run_id)
        pump.add_done_callback(_settle)


async def _pump(reader: readers.Reader, ready: "asyncio.Queue[str | None]") -> None:
    try:
        async for shown in reader:
            ready.put_nowait(_text(shown))
    finally:
        ready.put_nowait(None)


def _text(shown: Shown) -> str:
    return frame(shown.event, shown.seq)


def _settle(task: "asyncio.Task[None]") -> None:
    """Take note of how the reader ended, so that nothing is reported as never looked at."""
    if not task.cancelled():
        task.exception()
