"""A worker process over the depot: it answers by a rule, and writes what arrives outside into a file."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from deputize import Receipt
from deputize.core.clock import SystemClock
from deputize.core.provider import Done, ModelRequest, ProviderEvent, TextDelta, UsageReport
from deputize.core.usage import Usage
from deputize.surfaces import worker
from deputize.testing.scripted import ScriptedProvider
from tests.engine.depot import Depot, make_depot

ANSWER = json.dumps({"summary": "s", "suggested_priority": "high"})
SETTINGS = {
    "AGENT_POLL_INTERVAL_MS": 50,
    "AGENT_LEASE_MS": 60_000,
    "AGENT_SWEEP_INTERVAL_MS": 500,
    "AGENT_MAX_ATTEMPTS": 50,
    "AGENT_CONCURRENCY": 16,
}


class Rule(ScriptedProvider):
    """Says the same of every ticket, after a pause if one is asked for."""

    pause = 0.0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        await asyncio.sleep(self.pause)
        yield TextDelta(ANSWER)
        yield UsageReport(Usage(input=10, output=5))
        yield Done("stop")


async def depot_of(address: str, post: Path, pause: float = 0.0) -> Depot:
    """The depot on that database, as one process has it."""
    url = make_url(address)
    named = {"server_settings": {"application_name": f"worker {os.getpid()}"}}
    engine = create_async_engine(url, connect_args=named if url.get_backend_name() == "postgresql" else {})
    provider = Rule()
    provider.pause = pause
    depot = await make_depot(engine, SystemClock(), settings=SETTINGS, provider=provider)

    async def send(payload: Mapping[str, Any], key: str) -> Receipt:
        with post.open("a") as file:
            file.write(f"{key}\n")
        return Receipt(key)

    depot.outside.sender = send
    return depot


async def main(address: str, post: str, pause: str) -> None:
    """Work until SIGTERM; a line with the name in its leases is printed once it has begun."""
    depot = await depot_of(address, Path(post), float(pause))
    sys.stdout.write(f"{depot.w.process}\n")
    sys.stdout.flush()
    await worker.serve(depot.w, lanes=4)
    await depot.deputy.close()
    await depot.engine.dispose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
