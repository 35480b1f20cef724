"""The figures as Prometheus reads them: this process's counters, and what waits in the database (OPS-3)."""

from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from deputize.engine.wiring import Wiring
from deputize.store import waiting

CONTENT_TYPE = CONTENT_TYPE_LATEST


async def exposition(w: Wiring) -> bytes:
    """All figures as text; those that are read from the database are over all tenants and processes."""
    async with w.db.read() as conn:
        found = await waiting.counts(conn)
    m = w.meters
    m.unfinished.clear()
    m.outbox.clear()
    for status, count in found.runs.items():
        m.unfinished.labels(status).set(count)
    for (kind, status), count in found.outbox.items():
        m.outbox.labels(kind, status).set(count)
    m.approvals.set(found.approvals)
    m.audit_failures.set(w.db.audit_failures)
    m.driven.set(len(w.hub.tasks))
    return generate_latest(m.registry)
