"""The desk as a web application of its own; the copilot is mounted on it from outside."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession
from starlette.exceptions import HTTPException

from deputize_hosts.kit.headers import SecurityHeaders
from deputize_hosts.kit.loopback import OffLoopback
from deputize_hosts.kit.pages import STATIC as KIT_STATIC
from deputize_hosts.kit.pages import CsrfFailed, Kit, kit_of, page
from deputize_hosts.kit.signed_cookie import SignInCookie
from deputize_hosts.workorders.agents.router import router as agents
from deputize_hosts.workorders.auth.router import router as auth
from deputize_hosts.workorders.auth.service import Member
from deputize_hosts.workorders.errors import DeskError
from deputize_hosts.workorders.orders.router import data as order_data
from deputize_hosts.workorders.orders.router import router as orders
from deputize_hosts.workorders.pages.access import NotSignedIn
from deputize_hosts.workorders.pages.render import STATIC, TEMPLATES, CopilotTag
from deputize_hosts.workorders.pages.words import WORDS
from deputize_hosts.workorders.rows import utc_now
from deputize_hosts.workorders.users.router import router as users
from deputize_hosts.workorders.users.service import Person

SignOut = Callable[[Member], Awaitable[None]]
AiSwitch = Callable[[AsyncSession, Member, Person], None]
OptOut = Callable[[str, str], Awaitable[None]]
START = "/app/orders"
API = "/api/"


def create_host_app(
    engine: AsyncEngine,
    secret: str,
    *,
    copilot: CopilotTag | None = None,
    on_sign_out: Sequence[SignOut] = (),
    on_ai_switch: Sequence[AiSwitch] = (),
    on_opt_out: Sequence[OptOut] = (),
    clock: Callable[[], datetime] = utc_now,
    **fastapi: Any,
) -> FastAPI:
    """The application over an engine. `secret` signs cookies; `copilot` None draws no copilot anywhere.

    `on_ai_switch` is called inside the transaction that sets a person's `aiEnabled`, `on_opt_out` after it was
    set to false, with organisation and user.
    """
    app = FastAPI(title="Work Order Desk", docs_url=None, redoc_url=None, openapi_url=None, **fastapi)
    app.state.engine, app.state.clock, app.state.copilot = engine, clock, copilot
    app.state.on_sign_out = tuple(on_sign_out)
    app.state.on_ai_switch, app.state.on_opt_out = tuple(on_ai_switch), tuple(on_opt_out)
    app.state.kit = Kit(secret, SignInCookie(secret, "workorders"), WORDS, (TEMPLATES,))
    app.add_middleware(SecurityHeaders)
    app.mount("/kit", StaticFiles(directory=KIT_STATIC), name="kit")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for router in (auth, orders, order_data, users, agents):
        app.include_router(router)
    app.add_api_route("/", home, include_in_schema=False)
    app.add_api_route("/app", home, include_in_schema=False)
    _answer_errors(app)
    return app


async def home() -> Response:
    """One's own orders are where everybody starts."""
    return RedirectResponse(START, status_code=303)


def _is_data(request: Request) -> bool:
    return request.url.path.startswith(API)


def _data(status: int, code: str, message: str) -> Response:
    return JSONResponse({"error": {"code": code, "message": message, "details": {}}}, status_code=status)


def _problem(request: Request, status: int, title: str, text: str) -> Response:
    """A page, or data where data was asked for."""
    words = kit_of(request).words
    language = words.choose(request)
    said = words.say(language, text) if text in words.table else text
    if _is_data(request):
        code = {403: "FORBIDDEN", 404: "NOT_FOUND", 422: "VALIDATION_ERROR"}.get(status, "CONFLICT")
        return _data(status, code, said)
    heading = words.say(language, title)
    return page(request, "problem.html", language, status, layout="plain.html", title=heading, text=said)


def _answer_errors(app: FastAPI) -> None:
    """Errors become pages; each has its own status, an expected one is never a 500."""

    async def signed_out(request: Request, error: Exception) -> Response:
        if _is_data(request):
            return _data(401, "UNAUTHENTICATED", "Sign in first.")
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        url = request.url_for("sign_in_page").include_query_params(next=target if request.method == "GET" else START)
        return RedirectResponse(f"{url.path}?{url.query}", status_code=303)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, DeskError)
        title = {404: "problem.not_found", 403: "problem.not_allowed"}.get(error.status, "problem.other")
        return _problem(request, error.status, title, error.message)

    async def forged(request: Request, error: Exception) -> Response:
        return _problem(request, 403, "problem.csrf", "problem.csrf.text")

    async def elsewhere(request: Request, error: Exception) -> Response:
        return _problem(request, 403, "problem.not_allowed", "sign_in.loopback")

    async def unknown(request: Request, error: Exception) -> Response:
        return _problem(request, 404, "problem.not_found", "problem.no_page")

    async def http(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 400
        return _problem(request, status, "problem.not_found" if status == 404 else "problem.other", "problem.no_page")

    app.add_exception_handler(NotSignedIn, signed_out)
    app.add_exception_handler(DeskError, refused)
    app.add_exception_handler(CsrfFailed, forged)
    app.add_exception_handler(OffLoopback, elsewhere)
    app.add_exception_handler(RequestValidationError, unknown)
    app.add_exception_handler(HTTPException, http)
