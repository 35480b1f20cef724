"""The routes that a host mounts: conversations, messages as a stream, runs, decisions, settings (contract 9)."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse

from deputize.core.actor import Actor
from deputize.core.errors import Disabled, Invalid, NotFound
from deputize.engine import approvals, cancelling, conversations, editable, editing, overview, readers, runs
from deputize.engine.views import conversation_dto
from deputize.engine.wiring import Wiring
from deputize.surfaces.http.schemas import ConfirmationIn, EditIn, MessageIn, Nothing, SessionIn, SettingsIn
from deputize.surfaces.http.sse import stream
from deputize.surfaces.web.errors import GovernedRoute
from deputize.surfaces.web.schemas import FAILURES, STREAMED, DecideIn

STATIC = Path(__file__).parent / "static"
STREAM = "text/event-stream"
Page = Annotated[int, Query(ge=1, le=10_000)]
Size = Annotated[int, Query(alias="pageSize", ge=1, le=200)]
All = Annotated[bool, Query(alias="all")]
Key = Annotated[str | None, Header(alias="Idempotency-Key", max_length=200)]
LastId = Annotated[str | None, Header(alias="Last-Event-ID", max_length=20)]


def build_router(w: Wiring, actor: Callable[..., Any], lifespan: Any) -> APIRouter:
    """One router over the engine; it brings its own lifespan and the element's files."""
    router = APIRouter(route_class=GovernedRoute, lifespan=lifespan, tags=["copilot"], responses=FAILURES)
    Who = Annotated[Actor, Depends(actor)]
    _files(router)
    _overview(router, w, Who)
    _sessions(router, w, Who)
    _runs(router, w, Who)
    _decisions(router, w, Who)
    _settings(router, w, Who)
    return router


def _files(router: APIRouter) -> None:
    @router.get("/static/{name}", include_in_schema=False)
    async def static(name: str) -> Response:
        path = (STATIC / name).resolve()
        if path.parent != STATIC.resolve() or not path.is_file():
            raise NotFound()
        kinds = {".js": "text/javascript", ".txt": "text/plain", ".css": "text/css", ".map": "application/json"}
        return FileResponse(path, media_type=kinds.get(path.suffix), headers={"Cache-Control": "no-cache"})


def _overview(router: APIRouter, w: Wiring, Who: Any) -> None:
    @router.get("/me")
    async def me(
        actor: Who,
        surface: Annotated[str, Query(max_length=80)],
        lang: Annotated[str | None, Query(max_length=20)] = None,
        screen: Annotated[str, Query(max_length=200)] = "",
    ) -> Any:
        return await overview.me(w, actor, surface, lang, screen)

    @router.get("/suggestions")
    async def suggestions(
        actor: Who,
        surface: Annotated[str, Query(max_length=80)],
        lang: Annotated[str | None, Query(max_length=20)] = None,
        screen: Annotated[str, Query(max_length=200)] = "",
    ) -> Any:
        _on(w)
        found = overview.chips(w, actor, surface, lang, screen)
        return {"items": found, "total": len(found), "page": 1, "pageSize": max(len(found), 1)}


def _on(w: Wiring) -> None:
    if not w.enabled:
        raise Disabled()


def _peer(request: Request) -> str | None:
    return request.client.host if request.client else None


def _sessions(router: APIRouter, w: Wiring, Who: Any) -> None:
    @router.post("/sessions", status_code=201)
    async def open_session(actor: Who, body: SessionIn) -> Any:
        _on(w)
        shown = body.context.screen_of() if body.context else None
        return conversation_dto(await conversations.open_(w, actor, body.surface, shown))

    @router.get("/sessions")
    async def sessions(actor: Who, page: Page = 1, size: Size = 20, everyone: All = False) -> Any:
        _on(w)
        return await conversations.page_of(w, actor, page, size, everyone=everyone)

    @router.get("/sessions/{session_id}/messages")
    async def messages(actor: Who, session_id: str, page: Page = 1, size: Size = 200) -> Any:
        _on(w)
        return await conversations.messages(w, actor, session_id, page, size)

    @router.post("/sessions/{session_id}/end")
    async def end(actor: Who, session_id: str, body: Nothing) -> Any:
        _on(w)
        return conversation_dto(await conversations.end(w, actor, session_id))

    @router.post("/sessions/{session_id}/messages", response_class=Response, responses=STREAMED)
    async def send(request: Request, actor: Who, session_id: str, body: MessageIn, key: Key = None) -> Response:
        _on(w)
        shown = body.context.screen_of() if body.context else None
        run_id = await runs.start(w, actor, session_id, body.content, shown, key, _peer(request))
        return stream(w, actor, run_id)


