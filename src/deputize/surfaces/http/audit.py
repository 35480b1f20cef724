"""The routes of the audit chain: lists, entries, checkpoints, verification with progress, export (contract 9)."""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path as File
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse
from pydantic import AfterValidator, AwareDatetime, Field
from starlette.background import BackgroundTask

from deputize.core.actor import Actor
from deputize.core.errors import DeputizeError, Disabled, problem
from deputize.engine import access, audit_export, auditing, erasure
from deputize.engine.wiring import Wiring
from deputize.surfaces.http.schemas import Nothing
from deputize.surfaces.web.schemas import Body
from deputize.surfaces.web.streams import HEADERS, OPEN

STREAM = "text/event-stream"
Page = Annotated[int, Query(ge=1, le=10_000)]
Size = Annotated[int, Query(alias="pageSize", ge=1, le=200)]
Word = Annotated[str | None, Query(max_length=200)]


def _in_utc(moment: datetime) -> datetime:
    """The moment in UTC; the first and the last day of the calendar have hours that no other zone knows."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("out of range") from None


Moment = Annotated[Annotated[AwareDatetime, AfterValidator(_in_utc)] | None, Query()]


class EraseIn(Body):
    """Whose values: the subject as entries name it, such as `patient:ID`."""

    subject: str = Field(min_length=1, max_length=200)


class _Left(Exception):
    """Nobody waits for the verification any more."""


def build_audit(router: APIRouter, w: Wiring, Who: Any) -> None:
    """Add the chain's routes to the admin router; all of them ask for `supervise`."""
    _lists(router, w, Who)
    _proofs(router, w, Who)
    _one(router, w, Who)


def _on(w: Wiring) -> None:
    if not w.enabled:
        raise Disabled()


def _lists(router: APIRouter, w: Wiring, Who: Any) -> None:
    @router.get("/audit")
    async def entries(
        actor: Who,
        kind: Word = None,
        who: Annotated[str | None, Query(alias="actor", max_length=200)] = None,
        run: Word = None,
        since: Moment = None,
        until: Moment = None,
        page: Page = 1,
        size: Size = 50,
    ) -> Any:
        _on(w)
        return await auditing.page_of(
            w, actor, kind=kind, who=who, run=run, since=since, until=until, page=page, size=size
        )

    @router.post("/audit/checkpoint")
    async def checkpoint(actor: Who, body: Nothing) -> Any:
        _on(w)
        return await auditing.checkpoint(w, actor)

    @router.post("/audit/subjects/erase")
    async def erase(actor: Who, body: EraseIn) -> Any:
        _on(w)
        return await erasure.erase_subject(w, actor, body.subject)


def _proofs(router: APIRouter, w: Wiring, Who: Any) -> None:
    @router.get("/audit/verify", response_class=Response)
    async def verify(request: Request, actor: Who) -> Response:
        """The verdict as JSON; for `text/event-stream` events `progress {done, total}`, then `verdict`."""
        _on(w)
        access.require(w, actor, "supervise")
        if STREAM in request.headers.get("accept", ""):
            return StreamingResponse(_verifying(w, actor), media_type=STREAM, headers=HEADERS)
        return JSONResponse(await auditing.verify(w, actor))

    @router.get("/audit/export", response_class=Response)
    async def export(
        actor: Who,
        since: Moment = None,
        until: Moment = None,
        run: Annotated[list[str] | None, Query(max_length=100)] = None,
        transcript: bool = False,
    ) -> Response:
        _on(w)
        asked = audit_export.Asked(since, until, tuple(run or ()), transcript)
        return await _pack(w, actor, asked)


def _one(router: APIRouter, w: Wiring, Who: Any) -> None:
    """Declared last: `/audit/verify` and `/audit/export` are no numbers."""

    @router.get("/audit/{seq}")
    async def entry(actor: Who, seq: Annotated[int, Path(ge=0, le=2**53)]) -> Any:
        _on(w)
        return await auditing.one(w, actor, seq)


async def _verifying(w: Wiring, actor: Actor) -> AsyncIterator[str]:
    """A task of its own asks the database, so that a cut request never cuts a query; it ends at its next batch."""
    ready: asyncio.Queue[str | None] = asyncio.Queue()
    left = False

    def progress(done: int, total: int) -> None:
        if left:
            raise _Left
        ready.put_nowait(_frame("progress", {"done": done, "total": total}))

    task = asyncio.create_task(_told(w, actor, progress, ready), name="verification")
    try:
        yield OPEN
        while (text := await ready.get()) is not None:
            yield text
        await task
    finally:
        left = True


async def _told(w: Wiring, actor: Actor, progress: Any, ready: "asyncio.Queue[str | None]") -> None:
    try:
        ready.put_nowait(_frame("verdict", await auditing.verify(w, actor, progress)))
    except _Left:
        pass
    except DeputizeError as error:
        ready.put_nowait(_frame("error", problem(error)["error"]))
    finally:
        ready.put_nowait(None)


def _frame(event: str, data: Any) -> str:
    return f"event: {event}\ndata: {json.dumps(data)}\n\n"


async def _pack(w: Wiring, actor: Actor, asked: audit_export.Asked) -> Response:
    folder = tempfile.TemporaryDirectory(prefix="deputize-")
    path = File(folder.name) / "pack.zip"
    try:
        count = await audit_export.export(w, actor, asked, path)
    except BaseException:
        folder.cleanup()
        raise
    name = f"audit-{_stamp(w.clock.now())}.zip"
    return FileResponse(
        path,
        media_type="application/zip",
        filename=name,
        headers={"Cache-Control": "no-store", "X-Entries": str(count)},
        background=BackgroundTask(folder.cleanup),
    )


def _stamp(now: datetime) -> str:
    return now.strftime("%Y%m%d-%H%M%S")
