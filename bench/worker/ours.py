"""Our side of the worker's benchmark: jobs in the outbox, and a worker process that handles them until SIGTERM."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import insert, make_url
from sqlalchemy.ext.asyncio import create_async_engine

from bench.worker.sink import line
from deputize import Receipt
from deputize.core.clock import SystemClock
from deputize.core.effect import Enqueued, Queued
from deputize.core.provider import Done, ModelRequest, ProviderEvent, TextDelta, UsageReport
from deputize.core.usage import Usage
from deputize.store import outbox
from deputize.surfaces import worker
from deputize.testing.scripted import ScriptedProvider
from tests.engine.depot import Depot, Ticket, make_depot

ANSWER = json.dumps({"summary": "s", "suggested_priority": "high"})
SETTINGS = {
    "AGENT_POLL_INTERVAL_MS": 50,
    "AGENT_CONCURRENCY": 64,
    "AGENT_DAILY_SPEND_USD": 1000,
    "AI_GLOBAL_DAILY_SPEND_USD": 1000,
}
LANES = 4


class Rule(ScriptedProvider):
    """Says the same of every ticket, at once."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        yield TextDelta(ANSWER)
        yield UsageReport(Usage(input=10, output=5))
        yield Done("stop")


async def depot_of(address: str) -> Depot:
    """The depot on that database."""
    return await make_depot(create_async_engine(make_url(address)), SystemClock(), settings=SETTINGS, provider=Rule())


async def close(depot: Depot) -> None:
    """Let go of its connections."""
    await depot.deputy.close()
    await depot.engine.dispose()


async def fill(address: str, kind: str, count: int) -> None:
    """That many effects, or tickets with their events, in one transaction."""
    depot = await depot_of(address)
    now = depot.w.clock.now()
    async with depot.w.db.write("north", "fill") as tx:
        if kind == "effects":
            queued = [Queued("hook", {"to": "a@out.example", "body": "x"}, f"k{n}") for n in range(count)]
            await outbox.put(tx.conn, "north", queued, [], now)
        else:
            common = {"tenant": "north", "owner": "olga", "priority": "low", "status": "open", "version": 1}
            await tx.conn.execute(
                insert(Ticket), [{"id": str(n), "title": f"ticket {n}", **common} for n in range(count)]
            )
            await outbox.put(tx.conn, "north", [], [Enqueued("ticket.created", str(n)) for n in range(count)], now)
    await close(depot)


async def work(address: str, sink: Path) -> None:
    """Work until SIGTERM; each effect that was sent, and each pass that was committed, is a line of the sink."""
    depot = await depot_of(address)

    async def send(payload: Mapping[str, Any], key: str) -> Receipt:
        line(sink, key)
        return Receipt(key)

    def committed(label: str) -> None:
        if label == "pass-result":
            line(sink, label)

    depot.outside.sender = send
    depot.w.db.after_commit = committed
    await worker.serve(depot.w, lanes=LANES)
    await close(depot)


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], Path(sys.argv[2])))
