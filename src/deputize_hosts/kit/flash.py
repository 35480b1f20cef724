"""One message carried over a redirect, in a signed cookie that is read once."""

from dataclasses import dataclass

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

COOKIE = "flash"


@dataclass(frozen=True, slots=True)
class Message:
    """`kind` is `ok` or `error`; `text` is already in the reader's language."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Flash:
    """Writes and reads the message; it lives for a minute at most."""

    secret: str

    def _signer(self) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(self.secret, salt="flash")

    def put(self, response: Response, kind: str, text: str) -> None:
        """Leave a message for the next page."""
        value = str(self._signer().dumps([kind, text]))
        response.set_cookie(COOKIE, value, max_age=60, httponly=True, samesite="lax", path="/")

    def take(self, request: Request) -> Message | None:
        """The message left for this page, if any; the page deletes the cookie."""
        raw = request.cookies.get(COOKIE)
        if not raw:
            return None
        try:
            kind, text = self._signer().loads(raw, max_age=60)
        except (BadSignature, ValueError, TypeError):
            return None
        return Message(str(kind), str(text))
