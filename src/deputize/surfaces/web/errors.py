"""Failures before the first byte: always `{error: {code, message, details}}`, never a stack or a value (SSE-2)."""

import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from deputize.core.errors import (
    DeputizeError,
    Forbidden,
    Invalid,
    NotFound,
    RateLimited,
    TooLarge,
    Unauthenticated,
    Unavailable,
    problem,
)
from deputize.core.logs import told
from deputize.engine.failures import as_answer
from deputize.surfaces.web import bodies

log = logging.getLogger("deputize.http")


class GovernedRoute(APIRoute):
    """A route whose every failure has our shape, whatever the host's own handlers do."""

    max_body = bodies.MAX_BODY

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                await bodies.check(request, self.max_body)
                return await inner(request)
            except DeputizeError as error:
                return answer(error)
            except RequestValidationError as error:
                return answer(invalid(error))
            except HTTPException as error:
                return answer(_from_host(error), error.headers)
            except ClientDisconnect:
                return Response(status_code=400)  # nobody reads it: the other side left before its body was whole
            except Exception as error:
                log.error("%s %s failed: %s", request.method, self.path, told(error))
                return answer(as_answer(error))

        return handle


def answer(error: DeputizeError, more: Mapping[str, str] | None = None) -> JSONResponse:
    """The error as a response; `more` are headers that the host wants kept (`WWW-Authenticate`)."""
    headers = dict(more or {})
    if "retryAfter" in error.details:
        headers["Retry-After"] = str(error.details["retryAfter"])
    return JSONResponse(problem(error), status_code=error.status, headers=headers)


def invalid(error: RequestValidationError) -> Invalid:
    """Which field broke which rule; never its value."""
    faults = []
    for fault in error.errors()[:10]:
        where = [str(part) for part in fault["loc"] if part != "body"]
        faults.append({"field": ".".join(where)[:120], "rule": str(fault["type"]), "message": _words(fault)})
    if any(fault["rule"] == "json_invalid" for fault in faults):
        return Invalid("The body is not valid JSON.", faults=[{"field": "", "rule": "json_invalid"}])
    return Invalid(faults=faults)


def _words(fault: Any) -> str:
    """The rule in words; messages of custom errors could quote the value and are left out."""
    return str(fault["msg"])[:200] if not str(fault["type"]).startswith("value_error") else "not valid"


HOSTS: Mapping[int, type[DeputizeError]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    413: TooLarge,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def _from_host(error: HTTPException) -> DeputizeError:
    """What the host's own dependency raised, in our shape; its words stay with the host."""
    kind = HOSTS.get(error.status_code)
    if kind is not None:
        return kind()
    return Invalid() if error.status_code < 500 else DeputizeError()
