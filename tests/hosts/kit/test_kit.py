"""What the demo hosts share: passwords, tickets, CSRF tokens, languages, loopback, redirects."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from deputize_hosts.kit.csrf import Csrf, CsrfFailed
from deputize_hosts.kit.flash import Flash
from deputize_hosts.kit.headers import SecurityHeaders
from deputize_hosts.kit.language import Words
from deputize_hosts.kit.loopback import OffLoopback, from_loopback, refuse_off_loopback
from deputize_hosts.kit.pages import local_path
from deputize_hosts.kit.passwords import hash_password, verify_password
from deputize_hosts.kit.signed_cookie import SignInCookie


def request(
    headers: Mapping[str, str] | None = None, method: str = "GET", peer: str | None = "127.0.0.1", scheme: str = "http"
) -> Request:
    """A request as a server hands it over."""
    raw = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    scope = {
        "type": "http",
        "method": method,
        "path": "/",
        "query_string": b"",
        "scheme": scheme,
        "headers": raw,
        "server": ("localhost", 8000),
        "client": (peer, 1) if peer else None,
    }
    return Request(scope)


def cookie_of(response: Response) -> str:
    """The cookie's name and value as the browser sends it back."""
    return response.headers["set-cookie"].split(";")[0]


async def test_passwords_are_argon2id_with_a_salt_of_their_own() -> None:
    stored = hash_password("correct horse")
    assert stored.startswith("$argon2id$")
    assert stored != hash_password("correct horse")
    assert await verify_password(stored, "correct horse")
    assert not await verify_password(stored, "wrong")
    assert not await verify_password("not a hash", "wrong")
    assert not await verify_password(None, "a password that nobody has")


@pytest.mark.parametrize(("scheme", "secure"), [("http", False), ("https", True)])
def test_a_ticket_comes_back_as_it_was_issued(scheme: str, secure: bool) -> None:
    cookie = SignInCookie("secret", "clinic")
    response = Response()
    ticket = cookie.issue(response, request(scheme=scheme), "u", "t", 3)
    header = response.headers["set-cookie"]
    assert ("Secure" in header) == secure
    assert "HttpOnly" in header
    assert "SameSite=lax" in header
    assert cookie.read(request({"Cookie": cookie_of(response)})) == ticket


def test_a_ticket_of_another_application_another_secret_or_none_is_no_ticket() -> None:
    response = Response()
    SignInCookie("secret", "clinic").issue(response, request(), "u", "t", 0)
    sent = request({"Cookie": cookie_of(response)})
    assert SignInCookie("other", "clinic").read(sent) is None
    assert (
        SignInCookie("secret", "other").read(request({"Cookie": cookie_of(response).replace("clinic", "other")}))
        is None
    )
    assert SignInCookie("secret", "clinic").read(request()) is None
    assert SignInCookie("secret", "clinic", max_age=-1).read(sent) is None


def test_csrf_wants_the_cookies_token_again_in_header_or_form() -> None:
    csrf = Csrf("secret")
    token = csrf.issue("nonce")
    sent = {"Cookie": f"csrf={token}"}
    csrf.check(request({**sent, "X-CSRF-Token": token}, "POST"), "nonce")
    csrf.check(request(sent, "POST"), "nonce", {"csrf": token})
    csrf.check(request(), "nonce")
    for headers, form, nonce in (
        (sent, {}, "nonce"),
        (sent, {"csrf": token + "x"}, "nonce"),
        ({}, {"csrf": token}, "nonce"),
        ({"Cookie": "csrf="}, {"csrf": ""}, "nonce"),
        (sent, {"csrf": token}, "another sign-in"),
        ({"Cookie": "csrf=made-up"}, {"csrf": "made-up"}, "nonce"),
    ):
        with pytest.raises(CsrfFailed):
            csrf.check(request(headers, "POST"), nonce, form)


def test_a_page_keeps_a_good_token_and_replaces_a_bad_one() -> None:
    csrf = Csrf("secret")
    token = csrf.issue("nonce")
    assert csrf.current(request({"Cookie": f"csrf={token}"}), "nonce") == (token, False)
    fresh, new = csrf.current(request({"Cookie": f"csrf={token}"}), "other")
    assert new
    assert csrf.valid(fresh, "other")


def test_a_flash_message_is_signed() -> None:
    flash, response = Flash("secret"), Response()
    flash.put(response, "ok", "Guardado <b>")
    sent = request({"Cookie": cookie_of(response)})
    message = flash.take(sent)
    assert message is not None
    assert (message.kind, message.text) == ("ok", "Guardado <b>")
    assert Flash("other").take(sent) is None
    assert flash.take(request()) is None


@pytest.mark.parametrize(
    ("own", "headers", "language"),
    [
        (None, {}, "es"),
        ("en-GB", {"Cookie": "lang=es"}, "en"),
        (None, {"Cookie": "lang=en", "Accept-Language": "es"}, "en"),
        (None, {"Accept-Language": "de-DE,en;q=0.8,es;q=0.5"}, "en"),
        ("fr", {"Cookie": "lang=fr"}, "es"),
    ],
)
def test_language_is_the_persons_then_the_cookies_then_the_browsers(
    own: str | None, headers: dict[str, str], language: str
) -> None:
    words = Words({"hello": {"es": "Hola {who}", "en": "Hello {who}"}}, ("es", "en"))
    chosen = words.choose(request(headers), own)
    assert chosen == language
    assert words.say(chosen, "hello", who="Ana").endswith("Ana")


@pytest.mark.parametrize(
    ("peer", "headers", "local"),
    [
        ("127.0.0.1", {}, True),
        ("127.8.8.8", {}, True),
        ("::1", {}, True),
        ("::ffff:127.0.0.1", {}, True),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1, ::1"}, True),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.1"}, False),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1, 192.0.2.1"}, False),
        ("127.0.0.1", {"Forwarded": "for=127.0.0.1"}, False),
        ("192.0.2.1", {}, False),
        ("::ffff:192.0.2.1", {}, False),
        ("unix", {}, False),
        (None, {}, False),
    ],
)
def test_seeded_sign_ins_are_refused_off_loopback(peer: str | None, headers: dict[str, str], local: bool) -> None:
    sent = request(headers, peer=peer)
    assert from_loopback(sent) == local
    refuse_off_loopback(sent, seeded=False)
    if local:
        refuse_off_loopback(sent, seeded=True)
    else:
        with pytest.raises(OffLoopback):
            refuse_off_loopback(sent, seeded=True)


@given(st.text(alphabet="/\\:.abc\r\n\t ", max_size=12))
def test_a_redirect_never_leaves_the_site(url: str) -> None:
    target = local_path(url, "/home")
    assert target.startswith("/")
    assert not target.startswith(("//", "/\\"))
    assert not set(target) & set("\\\r\n\t")


async def test_security_headers_do_not_overwrite_the_applications_own() -> None:
    sent: list[dict[str, object]] = []

    async def app(scope: object, receive: object, send: object) -> None:
        await Response("x", headers={"Referrer-Policy": "no-referrer"})(scope, receive, send)  # type: ignore[arg-type]

    async def keep(message: object) -> None:
        assert isinstance(message, dict)
        sent.append(message)

    async def nothing() -> dict[str, object]:
        return {}

    await SecurityHeaders(app)({"type": "http", "method": "GET", "headers": []}, nothing, keep)
    headers = dict(sent[0]["headers"])  # type: ignore[call-overload]
    assert headers[b"referrer-policy"] == b"no-referrer"
    assert headers[b"x-content-type-options"] == b"nosniff"
