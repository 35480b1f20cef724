"""Capping: a result that is too long is shortened but keeps its structure and says so (RUN-12)."""

import json
from typing import Any


def size(value: Any) -> int:
    """Characters of the value as JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def cap(result: Any, items: int, chars: int) -> tuple[Any, bool, int | None]:
    """The result with at most `items` entries in each list and `chars` characters in each document.

    A document is an entry of a top-level list, or what stands beside the lists. Returns the shortened
    result, whether anything was cut, and the length of the longest list before cutting (None without one).
    """
    if not isinstance(result, dict):
        short, cut = _shorten(result, items, chars)
        return short, cut, len(result) if isinstance(result, list) else None
    lists = {name: value for name, value in result.items() if isinstance(value, list)}
    rest, cut = _shorten({name: value for name, value in result.items() if name not in lists}, items, chars)
    shown: dict[str, Any] = {}
    for name, value in result.items():
        if name not in lists:
            shown[name] = rest[name]
            continue
        kept = []
        for entry in value[:items]:
            short, was_cut = _shorten(entry, items, chars)
            kept.append(short)
            cut = cut or was_cut
        cut = cut or len(value) > items
        shown[name] = kept
    total = max((len(value) for value in lists.values()), default=None)
    return shown, cut, total


def _shorten(value: Any, items: int, chars: int) -> tuple[Any, bool]:
    if size(value) <= chars:
        return value, False
    limit = chars
    while limit > 8:
        limit //= 2
        short = _clip(value, items, limit)
        if size(short) <= chars:
            return short, short != value
    short = _clip(value, 1, 8)
    return short, short != value


def _clip(value: Any, items: int, limit: int) -> Any:
    """Every string at most `limit` characters, every nested list at most `items` entries."""
    if isinstance(value, str):
        return value if len(value) <= limit else value[: max(limit - 1, 1)] + "…"
    if isinstance(value, list):
        return [_clip(entry, items, limit) for entry in value[:items]]
    if isinstance(value, dict):
        return {name: _clip(entry, items, limit) for name, entry in value.items()}
    return value


SECRET_KEYS = frozenset(
    {
        "password",
        "password_hash",
        "passwordhash",
        "hashed_password",
        "secret",
        "api_key",
        "apikey",
        "access_token",
        "refresh_token",
        "reset_token",
        "reset_token_hash",
        "session_token",
        "session_hash",
        "token_hash",
        "failed_logins",
        "failed_login_count",
        "failedlogincount",
        "locked_until",
        "lockeduntil",
        "lockout_until",
        "totp_secret",
        "private_key",
    }
)
"""Keys that no result may carry, whoever asks (TOOL-12)."""


def secret_key_in(value: Any) -> str | None:
    """The first denied key found anywhere in the result, or None."""
    if isinstance(value, dict):
        for name, entry in value.items():
            if str(name).lower() in SECRET_KEYS:
                return str(name)
            found = secret_key_in(entry)
            if found:
                return found
    elif isinstance(value, list):
        for entry in value:
            found = secret_key_in(entry)
            if found:
                return found
    return None
