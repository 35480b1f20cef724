"""CSRF by double submit: cookie `csrf` against header or hidden field, signed and bound to the sign-in."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from itsdangerous import BadSignature, Signer
from starlette.requests import Request
from starlette.responses import Response

COOKIE = "csrf"
HEADER = "X-CSRF-Token"
FIELD = "csrf"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class CsrfFailed(Exception):
    """The request does not carry the token of its own browser; the host answers 403."""


@dataclass(frozen=True, slots=True)
class Csrf:
    """`secret` is the application's. A token signed for another sign-in is refused."""

    secret: str

    def _signer(self, nonce: str) -> Signer:
        return Signer(self.secret, salt=f"csrf:{nonce}")

    def issue(self, nonce: str) -> str:
        """A fresh token for this sign-in (`nonce` empty: nobody signed in)."""
        return self._signer(nonce).sign(secrets.token_urlsafe(16)).decode()

    def valid(self, token: str, nonce: str) -> bool:
        """True if the token was issued for this sign-in."""
        try:
            self._signer(nonce).unsign(token)
        except BadSignature:
            return False
        return True

    def current(self, request: Request, nonce: str) -> tuple[str, bool]:
        """The token for a page, and whether its cookie has to be set anew."""
        held = request.cookies.get(COOKIE, "")
        if held and self.valid(held, nonce):
            return held, False
        return self.issue(nonce), True

    def set(self, response: Response, request: Request, token: str) -> None:
        """Set the cookie, readable by the page's scripts: that is what a double submit needs."""
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, token, httponly=False, samesite="lax", secure=secure, path="/")

    def check(self, request: Request, nonce: str, form: Mapping[str, object] | None = None) -> None:
        """Raise CsrfFailed unless a writing request repeats its cookie's token in the header or the form."""
        if request.method in SAFE:
            return
        held = request.cookies.get(COOKIE, "")
        said = request.headers.get(HEADER) or (form or {}).get(FIELD) or ""
        same = isinstance(said, str) and secrets.compare_digest(held.encode(), said.encode())
        if not (held and same and self.valid(held, nonce)):
            raise CsrfFailed
