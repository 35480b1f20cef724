"""A worker process over the depot whose model is asked over HTTP, by the adapter that real deployments use."""

import asyncio
import sys

from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from deputize.core.clock import SystemClock
from deputize.providers import registry
from deputize.surfaces import worker
from tests.engine.depot import Depot, make_depot

SETTINGS = {
    "AGENT_LEASE_MS": 15000,
    "AGENT_SWEEP_INTERVAL_MS": 500,
    "AGENT_MAX_ATTEMPTS": 50,
    "AGENT_CONCURRENCY": 64,
    "AGENT_DAILY_SPEND_USD": "none",
    "AI_GLOBAL_DAILY_SPEND_USD": "none",
}


async def calling_depot(address: str, url: str, poll_ms: int) -> Depot:
    """The depot on that database, with the model at `url`."""
    provider = registry.create("openai", base_url=url, api_key="k", default_model="counted", allow_private=True)
    engine = create_async_engine(make_url(address))
    settings = {**SETTINGS, "AGENT_POLL_INTERVAL_MS": poll_ms}
    return await make_depot(engine, SystemClock(), settings=settings, provider=provider)


async def main(address: str, url: str, poll_ms: str, lanes: str) -> None:
    """Work until SIGTERM; a line is printed once it has begun."""
    depot = await calling_depot(address, url, int(poll_ms))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await worker.serve(depot.w, lanes=int(lanes))
    await depot.deputy.close()
    await depot.engine.dispose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
