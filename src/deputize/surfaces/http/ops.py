"""The routes for whoever runs the deployment: health, readiness, metrics; the host mounts them where only they look."""

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from deputize.engine import health, metrics
from deputize.engine.wiring import Wiring

NO_STORE = {"Cache-Control": "no-store"}


def build_ops_router(w: Wiring) -> APIRouter:
    """No sign-in is asked for and nothing personal is told; keep them off the public address all the same."""
    router = APIRouter(tags=["copilot operation"])

    @router.get("/health")
    async def alive() -> Response:
        """200 while the process turns."""
        return JSONResponse({"ok": True, "enabled": w.enabled}, headers=NO_STORE)

    @router.get("/ready")
    async def ready() -> Response:
        """200 where requests may come, else 503; the checks say what is amiss."""
        found = await health.readiness(w)
        return JSONResponse(
            {"ok": found.ok, "checks": found.checks}, status_code=200 if found.ok else 503, headers=NO_STORE
        )

    @router.get("/metrics")
    async def figures() -> Response:
        """Prometheus' text format."""
        return Response(await metrics.exposition(w), media_type=metrics.CONTENT_TYPE, headers=NO_STORE)

    return router
