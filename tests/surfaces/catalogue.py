"""What every answer owes its caller: success, or an error of the catalogue in its one shape (API-3, SSE-2)."""

import json
from typing import Any

import httpx2

CATALOGUE: dict[str, int] = {
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "TOO_LARGE": 413,
    "VALIDATION_ERROR": 422,
    "AI_UNAVAILABLE": 503,
    "AI_BUDGET_EXCEEDED": 429,
    "AI_RATE_LIMITED": 429,
    "AI_APPROVAL_PENDING": 409,
    "AI_APPROVAL_RESOLVED": 409,
    "AI_APPROVAL_STALE": 409,
    "AI_MESSAGE_DUPLICATE": 409,
    "AI_RUN_NOT_ACTIVE": 409,
    "AI_SESSION_FULL": 409,
    "AI_APPROVAL_EXPIRED": 410,
    "AI_INJECTION_BLOCKED": 400,
    "AI_CONFIRMATION_MISMATCH": 422,
    "AI_DISABLED": 403,
}
"""Each code of the contract's API-3 with its status, as it is written there."""


async def amiss(response: httpx2.Response) -> str:
    """What is wrong with the answer; empty where nothing is. Of a stream only the head is looked at."""
    status, kind = response.status_code, response.headers.get("content-type", "")
    if status < 400:
        return ""
    text = (await response.aread()).decode("utf-8", "replace")
    if kind != "application/json":
        return f"{status} as {kind!r}: {text[:200]}"
    body = json.loads(text)
    if set(body) != {"error"} or set(body["error"]) != {"code", "message", "details"}:
        return f"{status} has another shape: {text[:200]}"
    return _unlisted(status, body["error"], text)


def _unlisted(status: int, error: dict[str, Any], text: str) -> str:
    code = error["code"]
    if CATALOGUE.get(code) != status:
        return f"{status} {code} is not in the catalogue: {text[:300]}"
    if not isinstance(error["message"], str) or not error["message"] or not isinstance(error["details"], dict):
        return f"{status} {code} has no words or no details: {text[:200]}"
    return ""
