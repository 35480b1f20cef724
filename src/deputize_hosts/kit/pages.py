"""Pages: Jinja templates over the shared base, with language, flash message and CSRF token in place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from deputize_hosts.kit.csrf import Csrf, CsrfFailed
from deputize_hosts.kit.flash import COOKIE as FLASH_COOKIE
from deputize_hosts.kit.flash import Flash
from deputize_hosts.kit.language import Words
from deputize_hosts.kit.signed_cookie import SignInCookie, Ticket

HERE = Path(__file__).parent
STATIC = HERE / "static"


@dataclass(frozen=True, slots=True)
class Kit:
    """What one host needs for its pages; made once at start-up and kept in `app.state.kit`."""

    secret: str
    cookie: SignInCookie
    words: Words
    templates: Sequence[Path]
    filters: Mapping[str, Any] = field(default_factory=dict)
    _environment: list[Environment] = field(default_factory=list)

    @property
    def csrf(self) -> Csrf:
        """The CSRF check of this host."""
        return Csrf(self.secret)

    @property
    def flash(self) -> Flash:
        """The messages of this host."""
        return Flash(self.secret)

    def environment(self) -> Environment:
        """The template environment, built at the first page."""
        if not self._environment:
            loader = FileSystemLoader([*self.templates, HERE / "templates"])
            env = Environment(
                loader=loader,
                autoescape=select_autoescape(default=True, default_for_string=True),
                undefined=StrictUndefined,
                trim_blocks=True,
                lstrip_blocks=True,
            )
            env.filters.update(self.filters)
            self._environment.append(env)
        return self._environment[0]


def kit_of(request: Request) -> Kit:
    """The host's kit."""
    kit: Kit = request.app.state.kit
    return kit


def ticket_of(request: Request) -> Ticket | None:
    """The signed-in ticket of this request, unchecked against the database."""
    return kit_of(request).cookie.read(request)


def check_csrf(request: Request, form: Mapping[str, object] | None = None) -> None:
    """Raise CsrfFailed for a writing request without its browser's token."""
    ticket = ticket_of(request)
    kit_of(request).csrf.check(request, ticket.nonce if ticket else "", form)


async def checked_form(request: Request) -> dict[str, str]:
    """The form's text fields, after the CSRF check (a FastAPI dependency). Raises CsrfFailed."""
    form = await request.form()
    texts = {name: value for name, value in form.items() if isinstance(value, str)}
    check_csrf(request, texts)
    return {name: value.strip() for name, value in texts.items()}


def page(request: Request, template: str, language: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template; the CSRF cookie is set where it is missing, the flash message is consumed."""
    kit = kit_of(request)
    ticket = ticket_of(request)
    token, fresh = kit.csrf.current(request, ticket.nonce if ticket else "")
    message = kit.flash.take(request)

    def say(key: str, **filled: object) -> str:
        return kit.words.say(language, key, **filled)

    html = (
        kit.environment()
        .get_template(template)
        .render(
            request=request, t=say, lang=language, languages=kit.words.languages, csrf=token, flash=message, **values
        )
    )
    response = HTMLResponse(html, status_code=status, headers={"Cache-Control": "no-store"})
    if fresh:
        kit.csrf.set(response, request, token)
    if message is not None:
        response.delete_cookie(FLASH_COOKIE, path="/")
    return response


def go(request: Request, url: str, ok: str | None = None, error: str | None = None) -> Response:
    """Redirect after a form (303), leaving a message for the next page."""
    response = RedirectResponse(url, status_code=303)
    if ok or error:
        kit_of(request).flash.put(response, "ok" if ok else "error", ok or error or "")
    return response


def local_path(url: str, default: str) -> str:
    """`url` if it is a path of this site, else `default`: no open redirects."""
    safe = url.startswith("/") and not url.startswith(("//", "/\\")) and not any(c in url for c in "\r\n\t\\")
    return url if safe else default


__all__ = [
    "STATIC",
    "CsrfFailed",
    "Kit",
    "check_csrf",
    "checked_form",
    "go",
    "kit_of",
    "local_path",
    "page",
    "ticket_of",
]
