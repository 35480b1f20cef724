"""The way to a model's address: checked at boot and at connect, dialled as checked, never redirected (PROV-4)."""

import asyncio
import re
import socket
import ssl
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import httpcore2
import httpx2

from deputize.providers.addresses import fault, is_private, parse

Resolve = Callable[[str, int], Sequence[str]]
"""Host and port to numeric addresses; raises OSError where there are none."""

CONNECT_TIMEOUT = 10.0
MAX_CONNECTIONS = 1_000
MAX_IDLE = 100
HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")


class EndpointRefused(httpx2.ConnectError):
    """The address behind the host name may not be dialled; nothing was sent."""


class ResponseTooLarge(httpx2.ReadError):
    """The answer is longer than allowed, or compressed although that was not asked for."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A parsed base URL: scheme, host without brackets, port; `allow_private` as the operator set it."""

    scheme: str
    host: str
    port: int
    allow_private: bool


def system_resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system; each address once, in its order of preference."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def _parsed(url: str, allow_private: bool) -> tuple[Endpoint | None, list[str]]:
    try:
        parts = httpx2.URL(url)
        host, port = parts.raw_host.decode("ascii").rstrip(".").lower(), parts.port
    except (httpx2.InvalidURL, ValueError, TypeError):
        return None, ["the base URL is not a URL"]
    faults = []
    if parts.scheme not in ("https", "http"):
        faults.append("the base URL must begin with https://")
    elif parts.scheme == "http" and not allow_private:
        faults.append("the base URL must be https (plain http is for private addresses, AI_ALLOW_PRIVATE_ENDPOINT)")
    if port is not None and not 0 < port < 65_536:
        faults.append("the base URL names a port that does not exist")
    if not HOST.fullmatch(host):
        faults.append("the base URL names no host" if not host else "the base URL names a host that cannot be")
    if parts.userinfo:
        faults.append("the base URL must not hold a user name or password")
    if parts.query or parts.fragment:
        faults.append("the base URL must not hold a query or fragment")
    if faults:
        return None, faults
    return Endpoint(parts.scheme, host, port or (443 if parts.scheme == "https" else 80), allow_private), []


def _name_fault(endpoint: Endpoint) -> str | None:
    local = endpoint.host == "localhost" or endpoint.host.endswith(".localhost")
    if local and not endpoint.allow_private:
        return f"{endpoint.host} is a loopback address"
    return None


def _address_fault(endpoint: Endpoint, text: str) -> str | None:
    address = parse(text)
    if address is None:
        return f"{endpoint.host} has an address that cannot be read"
    reason = fault(address, allow_private=endpoint.allow_private)
    if reason is not None:
        return f"{endpoint.host} is or leads to {reason}"
    if endpoint.scheme == "http" and not is_private(address):
        return f"{endpoint.host} is public: plain http is for private addresses only"
    return None


def check_base_url(url: str, allow_private: bool, resolve: Resolve = system_resolve) -> list[str]:
    """The faults of a base URL, for boot; empty if there are none. Never quotes more of it than the host.

    Asks the resolver. A name that cannot be resolved just now is no fault of the configuration: connecting
    checks again, and is what counts.
    """
    endpoint, faults = _parsed(url, allow_private)
    if endpoint is None:
        return faults
    named = _name_fault(endpoint)
    if named is not None:
        return [named]
    try:
        found = [endpoint.host] if parse(endpoint.host) else resolve(endpoint.host, endpoint.port)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(f for f in (_address_fault(endpoint, text) for text in found) if f is not None))


def endpoint_of(url: str, allow_private: bool) -> Endpoint:
    """Parse a base URL. Raises ValueError naming every fault that needs no resolver."""
    endpoint, faults = _parsed(url, allow_private)
    if endpoint is None:
        raise ValueError("; ".join(faults))
    named = _name_fault(endpoint) or (_address_fault(endpoint, endpoint.host) if parse(endpoint.host) else None)
    if named is not None:
        raise ValueError(named)
    return endpoint


