"""Serving an application with uvicorn: two seconds of grace, so that open streams never hold a restart up."""

import asyncio
import errno
import socket
from typing import Any

import uvicorn

from deputize.cli.loading import fail
from deputize.surfaces.web import streams

GRACE_SECONDS = 2
BACKLOG = 2048


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. An address that cannot be had ends with status 2."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
    except OSError as error:
        taken.close()
        if error.errno == errno.EADDRINUSE:
            raise fail(f"port {port} is taken; --port 0 finds a free one") from None
        raise fail(f"cannot listen on {host}:{port}: {error.strerror}") from None
    taken.listen(BACKLOG)
    return taken


class Server(uvicorn.Server):
    """Ends streams itself when it is told to stop, so that their clients attach elsewhere and nobody is waited for."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Streams that only wait end at once; those of runs that are driven here get half of the grace."""
        streams.close_streams(idle=True)
        late = asyncio.get_running_loop().call_later(GRACE_SECONDS / 2, streams.close_streams)
        await super().shutdown(sockets)
        late.cancel()


def server(app: Any, proxies: str | None = None) -> Server:
    """A server of the application (`module:app` or itself); requests are not logged (their bodies never are).

    `proxies` are addresses, by comma, whose word on a request's origin and scheme is believed; `*` is everybody.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        proxy_headers=proxies is not None,
        forwarded_allow_ips=proxies,
    )
    return Server(config)


def serve_on(path: str, taken: socket.socket, proxies: str | None = None) -> None:
    """Serve `module:app` on the socket until it is told to stop."""
    server(path, proxies).run(sockets=[taken])


def serve_app(path: str, host: str, port: int, proxies: str | None = None) -> None:
    """Listen there and serve `module:app`."""
    serve_on(path, listen(host, port), proxies)
