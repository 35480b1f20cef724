"""The clinic as a web application of its own; the copilot is mounted on it from outside."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.exceptions import HTTPException

from deputize_hosts.clinic.agenda.cabinet_router import router as cabinets
from deputize_hosts.clinic.agenda.router import router as agenda
from deputize_hosts.clinic.auth.router import router as auth
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.billing.router import router as billing
from deputize_hosts.clinic.budget.router import router as budget
from deputize_hosts.clinic.catalog.router import router as catalog
from deputize_hosts.clinic.copilot_pages.router import TEMPLATES as COPILOT_TEMPLATES
from deputize_hosts.clinic.copilot_pages.router import router as copilot_pages
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.pages.access import NotSignedIn
from deputize_hosts.clinic.pages.render import STATIC, TEMPLATES, CopilotTag
from deputize_hosts.clinic.pages.settings_router import router as settings
from deputize_hosts.clinic.pages.words import WORDS
from deputize_hosts.clinic.patients.fields import shown_phone
from deputize_hosts.clinic.patients.router import router as patients
from deputize_hosts.clinic.payments.router import router as payments
from deputize_hosts.clinic.recalls.router import router as recalls
from deputize_hosts.clinic.reports.router import router as reports
from deputize_hosts.clinic.rows import utc_now
from deputize_hosts.clinic.schedules.router import router as schedules
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
    copilot: CopilotTag | None = None,
    on_sign_out: Sequence[SignOut] = (),
    clock: Callable[[], datetime] = utc_now,
    mail_folder: Path = Path("var/clinic-mail"),
    **fastapi: Any,
) -> FastAPI:
    """The application over an engine. `secret` signs cookies; `copilot` None draws no copilot anywhere."""
    app = FastAPI(title="Clínica", docs_url=None, redoc_url=None, openapi_url=None, **fastapi)
    app.state.engine, app.state.clock, app.state.copilot = engine, clock, copilot
    app.state.on_sign_out, app.state.mail_folder = tuple(on_sign_out), mail_folder
    cookie = SignInCookie(secret, "clinic")
    app.state.kit = Kit(secret, cookie, WORDS, (TEMPLATES, COPILOT_TEMPLATES), {"phone": shown_phone})
    app.add_middleware(SecurityHeaders)
    app.mount("/kit", StaticFiles(directory=KIT_STATIC), name="kit")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    money = (budget, billing, payments, catalog, reports)
    for router in (auth, agenda, cabinets, patients, schedules, recalls, *money, settings, copilot_pages):
        app.include_router(router)
    app.add_api_route("/", home, include_in_schema=False)
    _answer_errors(app)
    return app


async def home() -> Response:
    """The agenda is where everybody starts."""
    return RedirectResponse("/agenda", status_code=303)


def _problem(request: Request, status: int, title: str, text: str) -> Response:
    language = kit_of(request).words.choose(request)
    words = kit_of(request).words
    return page(
        request,
        "problem.html",
        language,
        status,
        layout="plain.html",
        title=words.say(language, title),
        text=words.say(language, text) if text in words.table else text,
    )


def _answer_errors(app: FastAPI) -> None:
    """Errors become pages; each has its own status, an expected one is never a 500."""

    async def signed_out(request: Request, error: Exception) -> Response:
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        url = request.url_for("sign_in_page").include_query_params(
            next=target if request.method == "GET" else "/agenda"
        )
        return RedirectResponse(f"{url.path}?{url.query}", status_code=303)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, ClinicError)
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
    app.add_exception_handler(ClinicError, refused)
    app.add_exception_handler(CsrfFailed, forged)
    app.add_exception_handler(OffLoopback, elsewhere)
    app.add_exception_handler(RequestValidationError, unknown)
    app.add_exception_handler(HTTPException, http)
