"""Whether this process lives, and whether it can serve: for whoever watches over it (OPS-3)."""

from dataclasses import dataclass, field

from deputize.engine.wiring import Wiring
from deputize.store import revision, waiting


@dataclass(frozen=True, slots=True)
class Readiness:
    """`checks` are fixed words by what was looked at; ready is every one of them being `ok` or `off`."""

    checks: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Requests may come."""
        return set(self.checks.values()) <= {"ok", "off"}


async def readiness(w: Wiring) -> Readiness:
    """The database answers, its tables are those of this version, and a provider is there; never why in detail.

    With `AI_ENABLED=false` nothing of ours is needed, so nothing is asked.
    """
    if not w.enabled:
        return Readiness({"copilot": "off"})
    checks = {"provider": "ok" if w.default_provider in w.providers else "missing"}
    try:
        async with w.db.read() as conn:
            checks["database"] = "ok" if await waiting.answers(conn) else "silent"
            checks["tables"] = "ok" if await revision.revision_on(conn) == revision.HEAD else "other version"
    except Exception as error:
        checks["database"] = type(error).__name__
    return Readiness(checks)