def _runs(router: APIRouter, w: Wiring, Who: Any) -> None:
    @router.get("/runs")
    async def all_runs(actor: Who, page: Page = 1, size: Size = 20, everyone: All = False) -> Any:
        _on(w)
        return await runs.page_of(w, actor, page, size, everyone=everyone)

    @router.get("/runs/{run_id}")
    async def one_run(actor: Who, run_id: str) -> Any:
        _on(w)
        return await runs.one(w, actor, run_id)

    @router.get("/runs/{run_id}/events", response_class=Response, responses=STREAMED)
    async def events(actor: Who, run_id: str, last: LastId = None) -> Response:
        _on(w)
        await readers.check(w, actor, run_id)
        if last is not None and not (last.isascii() and last.isdigit()):
            raise Invalid("Last-Event-ID is a number.", field="Last-Event-ID")
        return stream(w, actor, run_id, after=int(last or 0), through_pauses=True)

    @router.post("/runs/{run_id}/cancel")
    async def cancel(actor: Who, run_id: str, body: Nothing) -> Any:
        _on(w)
        await cancelling.cancel(w, actor, run_id)
        return await runs.one(w, actor, run_id)

    @router.post("/runs/{run_id}/retry", response_class=Response, responses=STREAMED)
    async def retry(request: Request, actor: Who, run_id: str, body: Nothing) -> Response:
        _on(w)
        return stream(w, actor, await runs.retry(w, actor, run_id, _peer(request)))


def _decisions(router: APIRouter, w: Wiring, Who: Any) -> None:
    @router.get("/approvals")
    async def waiting(actor: Who) -> Any:
        _on(w)
        return await approvals.waiting_list(w, actor)

    @router.get("/tool-calls/{call_id}")
    async def one_call(actor: Who, call_id: str) -> Any:
        _on(w)
        return await runs.call(w, actor, call_id)

    @router.get("/tool-calls/{call_id}/fields")
    async def fields(actor: Who, call_id: str) -> Any:
        _on(w)
        found = await editable.editable(w, actor, call_id)
        return {"items": found, "total": len(found), "page": 1, "pageSize": max(len(found), 1)}

    @router.post("/tool-calls/{call_id}/edit")
    async def edit(actor: Who, call_id: str, body: EditIn) -> Any:
        changed = await editing.edit(w, actor, call_id, body.digest, body.arguments)
        return changed.model_dump(by_alias=True, mode="json")

    async def decided(
        request: Request, actor: Actor, call_id: str, body: DecideIn, session_id: str | None = None
    ) -> Response:
        before = await readers.position(w, actor, call_id)
        call = await approvals.decide(w, actor, call_id, body.decision("http"), conversation_id=session_id)
        if STREAM in request.headers.get("accept", "") and await readers.may_read(w, actor, call.run_id):
            return stream(w, actor, call.run_id, after=before)
        return JSONResponse(call.model_dump(by_alias=True, mode="json"))

    @router.post("/tool-calls/{call_id}/decide", response_class=Response)
    async def decide(request: Request, actor: Who, call_id: str, body: DecideIn) -> Response:
        return await decided(request, actor, call_id, body)

    @router.post("/sessions/{session_id}/confirmations/{call_id}", response_class=Response)
    async def confirm(request: Request, actor: Who, session_id: str, call_id: str, body: ConfirmationIn) -> Response:
        plain = DecideIn(approve=body.decision == "confirm", digest=body.digest, reason=body.reason, typed=body.typed)
        return await decided(request, actor, call_id, plain, session_id)


def _settings(router: APIRouter, w: Wiring, Who: Any) -> None:
    names = {"redaction_enabled": "redaction"}

    @router.get("/settings")
    async def settings(actor: Who) -> Any:
        _on(w)
        return await overview.tenant_settings(w, actor)

    @router.patch("/settings")
    async def change(actor: Who, body: SettingsIn) -> Any:
        _on(w)
        given = {names.get(name, name): getattr(body, name) for name in body.model_fields_set}
        return await overview.change_settings(w, actor, given)

    @router.get("/usage")
    async def usage(actor: Who, days: Annotated[int, Query(ge=1, le=366)] = 30) -> Any:
        _on(w)
        return await overview.usage_of(w, actor, days)
