"""Says every way in which a vendor, its SDK or the network fails as one ProviderFailed, without any of their words.

Source: contract PROV-3, PROV-5, BUD-2, RED-8: the texts are ours alone; a body is read for its error code only.
"""

import logging
import math
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from deputize.core.logs import VENDORS, quieten
from deputize.core.provider import ProviderFailed
from deputize.providers.endpoint import EndpointRefused, ResponseTooLarge
from deputize.providers.lines import Malformed

TRANSIENT = frozenset({408, 409, 425, 429})
LASTING = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})
TOO_LONG = frozenset({"context_length_exceeded", "string_above_max_length", "request_too_large"})
NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)
STATUS_WORDS: Mapping[int, str] = {
    400: "the endpoint did not accept the request",
    401: "the endpoint did not accept the key",
    402: "the account at the endpoint cannot pay",
    403: "the endpoint does not allow this",
    404: "the endpoint does not know the model or the path",
    408: "the endpoint gave up waiting",
    413: "the request is too long for the endpoint",
    429: "the endpoint asks to slow down",
    529: "the endpoint is overloaded",
}
STREAM_TRANSIENT = frozenset(
    {
        "api_error",
        "internal_error",
        "internal_server_error",
        "overloaded",
        "overloaded_error",
        "rate_limit_error",
        "rate_limit_exceeded",
        "server_error",
        "service_unavailable",
        "timeout",
        "timeout_error",
    }
)


def hush() -> None:
    """Keep the vendors' loggers from writing requests, headers and bodies, whatever level is set (RED-8)."""
    quieten(VENDORS, logging.WARNING)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the vendor asked to wait, or None. A date is read against the answer's own `Date`."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if not value:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            return _until(value, headers.get("date", ""))
        return seconds if math.isfinite(seconds) and seconds >= 0 else None
    return None


def _until(value: str, now: str) -> float | None:
    try:
        return max(0.0, (parsedate_to_datetime(value) - parsedate_to_datetime(now)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def _codes(body: Any) -> Iterator[str]:
    """The words `code` and `type` of an error body, in whatever of the known shapes it has."""
    while isinstance(body, Mapping):
        for key in ("code", "type", "status"):
            value = body.get(key)
            if isinstance(value, str):
                yield value.lower()
        body = body.get("error")


def of_status(status: int, headers: Mapping[str, str], body: Any) -> ProviderFailed:
    """A failure that the endpoint answered with a status before any stream."""
    codes = set(_codes(body))
    if codes & TOO_LONG:
        return ProviderFailed("the request is longer than the model takes", transient=False)
    if codes & LASTING:
        return ProviderFailed(STATUS_WORDS[402], transient=False)
    if 300 <= status < 400:
        return ProviderFailed(f"the endpoint redirects, which is not followed ({status})", transient=False)
    words = STATUS_WORDS.get(status, "the endpoint failed" if status >= 500 else "the endpoint refused")
    transient = status in TRANSIENT or status >= 500
    wait = retry_after(headers) if transient else None
    return ProviderFailed(f"{words} ({status})", transient=transient, retry_after=wait)


def in_stream(body: Any) -> ProviderFailed:
    """A failure that came as an event inside the stream: the error object or what holds it."""
    codes = set(_codes(body))
    number = body.get("code") if isinstance(body, Mapping) else None
    if codes & TOO_LONG:
        return ProviderFailed("the request is longer than the model takes", transient=False)
    transient = bool(codes & STREAM_TRANSIENT)
    if isinstance(number, int) and not isinstance(number, bool):
        transient = transient or number in TRANSIENT or number >= 500
    return ProviderFailed("the endpoint reported an error inside the stream", transient=transient)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    for _ in range(8):
        if seen is None:
            return
        yield seen
        seen = seen.__cause__ or seen.__context__


def of_exception(error: Exception) -> ProviderFailed | None:
    """What an exception of the SDK or the transport means; None if it is neither: then it is our own defect."""
    status = getattr(error, "status_code", None)
    response = getattr(error, "response", None)
    if isinstance(status, int) and isinstance(response, httpx2.Response):
        return of_status(status, response.headers, getattr(error, "body", None))
    for cause in _chain(error):
        if isinstance(cause, EndpointRefused):
            return ProviderFailed("the endpoint's address is not allowed", transient=False, sent=False)
        if isinstance(cause, ResponseTooLarge):
            return ProviderFailed("the answer is longer than allowed", transient=False)
        if isinstance(cause, Malformed):
            return ProviderFailed("the endpoint sent what is not understood", transient=True)
        if isinstance(cause, NOT_SENT):
            return ProviderFailed("the endpoint cannot be reached", transient=True, sent=False)
        if isinstance(cause, httpx2.TimeoutException):
            return ProviderFailed("the endpoint fell silent", transient=True)
        if isinstance(cause, httpx2.HTTPError | httpx2.StreamError | OSError):
            return ProviderFailed("the connection broke", transient=True)
    if type(error).__module__.partition(".")[0] in ("openai", "anthropic"):
        return ProviderFailed("the vendor's client refused or did not understand the answer", transient=True)
    return None
