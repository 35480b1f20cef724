"""Serving an application with uvicorn: two seconds of grace, so that open streams never hold a restart up."""

import uvicorn

GRACE_SECONDS = 2


def serve_app(path: str, host: str, port: int) -> None:
    """Serve `module:app` until it is told to stop; requests are not logged (their bodies never are)."""
    uvicorn.run(
        path,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        proxy_headers=False,
    )
