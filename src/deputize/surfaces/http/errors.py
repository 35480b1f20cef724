"""Failures before the first byte: always `{error: {code, message, details}}`, never a stack or a value (SSE-2)."""

import logging
import traceback
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from deputize.core.errors import DeputizeError, Forbidden, Invalid, NotFound, TooLarge, Unauthenticated, problem

log = logging.getLogger("deputize.http")
MAX_BODY = 64 * 1024
"""Bytes of a request's body; more is 413."""


class GovernedRoute(APIRoute):
    """A route whose every failure has our shape, whatever the host's own handlers do."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                await _check_body(request)
                return await inner(request)
            except DeputizeError as error:
                return answer(error)
            except RequestValidationError as error:
                return answer(invalid(error))
            except HTTPException as error:
                return answer(_from_host(error))
            except Exception as error:
                frames = "".join(traceback.format_tb(error.__traceback__))
                log.error("%s %s failed: %s\n%s", request.method, self.path, type(error).__qualname__, frames)
                return answer(DeputizeError())

        return handle


async def _check_body(request: Request) -> None:
    """JSON only, and not too much of it (API-4)."""
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Invalid("Send JSON: the Content-Type must be application/json.", field="Content-Type")
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > MAX_BODY:
        raise TooLarge(maximum=MAX_BODY)
    size, chunks = 0, []
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_BODY:
            raise TooLarge(maximum=MAX_BODY)
        chunks.append(chunk)
    request._body = b"".join(chunks)  # what Request.body() keeps once it has read the stream


def answer(error: DeputizeError) -> JSONResponse:
    """The error as a response."""
    headers = {"Retry-After": str(error.details["retryAfter"])} if "retryAfter" in error.details else None
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


def _from_host(error: HTTPException) -> DeputizeError:
    """What the host's own dependency raised, in our shape."""
    known: dict[int, type[DeputizeError]] = {401: Unauthenticated, 403: Forbidden, 404: NotFound, 413: TooLarge}
    kind = known.get(error.status_code)
    if kind is not None:
        return kind()
    return Invalid() if error.status_code < 500 else DeputizeError()
