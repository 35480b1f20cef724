"""The plumbing of a stream: a reader's events in a face's own words, and its end when the other side goes (SSE-3)."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from fastapi.responses import StreamingResponse

from deputize.core.actor import Actor
from deputize.core.errors import DeputizeError
from deputize.engine import attachment, readers
from deputize.engine.failures import log_failure
from deputize.engine.readers import Shown
from deputize.engine.wiring import Wiring

HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", "Content-Encoding": "identity"}
OPEN = ": open\n\n"
_open: set[readers.Reader] = set()
"""The streams of this process."""


class Rendering(Protocol):
    """How one face words one stream."""

    def opening(self) -> str:
        """What stands before the first event."""
        ...

    def batch(self, shown: Sequence[Shown], after: int) -> str:
        """Frames of what has come; `after` is the durable id behind which the reader began."""
        ...

    def failed(self, error: DeputizeError) -> str:
        """The frame that says why the stream ends."""
        ...


def close_streams(*, idle: bool = False) -> None:
    """End every stream of this process, or with `idle` those of runs that nobody drives here; runs go on (RUN-9)."""
    for reader in list(_open):
        if not (idle and reader.driven_here()):
            reader.leave()


def streaming(
    w: Wiring, actor: Actor, run_id: str, rendering: Rendering, *, after: int = 0, through_pauses: bool = False
) -> StreamingResponse:
    """The run's events as a response; whoever may not see the run was turned away before."""
    body = _frames(w, actor, run_id, rendering, after, through_pauses)
    return StreamingResponse(body, media_type="text/event-stream", headers={**HEADERS, "X-Run-Id": run_id})


async def _frames(
    w: Wiring, actor: Actor, run_id: str, rendering: Rendering, after: int, through_pauses: bool
) -> AsyncIterator[str]:
    reader = readers.Reader(w, actor, run_id, after=after, through_pauses=through_pauses)
    _open.add(reader)
    try:
        yield rendering.opening()
        while batch := await reader.next():
            if text := rendering.batch(batch, reader.after):
                yield text
    except DeputizeError as error:
        yield rendering.failed(error)
    except Exception as error:
        log_failure("reading a run's events", error)  # the client attaches anew, as after any lost connection
    finally:
        _open.discard(reader)
        reader.leave()
        attachment.left(w, actor, run_id)
