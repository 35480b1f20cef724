"""What a request may look like before anybody reads it: JSON only, not too much, and text that a database can hold."""

import json

from fastapi import Request

from deputize.core.errors import Invalid, TooLarge
from deputize.core.strict_json import storable, texts

MAX_BODY = 64 * 1024
"""Bytes of a request's body; more is 413."""
MAX_DEPTH = 32
"""Levels of a body; the deepest that a client of ours sends has five."""
SUSPECT = (b"\\u0000", b"\\ud", b"\\uD")
"""Escapes without which valid JSON holds neither a NUL nor half a surrogate pair."""


async def check(request: Request, most: int = MAX_BODY) -> None:
    """Raise Invalid or TooLarge for what no route takes (API-3, API-4); the body is kept for whoever reads it next."""
    if "\x00" in request.scope["path"] or b"%00" in request.scope["query_string"]:
        raise Invalid("An address holds no NUL.", field="path")
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Invalid("Send JSON: the Content-Type must be application/json.", field="Content-Type")
    body = await _read(request, most)
    request._body = body  # what Request.body() keeps once it has read the stream
    if any(escape in body for escape in SUSPECT) or body.count(b"{") + body.count(b"[") > MAX_DEPTH:
        _look_into(body)


async def _read(request: Request, most: int) -> bytes:
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most:
        raise TooLarge(maximum=most)
    size, chunks = 0, []
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            raise TooLarge(maximum=most)
        chunks.append(chunk)
    return b"".join(chunks)


def _look_into(body: bytes) -> None:
    """Raise Invalid for text that no column takes and for nesting without end; broken JSON is left to its reader."""
    try:
        value = json.loads(body)
    except RecursionError:
        raise _fault("", "too_deep", "nested too deeply") from None
    except ValueError:
        return
    for where, depth, text in texts(value):
        if depth > MAX_DEPTH:
            raise _fault("", "too_deep", "nested too deeply")
        if not storable(text):
            raise _fault(where, "text_invalid", "holds a NUL or half a surrogate pair")


def _fault(field: str, rule: str, words: str) -> Invalid:
    return Invalid(faults=[{"field": field, "rule": rule, "message": words}])
