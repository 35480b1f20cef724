"""The peers' side: the same job (one durable job, one line in the sink) in DBOS Transact and in Procrastinate.

Runs in the peers' own environment: `python -m bench.worker.peers {dbos|procrastinate} {fill|work} URL SINK COUNT`.
"""

import asyncio
import signal
import sys
import threading
from pathlib import Path

from bench.worker.sink import line

CONCURRENCY = 16
"""Jobs that one process of a peer does at once; more did not make either faster."""
POLL = 0.05


def dbos_fill(url: str, count: int) -> None:
    """That many enqueued workflows."""
    from dbos import DBOSClient, run_dbos_database_migrations

    run_dbos_database_migrations(system_database_url=url)
    client = DBOSClient(system_database_url=url)
    for n in range(count):
        client.enqueue({"queue_name": "effects", "workflow_name": "deliver", "app_version": "1"}, str(n))
    client.destroy()


def dbos_work(url: str, sink: Path) -> None:
    """A process that runs them: a workflow of one step, which writes the line."""
    from dbos import DBOS

    DBOS(config={"name": "bench", "system_database_url": url, "application_version": "1", "log_level": "ERROR"})

    @DBOS.step()
    def send(key: str) -> None:
        line(sink, key)

    @DBOS.workflow(name="deliver")
    def deliver(key: str) -> None:
        send(key)

    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    DBOS.launch()
    DBOS.register_queue("effects", worker_concurrency=CONCURRENCY, polling_interval_sec=POLL)
    stopped.wait()
    DBOS.destroy()


def procrastinate_app(url: str, sink: Path):  # type: ignore[no-untyped-def]  # its types are in the peers' environment
    """The application with its one task."""
    from procrastinate import App, PsycopgConnector

    app = App(connector=PsycopgConnector(conninfo=url))

    @app.task(name="deliver")
    async def deliver(key: str) -> None:
        line(sink, key)

    return app, deliver


async def procrastinate_fill(url: str, count: int) -> None:
    """That many deferred jobs."""
    app, deliver = procrastinate_app(url, Path())
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        await deliver.batch_defer_async(*({"key": str(n)} for n in range(count)))


async def procrastinate_work(url: str, sink: Path) -> None:
    """A worker until SIGTERM."""
    app, _ = procrastinate_app(url, sink)
    async with app.open_async():
        await app.run_worker_async(concurrency=CONCURRENCY, fetch_job_polling_interval=POLL)


def main(peer: str, deed: str, url: str, sink: str, count: str) -> None:
    """One deed of one peer."""
    if peer == "dbos":
        if deed == "fill":
            dbos_fill(url, int(count))
        else:
            dbos_work(url, Path(sink))
    else:
        asyncio.run(procrastinate_fill(url, int(count)) if deed == "fill" else procrastinate_work(url, Path(sink)))


if __name__ == "__main__":
    main(*sys.argv[1:])
