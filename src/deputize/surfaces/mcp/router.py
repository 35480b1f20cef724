"""`POST /mcp/{surface}`: the protocol's streamable HTTP, without sessions, under the host's own login (API-5)."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal
from urllib.parse import urljoin

from fastapi import APIRouter, Depends, Request, Response
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import Message, Receive, Scope, Send

from deputize.core.actor import Actor
from deputize.core.errors import Disabled, Unavailable
from deputize.engine import access
from deputize.engine.wiring import Wiring
from deputize.surfaces.mcp.server import CALLER, Caller, build_server
from deputize.surfaces.web.errors import GovernedRoute
from deputize.surfaces.web.schemas import FAILURES


class EnvelopeIn(BaseModel):
    """A request or notification of JSON-RPC; what it asks is the protocol's own library's to read."""

    model_config = ConfigDict(extra="allow")
    jsonrpc: Literal["2.0"]
    method: str = Field(min_length=1, max_length=200)
    id: int | str | None = None
    params: dict[str, Any] | None = None


def build_mcp_router(w: Wiring, actor: Callable[..., Any], decide_at: str) -> APIRouter:
    """The face over the engine; it brings a lifespan. `decide_at` is the host's page with the cards that wait."""
    running: list[StreamableHTTPSessionManager] = []

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        manager = StreamableHTTPSessionManager(build_server(w), stateless=True)
        async with manager.run():
            running.append(manager)
            try:
                yield
            finally:
                running.remove(manager)

    router = APIRouter(route_class=GovernedRoute, lifespan=lifespan, tags=["mcp"], responses=FAILURES)
    Who = Annotated[Actor, Depends(actor)]

    @router.post("/mcp/{surface}", response_class=Response)
    async def exchange(request: Request, actor: Who, surface: str, body: EnvelopeIn) -> Response:
        if not w.enabled:
            raise Disabled()
        access.require(w, actor, "chat")
        access.surface(w, actor, surface)
        if not running:
            raise Unavailable()
        page = urljoin(str(request.base_url), decide_at)
        caller = Caller(actor, surface, page, request.client.host if request.client else None)
        return Handed(running[-1], await request.body(), caller)

    return router


class Handed(Response):
    """A request that the protocol's own library answers; its body was read and looked at before."""

    def __init__(self, manager: StreamableHTTPSessionManager, content: bytes, caller: Caller) -> None:
        super().__init__()
        self.manager, self.content, self.caller = manager, content, caller

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand it over, with whoever asks."""
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": self.content, "more_body": False}

        await self.manager.handle_request({**scope, CALLER: self.caller}, again, send)
