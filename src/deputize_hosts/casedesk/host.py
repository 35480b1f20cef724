"""The case desk as a web application of its own; the copilot is mounted on it from outside."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.exceptions import HTTPException

from deputize_hosts.casedesk.auth.router import router as auth
from deputize_hosts.casedesk.auth.service import Member
from deputize_hosts.casedesk.cases.router import router as cases
from deputize_hosts.casedesk.conflicts.router import router as conflicts
from deputize_hosts.casedesk.errors import CaseDeskError
from deputize_hosts.casedesk.knowledge.router import router as knowledge
from deputize_hosts.casedesk.memory.router import router as memory
from deputize_hosts.casedesk.onboarding.router import router as onboarding
from deputize_hosts.casedesk.pack.router import Export
from deputize_hosts.casedesk.pack.router import router as pack
from deputize_hosts.casedesk.pages.access import NotSignedIn
from deputize_hosts.casedesk.pages.render import STATIC, TEMPLATES
from deputize_hosts.casedesk.pages.words import WORDS
from deputize_hosts.casedesk.portal.router import router as portal
from deputize_hosts.casedesk.rows import utc_now
from deputize_hosts.kit.headers import SecurityHeaders
from deputize_hosts.kit.loopback import OffLoopback
from deputize_hosts.kit.pages import STATIC as KIT_STATIC
from deputize_hosts.kit.pages import CsrfFailed, Kit, kit_of, page
from deputize_hosts.kit.signed_cookie import SignInCookie

SignOut = Callable[[Member], Awaitable[None]]


def create_host_app(
    engine: AsyncEngine,
    secret: str,
    *,
    copilot: str | None = None,
    export: Export | None = None,
    on_sign_out: Sequence[SignOut] = (),
    clock: Callable[[], datetime] = utc_now,
    **fastapi: Any,
) -> FastAPI:
    """The application over an engine. `secret` signs cookies; `copilot` is where it is mounted, None draws none.

    `export` writes a case's pack; without it the page says that there is none.
    """
    app = FastAPI(title="Case desk", docs_url=None, redoc_url=None, openapi_url=None, **fastapi)
    app.state.engine, app.state.clock, app.state.copilot = engine, clock, copilot
    app.state.export = export
    app.state.on_sign_out = tuple(on_sign_out)
    app.state.kit = Kit(secret, SignInCookie(secret, "casedesk"), WORDS, (TEMPLATES,))
    app.add_middleware(SecurityHeaders)
    app.mount("/kit", StaticFiles(directory=KIT_STATIC), name="kit")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for router in (auth, cases, conflicts, memory, knowledge, onboarding, pack, portal):
        app.include_router(router)
    app.add_api_route("/", home, include_in_schema=False)
    _answer_errors(app)
    return app


async def home() -> Response:
    """The dashboard is where everybody of the desk starts."""
    return RedirectResponse("/dashboard", status_code=303)


def _problem(request: Request, status: int, title: str, text: str) -> Response:
    words = kit_of(request).words
    language = words.choose(request)
    said = words.say(language, text) if text in words.table else text
    return page(
        request, "problem.html", language, status, layout="plain.html", title=words.say(language, title), text=said
    )


def _answer_errors(app: FastAPI) -> None:
    """Errors become pages; each has its own status, an expected one is never a 500."""

    async def signed_out(request: Request, error: Exception) -> Response:
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        door = "portal_sign_in_page" if request.url.path.startswith("/portal") else "sign_in_page"
        start = "/portal" if door.startswith("portal") else "/dashboard"
        url = request.url_for(door).include_query_params(next=target if request.method == "GET" else start)
        return RedirectResponse(f"{url.path}?{url.query}", status_code=303)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, CaseDeskError)
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
    app.add_exception_handler(CaseDeskError, refused)
    app.add_exception_handler(CsrfFailed, forged)
    app.add_exception_handler(OffLoopback, elsewhere)
    app.add_exception_handler(RequestValidationError, unknown)
    app.add_exception_handler(HTTPException, http)
