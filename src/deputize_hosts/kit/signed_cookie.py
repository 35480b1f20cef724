"""The sign-in cookie: signed, httpOnly, SameSite=Lax; it holds ids, never rights."""

import secrets
from dataclasses import dataclass

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response


@dataclass(frozen=True, slots=True)
class Ticket:
    """Who signed in, for which tenant; `nonce` binds the CSRF token, `epoch` lets the host end old sign-ins."""

    user: str
    tenant: str
    epoch: int
    nonce: str


@dataclass(frozen=True, slots=True)
class SignInCookie:
    """Writes and reads the ticket of one application. `max_age` is in seconds."""

    secret: str
    name: str
    max_age: int = 12 * 3600

    def _signer(self) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(self.secret, salt=f"sign-in:{self.name}")

    def issue(self, response: Response, request: Request, user: str, tenant: str, epoch: int) -> Ticket:
        """Set the cookie for a new sign-in and return its ticket."""
        ticket = Ticket(user, tenant, epoch, secrets.token_urlsafe(12))
        value = self._signer().dumps([ticket.user, ticket.tenant, ticket.epoch, ticket.nonce])
        secure = request.url.scheme == "https"
        response.set_cookie(
            self.name, str(value), max_age=self.max_age, httponly=True, samesite="lax", secure=secure, path="/"
        )
        return ticket

    def read(self, request: Request) -> Ticket | None:
        """The ticket, or None if there is none, it is too old, or it was not signed by us."""
        raw = request.cookies.get(self.name)
        if not raw:
            return None
        try:
            user, tenant, epoch, nonce = self._signer().loads(raw, max_age=self.max_age)
        except (BadSignature, ValueError, TypeError):
            return None
        return Ticket(str(user), str(tenant), int(epoch), str(nonce))

    def clear(self, response: Response) -> None:
        """Forget the sign-in in this browser."""
        response.delete_cookie(self.name, path="/", httponly=True, samesite="lax")