class CheckedBackend(httpcore2.AsyncNetworkBackend):
    """Resolves, checks every address, and dials exactly a checked one; TLS keeps the name (SNI, certificate).

    One forbidden address among several refuses them all: a public service has none.
    """

    def __init__(self, endpoint: Endpoint, resolve: Resolve) -> None:
        self._endpoint = endpoint
        self._resolve = resolve
        self._dial = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Raises EndpointRefused, or httpcore2's ConnectError and ConnectTimeout."""
        until = None if timeout is None else time.monotonic() + timeout
        addresses = await self._checked(host, port, timeout)
        for last, address in enumerate(addresses, start=1 - len(addresses)):
            left = None if until is None else max(0.001, until - time.monotonic())
            share = left if left is None or last == 0 else left / 2
            try:
                return await self._dial.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if last == 0:
                    raise
        raise httpcore2.ConnectError("the host has no address")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise EndpointRefused("models are not reached through unix sockets")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _checked(self, host: str, port: int, timeout: float | None) -> Sequence[str]:
        if parse(host) is not None:
            found: Sequence[str] = [host.strip("[]")]
        else:
            try:
                async with asyncio.timeout(timeout):
                    found = await asyncio.to_thread(self._resolve, host, port)
            except TimeoutError:
                raise httpcore2.ConnectTimeout("the host name was not resolved in time") from None
            except (OSError, UnicodeError):
                raise httpcore2.ConnectError("the host name cannot be resolved") from None
        for text in found:
            reason = _address_fault(self._endpoint, text)
            if reason is not None:
                raise EndpointRefused(reason)
        return found


@contextmanager
def _as_httpx2() -> Iterator[None]:
    """Say httpcore2's errors in httpx2's words, which bear the same names."""
    try:
        yield
    except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise getattr(httpx2, type(error).__name__, httpx2.TransportError)(type(error).__name__) from None


class CappedStream(httpx2.AsyncByteStream):
    """The body as it comes, cut off with ResponseTooLarge at `limit` bytes."""

    def __init__(self, stream: AsyncIterable[bytes], limit: int) -> None:
        self._stream = stream
        self._left = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx2():
            async for part in self._stream:
                self._left -= len(part)
                if self._left < 0:
                    raise ResponseTooLarge("the answer is longer than allowed")
                yield part

    async def aclose(self) -> None:
        close = getattr(self._stream, "aclose", None)
        if close is not None:
            with _as_httpx2():
                await close()


class CheckedTransport(httpx2.AsyncBaseTransport):
    """httpx2's transport over CheckedBackend; serves one origin and caps every answer, errors included."""

    def __init__(
        self, endpoint: Endpoint, *, max_response_bytes: int, resolve: Resolve, tls: ssl.SSLContext | None
    ) -> None:
        if tls is None and endpoint.scheme == "https":
            tls = httpx2.create_ssl_context(trust_env=False)
        self._endpoint = endpoint
        self._limit = max_response_bytes
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_IDLE,
            keepalive_expiry=30.0,
            network_backend=CheckedBackend(endpoint, resolve),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises EndpointRefused, ResponseTooLarge and httpx2's transport errors."""
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        host = url.raw_host.decode("ascii").rstrip(".").lower()
        if (url.scheme, host, port) != (self._endpoint.scheme, self._endpoint.host, self._endpoint.port):
            raise EndpointRefused("the request names another origin than the base URL")
        if not isinstance(request.stream, httpx2.AsyncByteStream):
            raise TypeError("only asynchronous requests are sent")
        with _as_httpx2():
            response = await self._pool.handle_async_request(
                httpcore2.Request(
                    method=request.method,
                    url=httpcore2.URL(
                        scheme=url.raw_scheme, host=url.raw_host.rstrip(b"."), port=url.port, target=url.raw_path
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        if not isinstance(response.stream, AsyncIterable):
            raise TypeError("only asynchronous responses are read")
        stream = CappedStream(response.stream, self._limit)
        answer = httpx2.Response(response.status, headers=response.headers, stream=stream)
        if answer.headers.get("content-encoding", "identity").strip().lower() not in ("identity", ""):
            await stream.aclose()
            raise ResponseTooLarge("the answer is compressed although that was not asked for")
        return answer

    async def aclose(self) -> None:
        await self._pool.aclose()


def checked_client(
    endpoint: Endpoint,
    *,
    timeout: float,
    max_response_bytes: int,
    resolve: Resolve = system_resolve,
    tls: ssl.SSLContext | None = None,
) -> httpx2.AsyncClient:
    """A client that reaches `endpoint` only: no redirects, no proxy variables, no compression, no cookies kept.

    `timeout` is the longest silence in seconds, `max_response_bytes` the longest answer.
    """
    return httpx2.AsyncClient(
        transport=CheckedTransport(endpoint, max_response_bytes=max_response_bytes, resolve=resolve, tls=tls),
        timeout=httpx2.Timeout(timeout, connect=min(CONNECT_TIMEOUT, timeout)),
        headers={"Accept-Encoding": "identity"},
        follow_redirects=False,
        trust_env=False,
    )
